package dev.belay;

import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/// The time of the system.
final class SystemTime implements Time {
    static final SystemTime INSTANCE = new SystemTime();

    private SystemTime() {}

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public void parkUntil(Object blocker, long atNanos) {
        LockSupport.parkNanos(blocker, atNanos - System.nanoTime());
    }

    @Override
    public Timer timer() {
        return new Timer.Threaded();
    }
}
