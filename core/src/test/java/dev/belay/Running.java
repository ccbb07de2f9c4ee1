package dev.belay;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A task that a test runs in parallel.
final class Running<T> {
    private final FutureTask<T> task;
    final Thread thread;

    private Running(Callable<T> call) {
        task = new FutureTask<>(call);
        thread = Thread.ofPlatform().daemon().name("test-runner").start(task);
    }

    static <T> Running<T> start(Callable<T> call) {
        return new Running<>(call);
    }

    /// Returns when the thread waits for something.
    Running<T> parked() {
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.getState() != Thread.State.WAITING) {
            if (!thread.isAlive()) {
                throw new AssertionError("it ended instead of waiting");
            }
            Thread.onSpinWait();
        }
        return this;
    }

    void interrupt() {
        thread.interrupt();
    }

    T result() throws Exception {
        try {
            return task.get(50, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case Exception cause -> throw cause;
                case Error cause -> throw cause;
                default -> throw e;
            }
        } catch (TimeoutException e) {
            AssertionError stuck = new AssertionError("it did not end; it is at the suppressed trace");
            Throwable where = new Throwable(thread.getState().toString());
            where.setStackTrace(thread.getStackTrace());
            stuck.addSuppressed(where);
            throw stuck;
        }
    }
}
