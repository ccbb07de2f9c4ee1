package dev.belay.testkit;

import dev.belay.Time;
import dev.belay.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// The system's time, which a test can move forward.
public final class MovedClock implements Time {
    private static final Time SYSTEM = Time.system();

    private final AtomicLong ahead = new AtomicLong();
    private final Set<Thread> parked = ConcurrentHashMap.newKeySet();

    /// Moves the time on, and wakes everybody who waits for it.
    public void pass(Duration duration) {
        ahead.addAndGet(duration.toNanos());
        parked.forEach(LockSupport::unpark);
    }

    @Override
    public Instant now() {
        return SYSTEM.now().plusNanos(ahead.get());
    }

    @Override
    public long nanos() {
        return SYSTEM.nanos() + ahead.get();
    }

    @Override
    public void parkUntil(Object blocker, long atNanos) {
        parked.add(Thread.currentThread());
        try {
            // If the time is moved before this line, it is moved on for the next look as well.
            LockSupport.parkNanos(blocker, atNanos - nanos());
        } finally {
            parked.remove(Thread.currentThread());
        }
    }

    /// The system's timer: what it runs later is not moved.
    @Override
    public Timer timer() {
        return SYSTEM.timer();
    }
}
