package dev.belay;

import java.time.Duration;
import java.time.Instant;

/// The time that sessions, and everything that serves them, go by: the system's, or one that a test moves.
public interface Time {
    /// The time of the system.
    static Time system() {
        return SystemTime.INSTANCE;
    }

    /// The time of day, for records.
    Instant now();

    /// A time to measure with, as of [System#nanoTime()].
    long nanos();

    /// Parks the thread until it is unparked or interrupted, or until [#nanos()] has reached a value.
    void parkUntil(Object blocker, long atNanos);

    /// A new timer with a thread of its own.
    Timer timer();

    /// Waits for a duration.
    default void sleep(Duration duration) throws InterruptedException {
        Deadline end = Deadline.in(this, duration);
        do {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        } while (end.park(this));
    }
}
