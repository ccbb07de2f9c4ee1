package dev.belay.screens;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// The system's time, which a test can move forward.
final class MovedClock implements Clock {
    private final AtomicLong ahead = new AtomicLong();
    private final Set<Thread> parked = ConcurrentHashMap.newKeySet();

    void pass(Duration duration) {
        ahead.addAndGet(duration.toNanos());
        parked.forEach(LockSupport::unpark);
    }

    @Override
    public long nanos() {
        return System.nanoTime() + ahead.get();
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
}
