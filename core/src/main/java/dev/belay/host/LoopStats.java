package dev.belay.host;

/// How a host's loop does: what it takes for a turn, all sessions wait for.
///
/// @param turns        how often it has gone round
/// @param busyNanos    the time it took for all of them, without waiting
/// @param longestNanos the longest turn of the last minute or two
public record LoopStats(long turns, long busyNanos, long longestNanos) {
    /// Of a host that has no loop.
    public static final LoopStats NONE = new LoopStats(0, 0, 0);
}
