package dev.belay.agent;

import dev.belay.Approval;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What `unified_exec` and `write_stdin` answer.
///
/// @param sessionId       the session; null if none was started
/// @param output          the output since the last call on this session
/// @param running         whether the command still runs
/// @param exitCode        its exit code, 128 + n for death by signal n; null while it runs
/// @param truncated       whether the result leaves out the middle of the output, or some output is lost
/// @param signal          the signal that ended the command, if one did
/// @param survivors       how many processes the command left running
/// @param wallTimeMs      how long the call took
/// @param outputStart     the offset of the first byte of the output
/// @param outputEnd       the offset after its last byte
/// @param omittedBytes    bytes between the two that are not shown
/// @param originalTokens  about how many tokens the whole output has
/// @param waitResult      what ended the wait; null if there was none
/// @param waitingForInput whether the command waits for input; null if unknown
/// @param echoOff         whether typed text is not shown, as at a password prompt
/// @param screen          what the answer says about the screen, if the output shows one
/// @param cwd             the folder that the shell is in now, if the command ran in a persistent shell
/// @param hint            what to know or do next, if that is not obvious
/// @param error           why the tool failed; null if it did not
/// @param approvals       programs that wait for an approval, and those that were refused since the last call
public record ExecResult(
        @Nullable String sessionId,
        String output,
        boolean running,
        @Nullable Integer exitCode,
        boolean truncated,
        @Nullable String signal,
        int survivors,
        long wallTimeMs,
        long outputStart,
        long outputEnd,
        long omittedBytes,
        long originalTokens,
        @Nullable String waitResult,
        @Nullable Boolean waitingForInput,
        boolean echoOff,
        @Nullable ScreenView screen,
        @Nullable String cwd,
        @Nullable String hint,
        @Nullable ToolError error,
        List<Approval> approvals)
        implements
            ToolResult {
    /// Nothing was started or found.
    public static ExecResult failed(@Nullable String sessionId, long wallTimeMs, ToolError error) {
        return new ExecResult(sessionId, "", false, null, false, null, 0, wallTimeMs, 0, 0, 0, 0, null, null, false,
                null, null, null, error, List.of());
    }
}
