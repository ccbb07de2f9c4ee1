package dev.belay;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Wakes the threads that wait for something to happen, and calls taps.
///
/// Ringing never blocks, and costs a few reads while nobody waits, so the host's loop may ring. A waiter notes the
/// count before it looks, and misses nothing: `await` returns at once if the bell has rung since.
public final class Doorbell {
    /// How many taps get an output itself. Others only hear that there is some: the loop has other sessions to serve.
    private static final int MAX_SERVED = 8;

    private final AtomicLong rings = new AtomicLong();
    private final Set<Thread> waiting = ConcurrentHashMap.newKeySet();
    /// Replaced and never changed.
    private volatile List<OutputTap> taps = List.of();

    /// How often it has rung: to be noted before a look, and given to [#await].
    public long rings() {
        return rings.get();
    }

    /// Wakes everybody who waits. Any thread, and never blocks.
    public void ring() {
        wake();
        for (OutputTap tap : taps) {
            tell(tap);
        }
    }

    /// Rings because of output.
    ///
    /// @param fresh all output since the bell rang last; null if it cannot be handed over
    void ring(long from, byte @Nullable [] fresh) {
        if (fresh == null) {
            ring();
            return;
        }
        wake();
        int served = 0;
        for (OutputTap tap : taps) {
            if (served == MAX_SERVED || !took(tap, from, fresh)) {
                tell(tap);
            } else {
                served++;
            }
        }
    }

    private void wake() {
        rings.incrementAndGet();
        // No check for empty first: it sums counters, and could count a waiter that leaves but not its arrival.
        waiting.forEach(LockSupport::unpark);
    }

    private static boolean took(OutputTap tap, long from, byte[] fresh) {
        try {
            return tap.output(from, fresh);
        } catch (RuntimeException | Error e) {
            Log.LOG.log(System.Logger.Level.WARNING, "a tap failed; its session is not affected", e);
            return false;
        }
    }

    private static void tell(OutputTap tap) {
        try {
            tap.rang();
        } catch (RuntimeException | Error e) {
            Log.LOG.log(System.Logger.Level.WARNING, "a tap failed; its session is not affected", e);
        }
    }

    // --- taps ---

    boolean tapped() {
        return !taps.isEmpty();
    }

    synchronized void add(OutputTap tap) {
        List<OutputTap> more = new ArrayList<>(taps);
        more.add(tap);
        taps = List.copyOf(more);
    }

    synchronized void remove(OutputTap tap) {
        taps = taps.stream().filter(other -> !other.equals(tap)).toList();
    }

    // --- waiting ---

    /// Waits until the bell has rung after `seen` was noted, or until the deadline.
    ///
    /// @return whether it rang
    public boolean await(long seen, Deadline deadline) throws InterruptedException {
        return await(seen, deadline, () -> false);
    }

    /// As [#await(long, Deadline)], or until a condition of the waiter's own is true. The thread that makes it true has
    /// to unpark the waiter.
    boolean await(long seen, Deadline deadline, BooleanSupplier condition) throws InterruptedException {
        if (rings.get() != seen || condition.getAsBoolean()) {
            return true;
        }
        Thread me = Thread.currentThread();
        waiting.add(me);
        try {
            while (rings.get() == seen && !condition.getAsBoolean()) {
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
