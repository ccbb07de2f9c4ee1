package dev.belay;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Collects what fails while several things are closed. Every step is tried, even if others fail. Safe for any thread.
final class Failures {
    private final Queue<RuntimeException> all = new ConcurrentLinkedQueue<>();

    void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            all.add(e);
        }
    }

    /// Throws one exception that names every failure, if there are any.
    void report() {
        if (all.isEmpty()) {
            return;
        }
        StringBuilder message = new StringBuilder("Not everything could be closed:");
        all.forEach(failure -> message.append(' ').append(failure.getMessage()));
        SessionException together = new SessionException(ErrorCode.INTERNAL, message.toString());
        all.forEach(together::addSuppressed);
        throw together;
    }
}
