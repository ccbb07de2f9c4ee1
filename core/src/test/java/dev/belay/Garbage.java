package dev.belay;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Waits for something that only the garbage collector can do.
final class Garbage {
    private Garbage() {}

    /// Runs the collector until the latch is open. Fails after many tries.
    static void collectUntil(CountDownLatch found) throws InterruptedException {
        for (int tries = 0; tries < 200; tries++) {
            System.gc();
            if (found.await(100, TimeUnit.MILLISECONDS)) {
                return;
            }
        }
        throw new AssertionError("the garbage collector did not find it");
    }
}
