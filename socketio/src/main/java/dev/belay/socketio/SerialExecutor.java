package dev.belay.socketio;

import java.util.ArrayDeque;
import java.util.Deque;

/// Runs tasks in order, one at a time, on a virtual thread that lives while there are any.
final class SerialExecutor {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private boolean running;

    void add(Runnable task) {
        boolean start;
        synchronized (tasks) {
            tasks.add(task);
            start = !running;
            running = true;
        }
        if (start) {
            Thread.ofVirtual().name("belay-socket").start(this::run);
        }
    }

    /// Runs a task on the caller's thread, if no other runs or waits. Those that are added meanwhile run afterwards.
    ///
    /// @return false if the task was not run
    boolean runNow(Runnable task) {
        synchronized (tasks) {
            if (running) {
                return false;
            }
            running = true;
        }
        try {
            task.run();
        } finally {
            boolean more;
            synchronized (tasks) {
                more = !tasks.isEmpty();
                running = more;
            }
            if (more) {
                Thread.ofVirtual().name("belay-socket").start(this::run);
            }
        }
        return true;
    }

    private void run() {
        while (true) {
            Runnable task;
            synchronized (tasks) {
                task = tasks.poll();
                if (task == null) {
                    running = false;
                    return;
                }
            }
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                // A failing handler must not stop later events.
                Log.LOG.log(System.Logger.Level.WARNING, "event handler failed", e);
            }
        }
    }
}
