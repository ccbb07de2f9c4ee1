package dev.belay.host;

/// How busy a host's loop is. While it takes a turn, all sessions wait.
///
/// @param turns        how many turns it has taken
/// @param busyNanos    how long they took in all, without the waits
/// @param longestNanos the longest turn in the last minute or two
public record LoopStats(long turns, long busyNanos, long longestNanos) {
    /// For a host without a loop.
    public static final LoopStats NONE = new LoopStats(0, 0, 0);
}
