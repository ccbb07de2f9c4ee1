package dev.belay.screens;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A command that a shell has run in a session, according to the shell's marks.
///
/// @param command  its text; null if unknown or private
/// @param cwd      the folder that it began in; null if unknown or private
/// @param exitCode null while it runs, and if unknown
/// @param endedAt  null while it runs
/// @param start    the offset of its output
/// @param end      the offset after its output; null while it runs
/// @param signed   whether the marks are those of a shell that Belay has started itself: only then can they be trusted
public record ShellCommand(
        @Nullable String command,
        @Nullable String cwd,
        @Nullable Integer exitCode,
        Instant beganAt,
        @Nullable Instant endedAt,
        long start,
        @Nullable Long end,
        boolean signed) {
    /// Whether it still runs, as far as is known.
    public boolean running() {
        return end == null;
    }

    ShellCommand ended(@Nullable Integer code, Instant when, long at) {
        return new ShellCommand(command, cwd, code, beganAt, when, start, at, signed);
    }

    ShellCommand veiled() {
        return new ShellCommand(null, null, exitCode, beganAt, endedAt, start, end, signed);
    }
}
