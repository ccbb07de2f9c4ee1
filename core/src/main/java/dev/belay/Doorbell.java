package dev.belay;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Wakes those who wait for something to happen in a session.
///
/// Ringing never blocks and costs a few reads while nobody waits, so the host's loop may ring. A waiter that noted
/// the count before it looked at the session misses nothing: `await` returns at once if the bell rang since.
final class Doorbell {
    private final AtomicLong rings = new AtomicLong();
    private final Set<Thread> waiting = ConcurrentHashMap.newKeySet();

    long rings() {
        return rings.get();
    }

    void ring() {
        rings.incrementAndGet();
        // Not asked whether it is empty first: that sums counters, and may see a leaving waiter's minus without its plus.
        waiting.forEach(LockSupport::unpark);
    }

    /// Waits until the bell has rung after `seen` was noted, or until the deadline.
    ///
    /// @return whether it rang
    boolean await(long seen, Deadline deadline) throws InterruptedException {
        return await(seen, deadline, () -> false);
    }

    /// As [#await(long, Deadline)], or until a reason of the waiter's own holds; whoever makes it hold unparks the waiter.
    boolean await(long seen, Deadline deadline, BooleanSupplier reason) throws InterruptedException {
        if (rings.get() != seen || reason.getAsBoolean()) {
            return true;
        }
        Thread me = Thread.currentThread();
        waiting.add(me);
        try {
            while (rings.get() == seen && !reason.getAsBoolean()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                if (!deadline.park(this)) {
                    return rings.get() != seen;
                }
            }
            return true;
        } finally {
            waiting.remove(me);
        }
    }
}
