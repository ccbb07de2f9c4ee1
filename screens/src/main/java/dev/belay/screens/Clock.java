package dev.belay.screens;

import java.util.concurrent.locks.LockSupport;

/// The time that screens go by: the system's, or one that a test moves.
interface Clock {
    /// A time to measure with, as of [System#nanoTime()].
    long nanos();

    /// Parks the thread until it is unparked or interrupted, or until [#nanos()] has reached a value.
    void parkUntil(Object blocker, long atNanos);

    Clock SYSTEM = new Clock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public void parkUntil(Object blocker, long atNanos) {
            LockSupport.parkNanos(blocker, atNanos - System.nanoTime());
        }
    };
}
