package dev.belay.agent;

import org.jspecify.annotations.Nullable;

/// What `close_pty_session` answers.
///
/// @param ended  how many processes the close ended
/// @param killed how many of these had to be killed because they did not end when asked
public record CloseResult(
        String sessionId,
        @Nullable Integer exitCode,
        @Nullable String signal,
        int ended,
        int killed,
        @Nullable ToolError error)
        implements
            ToolResult {
    /// Nothing was closed.
    public static CloseResult failed(String sessionId, ToolError error) {
        return new CloseResult(sessionId, null, null, 0, 0, error);
    }
}
