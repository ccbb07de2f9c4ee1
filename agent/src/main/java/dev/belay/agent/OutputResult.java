package dev.belay.agent;

import org.jspecify.annotations.Nullable;

/// What `read_output` answers.
///
/// @param outputStart  the offset of the first byte shown
/// @param outputEnd    the offset after the last byte shown
/// @param next         where to continue reading
/// @param truncated    whether the result leaves something out: there is more, or some output is lost
/// @param omittedBytes requested bytes that are not shown
/// @param screen       what the answer says about the screen, if the output shows one
public record OutputResult(
        @Nullable String sessionId,
        String output,
        long outputStart,
        long outputEnd,
        long next,
        boolean truncated,
        long omittedBytes,
        boolean running,
        @Nullable Integer exitCode,
        @Nullable ScreenView screen,
        @Nullable ToolError error)
        implements
            ToolResult {
    /// Nothing was read.
    public static OutputResult failed(@Nullable String sessionId, ToolError error) {
        return new OutputResult(sessionId, "", 0, 0, 0, false, 0, false, null, null, error);
    }
}
