package dev.belay.server.feed;

import java.util.concurrent.TimeUnit;

/// Wakes threads that wait for something to happen. A waiter notes the count before it looks, and misses nothing.
final class Bell {
    private long rings;

    synchronized long rings() {
        return rings;
    }

    synchronized void ring() {
        rings++;
        notifyAll();
    }

    /// Waits until it has rung since the count was noted, or for a time.
    synchronized void await(long seen, long nanos) throws InterruptedException {
        long until = System.nanoTime() + nanos;
        for (long left = nanos; rings == seen && left > 0; left = until - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }
}
