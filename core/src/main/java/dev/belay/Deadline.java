package dev.belay;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// A moment until which something may wait.
public final class Deadline {
    private static final long FOREVER_NANOS = Long.MAX_VALUE / 2;

    private final Time time;
    private final long atNanos;

    private Deadline(Time time, long atNanos) {
        this.time = time;
        this.atNanos = atNanos;
    }

    /// The moment at which the duration is over, by the system's time; for hosts, whose processes know no other.
    public static Deadline in(Duration duration) {
        return in(SystemTime.INSTANCE, duration);
    }

    /// The moment at which the duration is over. A very long one never comes.
    public static Deadline in(Time time, Duration duration) {
        return new Deadline(time, time.nanos() + nanos(duration));
    }

    static Deadline at(Time time, long nanos) {
        return new Deadline(time, nanos);
    }

    /// The duration in nanoseconds. A very long one is cut so that no sum with it overflows.
    static long nanos(Duration duration) {
        return Math.clamp(TimeUnit.NANOSECONDS.convert(duration), -FOREVER_NANOS, FOREVER_NANOS);
    }

    public Deadline earlier(Deadline other) {
        return atNanos - other.atNanos <= 0 ? this : other;
    }

    public long remainingNanos() {
        return atNanos - time.nanos();
    }

    public boolean passed() {
        return remainingNanos() <= 0;
    }

    /// Parks the thread until it is unparked, interrupted, or the moment has come.
    ///
    /// @return false, without parking, if the moment has already come
    public boolean park(Object blocker) {
        if (passed()) {
            return false;
        }
        time.parkUntil(blocker, atNanos);
        return true;
    }
}
