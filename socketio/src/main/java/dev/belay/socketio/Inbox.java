package dev.belay.socketio;

import java.util.ArrayDeque;
import java.util.Deque;

/// Runs tasks one after the other, in the order they came, on a virtual thread that lives while there are some.
final class Inbox {
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
                // A handler's mistake must neither end the events that follow nor go unnoticed.
                Log.LOG.log(System.Logger.Level.WARNING, "a handler failed", e);
            }
        }
    }
}
