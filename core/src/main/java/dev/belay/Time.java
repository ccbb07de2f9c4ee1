package dev.belay;

import java.time.Instant;

/// The time that sessions go by: the system's, or one that a test moves.
interface Time {
    /// The time of day, for records.
    Instant now();

    /// A time to measure with, as of [System#nanoTime()].
    long nanos();

    /// Parks the thread until it is unparked or interrupted, or until [#nanos()] has reached a value.
    void parkUntil(Object blocker, long atNanos);

    /// A new timer with a thread of its own.
    Timer timer();
}
