package dev.belay.server.terminal;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// Input of one client for one session on its way: in order, and without holding up what the client sends to others.
///
/// A virtual thread runs the tasks while there are some. Its monitor guards the queue only.
final class Lane {
    /// What may wait; whoever adds more waits until there is room.
    private static final int ROOM_BYTES = 64 << 10;

    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private long bytes;
    private boolean running;

    /// Runs a task after those that were added before. Waits while too much is waiting.
    ///
    /// @param size the memory that the task holds
    void add(int size, Runnable task) throws InterruptedException {
        synchronized (this) {
            while (bytes > ROOM_BYTES) {
                wait();
            }
            bytes += size;
            tasks.add(() -> {
                try {
                    task.run();
                } finally {
                    done(size);
                }
            });
            if (running) {
                return;
            }
            running = true;
        }
        Thread.ofVirtual().name("belay-input").start(this::run);
    }

    private synchronized void done(int size) {
        bytes -= size;
        notifyAll();
    }

    private synchronized @Nullable Runnable next() {
        Runnable task = tasks.poll();
        running = task != null;
        return task;
    }

    private void run() {
        for (Runnable task = next(); task != null; task = next()) {
            task.run();
        }
    }
}
