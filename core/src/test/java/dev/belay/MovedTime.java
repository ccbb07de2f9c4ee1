package dev.belay;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;

/// A time that stands still until the test moves it. Its timer runs tasks on a thread of its own, as the real one does.
final class MovedTime implements Time {
    private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("belay-timer").factory());
    private final Set<Thread> parked = ConcurrentHashMap.newKeySet();
    private final List<Task> tasks = new ArrayList<>();
    private long nanos;

    private final class Task extends FutureTask<Void> {
        private final long atNanos;

        Task(long atNanos, Runnable task) {
            super(task, null);
            this.atNanos = atNanos;
        }

        @Override
        protected void done() {
            synchronized (MovedTime.this) {
                tasks.remove(this);
                MovedTime.this.notifyAll();
            }
        }
    }

    // --- what the test does ---

    /// Moves time on. Returns when the timer has run everything that was due on the way.
    void pass(Duration duration) {
        flush();
        long target = nanos() + duration.toNanos();
        for (Optional<Task> next = dueBy(target); next.isPresent(); next = dueBy(target)) {
            moveTo(Math.max(nanos(), next.get().atNanos));
            run(next.get());
        }
        moveTo(target);
    }

    /// Returns when the timer has run everything that is due now.
    void flush() {
        run(new FutureTask<>(() -> null));
    }

    /// How many tasks are waiting for their time.
    synchronized int pending() {
        return tasks.size();
    }

    /// Returns when this many tasks are waiting for their time.
    synchronized void awaitPending(int count) throws InterruptedException {
        while (tasks.size() != count) {
            wait();
        }
    }

    private synchronized Optional<Task> dueBy(long target) {
        return tasks.stream().filter(task -> task.atNanos - target <= 0).min(Comparator.comparingLong(t -> t.atNanos));
    }

    private void moveTo(long target) {
        synchronized (this) {
            nanos = target;
        }
        parked.forEach(LockSupport::unpark);
    }

    private void run(Runnable task) {
        try {
            thread.submit(task).get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (RejectedExecutionException _) {
            // The sessions are closed.
        }
    }

    // --- what sessions ask ---

    @Override
    public Instant now() {
        return BEGINNING.plusNanos(nanos());
    }

    @Override
    public synchronized long nanos() {
        return nanos;
    }

    @Override
    public void parkUntil(Object blocker, long atNanos) {
        parked.add(Thread.currentThread());
        try {
            // Checked after the thread is registered: from here on, moving time unparks it.
            if (atNanos - nanos() > 0) {
                LockSupport.park(blocker);
            }
        } finally {
            parked.remove(Thread.currentThread());
        }
    }

    @Override
    public Timer timer() {
        return new Timer() {
            @Override
            public void execute(Runnable task) {
                try {
                    thread.execute(task);
                } catch (RejectedExecutionException _) {
                    // The real timer drops tasks after its close, too.
                }
            }

            @Override
            public Future<?> in(long delay, Runnable task) {
                synchronized (MovedTime.this) {
                    Task later = new Task(nanos + delay, task);
                    tasks.add(later);
                    MovedTime.this.notifyAll();
                    return later;
                }
            }

            @Override
            public void close() {
                thread.close();
            }
        };
    }
}
