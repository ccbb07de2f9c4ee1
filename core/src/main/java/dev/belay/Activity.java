package dev.belay;

import java.time.Duration;

/// A subscription to what happens in a session: output, exit, a resize, the keyboard changing hands.
///
/// It costs nothing while nobody asks it, and misses nothing: what happened since the last [#next] is reported by
/// the following one, however many things it was.
public final class Activity {
    private final Life life;
    private long seen;

    Activity(Life life) {
        this.life = life;
        this.seen = life.bell.rings();
    }

    /// Waits until something has happened since the last call that returned true, or since the subscription.
    ///
    /// @return false if nothing happened in time
    public boolean next(Duration timeout) throws InterruptedException {
        boolean rang = life.bell.await(seen, Deadline.in(timeout));
        if (rang) {
            seen = life.bell.rings();
        }
        return rang;
    }
}
