package dev.belay;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Runs short tasks on one thread, now or later.
interface Timer extends AutoCloseable {
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

    /// A timer that goes by the system's time. Tasks that come after its close are dropped.
    final class Threaded implements Timer {
        private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("belay-timer").factory());

        Threaded() {
            executor.setRemoveOnCancelPolicy(true);
            executor.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
            executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        }

        @Override
        public void execute(Runnable task) {
            executor.execute(task);
        }

        @Override
        public Future<?> in(long nanos, Runnable task) {
            return executor.schedule(task, nanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public void close() {
            executor.close();
        }
    }
}
