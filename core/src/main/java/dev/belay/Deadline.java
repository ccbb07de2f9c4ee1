package dev.belay;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// A moment up to which something may wait.
public final class Deadline {
    private static final long FOREVER_NANOS = Long.MAX_VALUE / 2;

    private final long atNanos;

    private Deadline(long atNanos) {
        this.atNanos = atNanos;
    }

    /// The moment that comes when the duration is over; a very long one never comes.
    public static Deadline in(Duration duration) {
        return new Deadline(System.nanoTime() + nanos(duration));
    }

    /// The duration in nanoseconds; a very long one is cut so that no sum with it overflows.
    static long nanos(Duration duration) {
        return Math.clamp(TimeUnit.NANOSECONDS.convert(duration), -FOREVER_NANOS, FOREVER_NANOS);
    }

    static Deadline atNanos(long nanos) {
        return new Deadline(nanos);
    }

    public Deadline earlier(Deadline other) {
        return atNanos - other.atNanos <= 0 ? this : other;
    }

    public long remainingNanos() {
        return atNanos - System.nanoTime();
    }

    public boolean passed() {
        return remainingNanos() <= 0;
    }

    /// Parks the thread until it is unparked, interrupted, or the moment has come.
    ///
    /// @return false, without parking, if the moment has come already
    public boolean park(Object blocker) {
        long nanos = remainingNanos();
        if (nanos <= 0) {
            return false;
        }
        LockSupport.parkNanos(blocker, nanos);
        return true;
    }
}
