package dev.belay;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// What went wrong in steps of closing, each of which is tried whatever became of the others. Threads may share it.
final class Failures {
    private final Queue<RuntimeException> all = new ConcurrentLinkedQueue<>();

    void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            all.add(e);
        }
    }

    /// Throws if there are any: one refusal that tells of each.
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
