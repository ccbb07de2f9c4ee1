package dev.belay.agent;

import org.jspecify.annotations.Nullable;

/// What `unified_exec` and `write_stdin` answer.
///
/// @param success         whether the tool did what it was asked; a command that fails is a success of the tool
/// @param sessionId       the session; null if none was started
/// @param output          what came since the last call on this session
/// @param running         whether the command still runs
/// @param exitCode        its exit code, 128 + n for death by signal n; null while it runs
/// @param truncated       whether the middle of the output was left out, or a part of it is lost
/// @param signal          the name of the signal that ended the command, if one did
/// @param wallTimeMs      how long the call took
/// @param outputStart     the offset of the first byte of the output
/// @param outputEnd       the offset after its last byte
/// @param omittedBytes    bytes between the two that the output does not show
/// @param originalTokens  about how many tokens the output has without being cut
/// @param waitResult      what ended the wait; null if there was none
/// @param waitingForInput whether the command waits for input; null if that cannot be told
/// @param echoOff         whether what is typed now is not shown, as at a password prompt
/// @param hint            what the caller may want to know or do next, where it is not plain
/// @param error           why the tool failed; null if it did not
public record ExecResult(
        boolean success,
        @Nullable String sessionId,
        String output,
        boolean running,
        @Nullable Integer exitCode,
        boolean truncated,
        @Nullable String signal,
        long wallTimeMs,
        long outputStart,
        long outputEnd,
        long omittedBytes,
        long originalTokens,
        @Nullable String waitResult,
        @Nullable Boolean waitingForInput,
        boolean echoOff,
        @Nullable String hint,
        @Nullable ToolError error) {
    /// Nothing was started or found.
    public static ExecResult failed(@Nullable String sessionId, long wallTimeMs, ToolError error) {
        return new ExecResult(
                false, sessionId, "", false, null, false, null, wallTimeMs, 0, 0, 0, 0, null, null, false, null, error);
    }

    /// This answer of a session that did not take what it was given.
    ExecResult failed(ToolError why) {
        return new ExecResult(false, sessionId, output, running, exitCode, truncated, signal, wallTimeMs, outputStart,
                outputEnd, omittedBytes, originalTokens, waitResult, waitingForInput, echoOff, hint, why);
    }
}
