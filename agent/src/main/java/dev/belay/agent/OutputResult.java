package dev.belay.agent;

import org.jspecify.annotations.Nullable;

/// What `read_output` answers.
///
/// @param outputStart  the offset of the first byte shown
/// @param outputEnd    the offset after the last byte shown
/// @param next         the offset to read on from
/// @param truncated    whether there is more than is shown, or a part of it is lost
/// @param omittedBytes bytes that were asked for and are not shown
public record OutputResult(
        boolean success,
        @Nullable String sessionId,
        String output,
        long outputStart,
        long outputEnd,
        long next,
        boolean truncated,
        long omittedBytes,
        boolean running,
        @Nullable Integer exitCode,
        @Nullable ToolError error) {
    /// Nothing was read.
    public static OutputResult failed(@Nullable String sessionId, ToolError error) {
        return new OutputResult(false, sessionId, "", 0, 0, 0, false, 0, false, null, error);
    }
}
