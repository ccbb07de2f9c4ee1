package dev.belay;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/// A moment up to which something may wait.
public final class Deadline {
    private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE / 2);

    private final long atNanos;

    private Deadline(long atNanos) {
        this.atNanos = atNanos;
    }

    /// The moment that comes when the duration is over; a very long one never comes.
    public static Deadline in(Duration duration) {
        Duration bounded = duration.compareTo(FOREVER) > 0 ? FOREVER : duration;
        return new Deadline(System.nanoTime() + bounded.toNanos());
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
