package dev.belay;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

/// Exited sessions that are still readable: for a limited time, up to a limited number. Runs on the timer's thread.
final class Retention {
    private final Registry registry;
    private final Timer timer;
    /// Oldest first.
    private final ArrayDeque<LiveSession> retained = new ArrayDeque<>();

    Retention(Registry registry, Timer timer) {
        this.registry = registry;
        this.timer = timer;
    }

    /// Keeps a session that has just ended for good.
    void keep(LiveSession live) {
        timer.execute(() -> retain(live));
    }

    /// Keeps a session that could not be forgotten. After a while it counts as retained again.
    void keepOn(LiveSession live) {
        timer.execute(() -> live.retainUntil(in(Registry.RETRY, () -> retain(live))));
    }

    private Future<?> in(Duration delay, Runnable then) {
        return timer.in(Deadline.nanos(delay), then);
    }

    private void retain(LiveSession live) {
        retained.removeIf(other -> other.isClosing() || other.equals(live));
        if (live.isClosing()) {
            return;
        }
        retained.add(live);
        Limits limits = registry.limits();
        live.retainUntil(in(limits.retention(), () -> expel(live)));
        if (retained.size() > limits.maxRetained()) {
            expelOldest(retained.size() - limits.maxRetained() + limits.maxRetained() / 4);
        }
    }

    /// Forgets several at once: closing looks at all processes of the machine, and a shared look is cheaper.
    private void expelOldest(int count) {
        List<LiveSession> oldest = new ArrayList<>();
        while (oldest.size() < count && !retained.isEmpty()) {
            oldest.add(retained.remove());
        }
        registry.forget(oldest);
    }

    private void expel(LiveSession live) {
        retained.remove(live);
        if (!live.isClosing()) {
            registry.forget(List.of(live));
        }
    }
}
