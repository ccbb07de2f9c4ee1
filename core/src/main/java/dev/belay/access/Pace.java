package dev.belay.access;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.time.Duration;
import java.util.Map;

/// A rate limit: `count` at once, and as many more within each `per`, evenly spread.
///
/// The state is one moment: when everything that was used has come back (the generic cell rate algorithm). The monitor
/// guards only that.
public final class Pace {
    /// The detail of `RATE_LIMITED` that says when to try again.
    public static final String RETRY_AFTER_MS = "retry_after_ms";

    private long usedUntilNanos;
    private boolean used;

    /// Takes a place unless the wait for it is longer than allowed.
    ///
    /// @return how long to wait for the place; negative if none was taken, and the next is free after that time
    public synchronized long take(long nowNanos, int count, Duration per, long longestWaitNanos) {
        long step = per.toNanos() / count;
        long from = used && usedUntilNanos - nowNanos > 0 ? usedUntilNanos : nowNanos;
        long wait = from + step - per.toNanos() - nowNanos;
        if (wait > longestWaitNanos) {
            return -(wait - longestWaitNanos);
        }
        used = true;
        usedUntilNanos = from + step;
        return Math.max(0, wait);
    }

    /// How long until the next place is free; 0 if one is free now.
    public synchronized long waitNanos(long nowNanos, int count, Duration per) {
        long left = used ? Math.max(0, usedUntilNanos - nowNanos) : 0;
        return Math.max(0, left + per.toNanos() / count - per.toNanos());
    }

    /// Whether nothing is used, as in a new one.
    synchronized boolean idle(long nowNanos) {
        return !used || usedUntilNanos - nowNanos <= 0;
    }

    /// The refusal of somebody who has to wait.
    public static SessionException tooSoon(String what, long waitNanos) {
        long millis = Math.max(1, Duration.ofNanos(waitNanos).toMillis());
        return new SessionException(
                ErrorCode.RATE_LIMITED,
                what + "; try again in " + millis + " ms.",
                Map.of(RETRY_AFTER_MS, millis));
    }
}
