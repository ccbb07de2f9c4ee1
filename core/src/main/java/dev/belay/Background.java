package dev.belay;

import dev.belay.host.Uninterrupted;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Work that may take a while and so runs on neither the timer nor the loop: ending and forgetting sessions.
final class Background {
    private final Set<Thread> running = ConcurrentHashMap.newKeySet();

    /// Starts a task that [#join] waits for.
    ///
    /// @param what what it does, as in "could not ..."
    void run(String what, Runnable task) {
        Thread thread = thread(what, () -> {
            try {
                task.run();
            } finally {
                running.remove(Thread.currentThread());
            }
        });
        running.add(thread);
        thread.start();
    }

    /// Waits for all tasks that run now.
    void join() {
        join(running);
    }

    /// A task that nobody waits for. If it fails, the failure is logged.
    static Thread thread(String what, Runnable task) {
        return Thread.ofVirtual().name("belay " + what).unstarted(() -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                Log.LOG.log(System.Logger.Level.WARNING, "could not " + what, e);
            }
        });
    }

    static void join(Collection<Thread> threads) {
        threads.forEach(thread -> Uninterrupted.run(thread::join));
    }
}
