package dev.belay.agent;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

/// One call at a time per session, in the order they came; calls on different sessions do not meet. Nothing is kept of
/// a session that nobody calls.
final class Turns {
    private final ConcurrentMap<String, Turn> turns = new ConcurrentHashMap<>();

    /// Waits for the turn of a call on a session.
    Turn take(String id) throws InterruptedException {
        Turn turn = turns.compute(id, (_, waiting) -> (waiting == null ? new Turn(id) : waiting).joined());
        try {
            turn.lock.lockInterruptibly();
        } catch (InterruptedException e) {
            turn.left();
            throw e;
        }
        return turn;
    }

    /// How many sessions somebody calls, or waits to call.
    int size() {
        return turns.size();
    }

    /// A turn of a session, and those who wait for it.
    final class Turn implements AutoCloseable {
        private final String id;
        private final ReentrantLock lock = new ReentrantLock(true);
        private int callers;

        private Turn(String id) {
            this.id = id;
        }

        private Turn joined() {
            callers++;
            return this;
        }

        private void left() {
            turns.compute(id, (_, turn) -> --callers == 0 ? null : turn);
        }

        @Override
        public void close() {
            lock.unlock();
            left();
        }
    }
}
