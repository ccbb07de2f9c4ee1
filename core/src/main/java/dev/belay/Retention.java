package dev.belay;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// Exited sessions that are still readable: for a time, and so many at most. Lives on the timer's thread.
final class Retention {
    private final Registry registry;
    private final ScheduledExecutorService timer;
    /// Oldest first.
    private final ArrayDeque<Life> retained = new ArrayDeque<>();

    Retention(Registry registry, ScheduledExecutorService timer) {
        this.registry = registry;
        this.timer = timer;
    }

    /// Keeps a session from now on, which has ended for good.
    void keep(Life life) {
        timer.execute(() -> retain(life));
    }

    /// Keeps a session that should have been forgotten, which failed: after a while it is one of those that are kept.
    void keepOn(Life life) {
        life.retainUntil(in(Registry.RETRY, () -> retain(life)));
    }

    private Future<?> in(Duration delay, Runnable then) {
        return timer.schedule(then, Deadline.nanos(delay), TimeUnit.NANOSECONDS);
    }

    private void retain(Life life) {
        retained.removeIf(other -> other.isClosing() || other.equals(life));
        if (life.isClosing()) {
            return;
        }
        retained.add(life);
        Limits limits = registry.limits();
        life.retainUntil(in(limits.retention(), () -> expel(life)));
        if (retained.size() > limits.maxRetained()) {
            expelOldest(retained.size() - limits.maxRetained() + limits.maxRetained() / 4);
        }
    }

    /// Forgets some at once: closing looks at all processes of the machine, and those who close together share a look.
    private void expelOldest(int count) {
        List<Life> oldest = new ArrayList<>();
        while (oldest.size() < count && !retained.isEmpty()) {
            oldest.add(retained.remove());
        }
        registry.forget(oldest);
    }

    private void expel(Life life) {
        retained.remove(life);
        if (!life.isClosing()) {
            registry.forget(List.of(life));
        }
    }
}
