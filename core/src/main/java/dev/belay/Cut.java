package dev.belay;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/// Ends a wait from outside, once and for all: [Until#orCut]. Safe for any thread.
public final class Cut {
    private final Set<Thread> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean made;

    /// Ends the waits that use it, and those that begin later.
    public void make() {
        made = true;
        waiting.forEach(LockSupport::unpark);
    }

    boolean made() {
        return made;
    }

    /// The thread will be unparked when the cut is made. It has to look at [#made()] afterwards.
    void joins(Thread thread) {
        waiting.add(thread);
    }

    void leaves(Thread thread) {
        waiting.remove(thread);
    }
}
