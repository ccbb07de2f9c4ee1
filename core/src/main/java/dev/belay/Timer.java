package dev.belay;

import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// Runs short tasks on one thread, now or later.
public interface Timer extends AutoCloseable {
    /// Runs a task as soon as the thread is free.
    void execute(Runnable task);

    /// Runs a task after a delay.
    Future<?> in(long nanos, Runnable task);

    /// Drops the tasks that are not due yet, and waits for the one that runs.
    @Override
    void close();

    static void cancel(@Nullable Future<?> pending) {
        if (pending != null) {
            pending.cancel(false);
        }
    }
}
