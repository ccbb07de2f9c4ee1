package dev.belay;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A subscription to what happens in a session: output, exit, a resize, the keyboard changing hands.
///
/// It costs nothing between calls and misses nothing: the next [#next] reports everything that happened since the
/// last one, all at once.
public final class Activity {
    private final LiveSession live;
    private final @Nullable Actor counts;
    private volatile boolean woken;
    private volatile @Nullable Thread waiter;
    private long seen;

    /// @param counts the actor whose wait keeps the session from being idle, unless they only watch; null for none
    Activity(LiveSession live, @Nullable Actor counts) {
        this.live = live;
        this.counts = counts;
        this.seen = live.bell.rings();
    }

    /// Waits until something has happened since the last call that returned true, or since the subscription. Only one
    /// thread may wait at a time.
    ///
    /// @return false if nothing happened in time
    public boolean next(Duration timeout) throws InterruptedException {
        waiter = Thread.currentThread();
        try (var _ = counts == null ? null : live.clocks.busy(counts)) {
            boolean rang = live.bell.await(seen, live.in(timeout), this::takeWake);
            if (rang) {
                seen = live.bell.rings();
            }
            return rang;
        } finally {
            waiter = null;
        }
    }

    /// Makes the current or the following [#next] return true, for events that only the subscriber knows of. Any
    /// thread may call it.
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
