package dev.belay;

import java.util.Locale;

/// Why a session ended. The first reason counts.
public enum EndReason {
    /// The leader exited, or was killed by a signal that Belay did not send to end the session.
    EXIT,
    /// Somebody closed the session.
    CLOSED,
    /// The session reached its wall-clock limit.
    TIMEOUT,
    /// The leader, or the command whose exit it passed on, used more CPU time than its [Resources] allow.
    CPU_LIMIT,
    /// The leader, or the command whose exit it passed on, wrote a larger file than its [Resources] allow.
    FILE_SIZE_LIMIT,
    /// The processes of the session used more memory than they may [together][Resources.Together].
    MEMORY_LIMIT,
    /// The leader failed after the session had reached its limit of processes [together][Resources.Together].
    PROCESS_LIMIT,
    /// Nothing happened in the session for its idle time.
    IDLE_TIMEOUT,
    /// Belay shut down.
    SHUTDOWN;

    /// The name in records.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
