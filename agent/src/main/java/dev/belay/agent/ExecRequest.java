package dev.belay.agent;

import dev.belay.SessionException;
import dev.belay.Size;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A command to start: the parameters of `unified_exec`. Start with [#of(String)] and refine.
///
/// @param cmd             what the shell is to run
/// @param workdir         the folder to run in, within the workspace; null: its root
/// @param shell           the shell; null: the standard one
/// @param login           whether the shell reads its login files
/// @param tty             a terminal, or pipes
/// @param yieldTimeMs     how long the call waits at most; null: the default for the command
/// @param maxOutputTokens how much output the answer may contain
/// @param env             variables beyond those of the profile
/// @param cols            columns of the terminal
/// @param rows            rows of the terminal
/// @param timeoutMs       ends the command after this time; null: never
/// @param waitFor         what to wait for; null: the exit
/// @param view            how output is shown
/// @param sessionId       the id of the new session; null: a random one
/// @param idleTimeoutMs   ends the session if nothing happens for this long; 0: never; null: as in the settings
/// @param in              the persistent shell to run it in, opened at first use; null: a session of its own
/// @param base            the folder of a call without a `workdir`; null: the workspace's root
public record ExecRequest(
        String cmd,
        @Nullable String workdir,
        @Nullable String shell,
        boolean login,
        boolean tty,
        @Nullable Integer yieldTimeMs,
        int maxOutputTokens,
        Map<String, String> env,
        int cols,
        int rows,
        @Nullable Integer timeoutMs,
        @Nullable WaitFor waitFor,
        View view,
        @Nullable String sessionId,
        @Nullable Integer idleTimeoutMs,
        @Nullable String in,
        @Nullable String base) {
    /// How much output an answer contains by default.
    public static final int DEFAULT_OUTPUT_TOKENS = 10_000;

    private static final int MOST_OUTPUT_TOKENS = 1_000_000;

    public ExecRequest {
        env = Map.copyOf(env);
        requireTime("yield_time_ms", yieldTimeMs);
        requireTime("idle_timeout_ms", idleTimeoutMs);
        if (timeoutMs != null && timeoutMs < 1) {
            throw SessionException.invalid("timeout_ms must be at least 1; leave it out for no limit.");
        }
        requireTokens(maxOutputTokens);
    }

    public static ExecRequest of(String cmd) {
        return new ExecRequest(cmd, null, null, false, true, null, DEFAULT_OUTPUT_TOKENS, Map.of(),
                Size.DEFAULT.cols(), Size.DEFAULT.rows(), null, null, View.AUTO, null, null, null, null);
    }

    public ExecRequest workdir(@Nullable String value) {
        return new ExecRequest(cmd, value, shell, login, tty, yieldTimeMs, maxOutputTokens, env, cols, rows, timeoutMs,
                waitFor, view, sessionId, idleTimeoutMs, in, base);
    }

    /// Runs on pipes instead of a terminal.
    public ExecRequest pipes() {
        return new ExecRequest(cmd, workdir, shell, login, false, yieldTimeMs, maxOutputTokens, env, cols, rows,
                timeoutMs, waitFor, view, sessionId, idleTimeoutMs, in, base);
    }

    public ExecRequest yieldTimeMs(int value) {
        return new ExecRequest(cmd, workdir, shell, login, tty, value, maxOutputTokens, env, cols, rows, timeoutMs,
                waitFor, view, sessionId, idleTimeoutMs, in, base);
    }

    public ExecRequest maxOutputTokens(int value) {
        return new ExecRequest(cmd, workdir, shell, login, tty, yieldTimeMs, value, env, cols, rows, timeoutMs, waitFor,
                view, sessionId, idleTimeoutMs, in, base);
    }

    public ExecRequest env(Map<String, String> value) {
        return new ExecRequest(cmd, workdir, shell, login, tty, yieldTimeMs, maxOutputTokens, value, cols, rows,
                timeoutMs, waitFor, view, sessionId, idleTimeoutMs, in, base);
    }

    public ExecRequest waitFor(WaitFor value) {
        return new ExecRequest(cmd, workdir, shell, login, tty, yieldTimeMs, maxOutputTokens, env, cols, rows,
                timeoutMs, value, view, sessionId, idleTimeoutMs, in, base);
    }

    public ExecRequest view(View value) {
        return new ExecRequest(cmd, workdir, shell, login, tty, yieldTimeMs, maxOutputTokens, env, cols, rows,
                timeoutMs, waitFor, value, sessionId, idleTimeoutMs, in, base);
    }

    public ExecRequest sessionId(String value) {
        return new ExecRequest(cmd, workdir, shell, login, tty, yieldTimeMs, maxOutputTokens, env, cols, rows,
                timeoutMs, waitFor, view, value, idleTimeoutMs, in, base);
    }

    /// Runs in a persistent shell.
    public ExecRequest in(String value) {
        return new ExecRequest(cmd, workdir, shell, login, tty, yieldTimeMs, maxOutputTokens, env, cols, rows,
                timeoutMs, waitFor, view, sessionId, idleTimeoutMs, value, base);
    }

    /// Runs with another shell than the standard one.
    public ExecRequest shell(String value) {
        return new ExecRequest(cmd, workdir, value, login, tty, yieldTimeMs, maxOutputTokens, env, cols, rows,
                timeoutMs, waitFor, view, sessionId, idleTimeoutMs, in, base);
    }

    /// The folder to start in, as seen from the workspace.
    String folder() {
        return workdir != null ? workdir : base != null ? base : ".";
    }

    static void requireTime(String name, @Nullable Integer millis) {
        if (millis != null && millis < 0) {
            throw SessionException.invalid(name + " cannot be negative.");
        }
    }

    static void requireTokens(int tokens) {
        if (tokens < 1 || tokens > MOST_OUTPUT_TOKENS) {
            throw SessionException.invalid("max_output_tokens is 1 to " + MOST_OUTPUT_TOKENS + ".");
        }
    }
}
