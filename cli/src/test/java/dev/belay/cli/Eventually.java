package dev.belay.cli;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/// Looks again and again at something that tells nobody when it changes, such as the screen of tmux.
final class Eventually {
    private static final long PAUSE_NANOS = Duration.ofMillis(40).toNanos();

    private Eventually() {}

    /// Returns what was looked at as soon as it is as expected; fails after a bounded time with what it was last.
    static <T> T see(String what, Callable<T> look, Predicate<T> expected) throws Exception {
        long until = System.nanoTime() + Duration.ofSeconds(Belay.PATIENCE_SECONDS).toNanos();
        T seen = look.call();
        while (!expected.test(seen)) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("expected to see " + what + ", but there is:\n" + seen);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
            seen = look.call();
        }
        return seen;
    }
}
