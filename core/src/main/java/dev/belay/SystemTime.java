package dev.belay;

import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The time of the system.
final class SystemTime implements Time {
    static final SystemTime INSTANCE = new SystemTime();

    private SystemTime() {}

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public void parkUntil(Object blocker, long atNanos) {
        LockSupport.parkNanos(blocker, atNanos - System.nanoTime());
    }

    @Override
    public Timer timer() {
        return new ThreadTimer();
    }

    /// Tasks that come after its close are dropped.
    private static final class ThreadTimer implements Timer {
        private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("belay-timer").factory());

        ThreadTimer() {
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
