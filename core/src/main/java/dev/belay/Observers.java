package dev.belay;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/// Delivers events to the observers, one at a time and in order, on a virtual thread that exists only while there is
/// something to deliver. Posting never blocks.
final class Observers {
    private static final int MAX_PENDING = 1 << 16;

    private final List<SessionObserver> observers;
    private final ConcurrentLinkedQueue<Consumer<SessionObserver>> pending = new ConcurrentLinkedQueue<>();
    /// How many events are posted and not delivered.
    private final AtomicInteger count = new AtomicInteger();
    /// Whether there is somebody who delivers: whoever posts starts one if there is not.
    private final AtomicBoolean delivering = new AtomicBoolean();
    private final LongAdder dropped = new LongAdder();

    Observers(List<SessionObserver> observers) {
        this.observers = List.copyOf(observers);
    }

    boolean none() {
        return observers.isEmpty();
    }

    long dropped() {
        return dropped.sum();
    }

    /// Takes an event to be delivered.
    ///
    /// @return false if the event was dropped because too many are pending
    boolean post(Consumer<SessionObserver> event) {
        if (observers.isEmpty()) {
            return true;
        }
        if (count.incrementAndGet() > MAX_PENDING) {
            count.decrementAndGet();
            dropped.increment();
            return false;
        }
        pending.add(event);
        if (delivering.compareAndSet(false, true)) {
            start();
        }
        return true;
    }

    private void start() {
        boolean started = false;
        try {
            Thread.ofVirtual().name("belay-observers").start(this::deliver);
            started = true;
        } finally {
            if (!started) {
                // The next one to post tries again, with this event before its own.
                delivering.set(false);
            }
        }
    }

    private void deliver() {
        do {
            for (Consumer<SessionObserver> event = pending.poll(); event != null; event = pending.poll()) {
                for (SessionObserver observer : observers) {
                    tell(observer, event);
                }
                count.decrementAndGet();
            }
            delivering.set(false);
            // Posted after the last poll, by one who saw that somebody delivers.
        } while (!pending.isEmpty() && delivering.compareAndSet(false, true));
    }

    private static void tell(SessionObserver observer, Consumer<SessionObserver> event) {
        try {
            event.accept(observer);
        } catch (RuntimeException | Error e) {
            Log.LOG.log(System.Logger.Level.WARNING, "an observer failed; the session goes on", e);
        }
    }
}
