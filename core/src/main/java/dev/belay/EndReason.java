package dev.belay;

import java.util.Locale;

/// Why a session ended; the first reason is kept.
public enum EndReason {
    /// The leader ended by itself, or by a signal that did not come from Belay's own ending of the session.
    EXIT,
    /// Somebody closed the session.
    CLOSED,
    /// The session's wall-clock time was used up.
    TIMEOUT,
    /// The leader used more processor time than its [Resources] allow, or a command that it ended with.
    CPU_LIMIT,
    /// The leader wrote a larger file than its [Resources] allow, or a command that it ended with.
    FILE_SIZE_LIMIT,
    /// The session was ended because its processes used more memory than they may [together][Resources.Together].
    MEMORY_LIMIT,
    /// The leader failed, after the session was refused more processes than it may have [together][Resources.Together].
    PROCESS_LIMIT,
    /// Nothing happened in the session for its idle time.
    IDLE_TIMEOUT,
    /// Belay itself ended.
    SHUTDOWN;

    /// The name in records.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
