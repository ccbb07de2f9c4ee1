package dev.belay.server.auth;

import java.time.Duration;

/// Lets so many through within a time, evenly after a first burst; those who come early are told how long to wait.
///
/// Kept as one moment, the one at which nothing would be left of what was used (the generic cell rate algorithm).
/// Its monitor guards that moment only.
final class Pace {
    private long usedUntilNanos;
    private boolean used;

    /// Takes a place if the wait for it is not longer than given.
    ///
    /// @param count how many may come at once
    /// @param per   the time in which that many come back
    /// @return how long to wait until it is one's turn; negative: no place was taken, and a place is free in that time
    synchronized long take(long nowNanos, int count, Duration per, long longestWaitNanos) {
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

    /// How long until there is a place again; 0: now.
    synchronized long waitNanos(long nowNanos, int count, Duration per) {
        long left = used ? Math.max(0, usedUntilNanos - nowNanos) : 0;
        return Math.max(0, left + per.toNanos() / count - per.toNanos());
    }

    /// Whether it is as if nobody had ever come.
    synchronized boolean rested(long nowNanos) {
        return !used || usedUntilNanos - nowNanos <= 0;
    }
}
