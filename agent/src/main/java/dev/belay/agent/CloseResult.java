package dev.belay.agent;

import org.jspecify.annotations.Nullable;

/// What `close_pty_session` answers.
///
/// @param killed how many processes had to be killed because they did not end when asked
public record CloseResult(
        boolean success,
        String sessionId,
        @Nullable Integer exitCode,
        @Nullable String signal,
        int killed,
        @Nullable ToolError error) {}
