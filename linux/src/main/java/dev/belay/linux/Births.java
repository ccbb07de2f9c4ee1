package dev.belay.linux;

import java.time.Duration;
import java.util.function.LongPredicate;

/// A moment after which the kernel can show that nobody was born.
///
/// Every fork takes the next free number, so nobody was born while the last number that was given out stays the same.
/// The kernel has given it out before the child can be seen, and while the parent lives. So a child may have a number
/// from before that moment and be seen only after it: see [#late]. Only for a short time: later the numbers may have
/// gone round.
///
/// @param last  the last number; negative if the kernel does not show it
/// @param moment when it was read, by [System#nanoTime]
record Births(long last, long moment) {
    /// Nothing is known since then.
    static final Births UNKNOWN = new Births(-1, 0);

    /// Before this is over, no machine has forked as many processes as it has numbers.
    private static final Duration GOOD_FOR = Duration.ofMillis(50);

    /// How many processes may be half born at one moment: more than threads that fork at the same time, each of which
    /// just loses its core.
    private static final int HALF_BORN = Math.max(32, 4 * Runtime.getRuntime().availableProcessors());
    /// The numbers below are not given out again.
    private static final int RESERVED = 300;

    static Births now(ProcFile files) {
        // Before the number is read: what is late here counts as older.
        long moment = System.nanoTime();
        return new Births(files.lastPid(), moment);
    }

    /// Whether nobody was born since then, for sure.
    boolean none(ProcFile files) {
        return last >= 0 && files.lastPid() == last && System.nanoTime() - moment < GOOD_FOR.toNanos();
    }

    /// Whether somebody may have been half born at that moment and live now. Ask it when the parents that matter are
    /// dead: then their children can be seen.
    ///
    /// @param known those who were seen in time
    boolean late(ProcFile files, LongPredicate known) {
        for (long number = last; number > last - HALF_BORN; number--) {
            // Before the least come the highest.
            if (number <= RESERVED || (!known.test(number) && files.exists(number))) {
                return true;
            }
        }
        return false;
    }
}
