package dev.belay;

import org.jspecify.annotations.Nullable;

/// Whether a session waits for input, as its host sees it at one moment. It is over as soon as it is seen.
///
/// @param waiting true if a process in the foreground of the terminal, or in the leader's group on pipes, is blocked
///                until input comes; false if none is; null if that cannot be told, for instance because the process
///                watches its terminal along with other things, or is another user's
/// @param echoOff whether the terminal takes lines and does not show them, as for a password; always false on pipes
public record InputState(@Nullable Boolean waiting, boolean echoOff) {
    /// Nobody waits: the state of a session that has exited.
    public static final InputState NOBODY = new InputState(false, false);

    /// It cannot be told: the state of a session that is still starting.
    public static final InputState UNKNOWN = new InputState(null, false);

    /// Whether somebody is seen to wait. What cannot be told is not seen.
    public boolean seenWaiting() {
        return Boolean.TRUE.equals(waiting);
    }
}
