package dev.belay.agent;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.util.Map;

/// Why a tool could not do what it was asked.
///
/// @param message what happened and what to do next
/// @param details facts for programs that go with the code, as strings and numbers
public record ToolError(ErrorCode code, String message, Map<String, Object> details) {
    public ToolError {
        details = Map.copyOf(details);
    }

    /// A refusal, as the answer of a tool.
    public static ToolError of(SessionException refused) {
        return new ToolError(refused.code(), String.valueOf(refused.getMessage()), refused.details());
    }
}
