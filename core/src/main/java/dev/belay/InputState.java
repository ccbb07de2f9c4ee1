package dev.belay;

import org.jspecify.annotations.Nullable;

/// Whether a session is waiting for input, as its host saw it at one moment. It may have changed since.
///
/// @param waiting true if a process in the foreground of the terminal, or in the leader's group on pipes, is blocked
///                until input comes; false if none is; null if unknown, for instance because the process watches its
///                terminal along with other things, or belongs to another user
/// @param echoOff whether the terminal reads lines without showing them, as for a password; always false on pipes
public record InputState(@Nullable Boolean waiting, boolean echoOff) {
    /// No process is waiting. The state of a session that has exited.
    public static final InputState NOBODY = new InputState(false, false);

    /// Unknown. The state of a session that is still starting.
    public static final InputState UNKNOWN = new InputState(null, false);

    /// Whether a process is known to be waiting.
    public boolean seenWaiting() {
        return Boolean.TRUE.equals(waiting);
    }
}
