package dev.belay;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A subscription to what happens in a session: output, exit, a resize, the keyboard changing hands.
///
/// It costs nothing while nobody asks it, and misses nothing: what happened since the last [#next] is reported by
/// the following one, however many things it was.
public final class Activity {
    private final Life life;
    private final boolean counts;
    private volatile boolean woken;
    private volatile @Nullable Thread waiter;
    private long seen;

    /// @param counts whether waiting for the next keeps the session from being idle
    Activity(Life life, boolean counts) {
        this.life = life;
        this.counts = counts;
        this.seen = life.bell.rings();
    }

    /// Waits until something has happened since the last call that returned true, or since the subscription. One
    /// thread at a time.
    ///
    /// @return false if nothing happened in time
    public boolean next(Duration timeout) throws InterruptedException {
        waiter = Thread.currentThread();
        try (var _ = counts ? life.clocks.busy() : null) {
            boolean rang = life.bell.await(seen, Deadline.in(timeout), this::takeWake);
            if (rang) {
                seen = life.bell.rings();
            }
            return rang;
        } finally {
            waiter = null;
        }
    }

    /// Makes the [#next] that waits, or else the following one, return true: something happened that only the
    /// subscriber knows of. Any thread.
    public void wake() {
        woken = true;
        LockSupport.unpark(waiter);
    }

    private boolean takeWake() {
        boolean now = woken;
        if (now) {
            woken = false;
        }
        return now;
    }
}
