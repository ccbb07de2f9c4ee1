package dev.belay.agent;

import dev.belay.Cut;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/// Lets one call at a time use a session, in the order they came; a call that types ends the waits before it. Keys are
/// `OWNER/ID`, so that one set of turns can serve every agent of a server. Nothing is kept for a session that no call
/// uses.
public final class CallTurns {
    private final ConcurrentMap<String, Turn> turns = new ConcurrentHashMap<>();

    /// Waits for a call's turn on a session.
    Turn take(String id) throws InterruptedException {
        return take(id, false);
    }

    /// Waits for the turn of a call that types. Calls that wait for output make way: they return with what they have.
    Turn takeToType(String id) throws InterruptedException {
        return take(id, true);
    }

    private Turn take(String id, boolean types) throws InterruptedException {
        Turn turn = turns.compute(id, (_, waiting) -> (waiting == null ? new Turn(id) : waiting).joined());
        if (types) {
            turn.typists.incrementAndGet();
            turn.cut.make();
        }
        try {
            turn.lock.lockInterruptibly();
        } catch (InterruptedException e) {
            turn.left();
            throw e;
        } finally {
            if (types) {
                turn.typists.decrementAndGet();
            }
        }
        return turn;
    }

    /// How many sessions have a call in progress or waiting.
    int size() {
        return turns.size();
    }

    /// A session's turn, and the calls waiting for it.
    final class Turn implements AutoCloseable {
        private final String id;
        private final ReentrantLock lock = new ReentrantLock(true);
        private final AtomicInteger typists = new AtomicInteger();
        private volatile Cut cut = new Cut();
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

        /// What ends the wait of the call whose turn it is as soon as another call wants to type.
        Cut cut() {
            Cut mine = new Cut();
            cut = mine;
            if (typists.get() > 0) {
                mine.make();
            }
            return mine;
        }

        @Override
        public void close() {
            lock.unlock();
            left();
        }
    }
}
