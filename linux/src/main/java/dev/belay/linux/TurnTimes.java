package dev.belay.linux;

import dev.belay.host.LoopStats;
import java.time.Duration;

/// Measures the loop's turns. Only the loop's thread writes; any thread may read.
final class TurnTimes {
    private static final long SPAN_NANOS = Duration.ofMinutes(1).toNanos();

    private volatile long turns;
    private volatile long busyNanos;
    private volatile long longest;
    private volatile long longestBefore;
    private long spanBegan;

    @SuppressWarnings("NonAtomicVolatileUpdate")
    void add(long beganNanos, long endedNanos) {
        long took = endedNanos - beganNanos;
        if (endedNanos - spanBegan > SPAN_NANOS) {
            longestBefore = endedNanos - spanBegan > 2 * SPAN_NANOS ? 0 : longest;
            longest = 0;
            spanBegan = endedNanos;
        }
        turns++;
        busyNanos += took;
        longest = Math.max(longest, took);
    }

    LoopStats stats() {
        return new LoopStats(turns, busyNanos, Math.max(longest, longestBefore));
    }
}
