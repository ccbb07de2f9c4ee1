package dev.belay;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/// Delivers events to the observers, one at a time and in order, on a virtual thread that exists only while there is
/// something to deliver. Posting never blocks.
final class Observers {
    private static final int MAX_PENDING = 1 << 16;

    private final List<SessionObserver> observers;
    private final ConcurrentLinkedQueue<Consumer<SessionObserver>> pending = new ConcurrentLinkedQueue<>();
    /// How many events are posted and not delivered; the one who posts the first starts the delivery.
    private final AtomicInteger count = new AtomicInteger();
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
        int before = count.getAndUpdate(now -> Math.min(now + 1, MAX_PENDING));
        if (before == MAX_PENDING) {
            dropped.increment();
            return false;
        }
        pending.add(event);
        if (before == 0) {
            Thread.ofVirtual().name("belay-observers").start(this::deliver);
        }
        return true;
    }

    private void deliver() {
        do {
            Consumer<SessionObserver> event = pending.poll();
            while (event == null) {
                // Counted but not yet added by a poster that is between the two steps.
                Thread.onSpinWait();
                event = pending.poll();
            }
            for (SessionObserver observer : observers) {
                tell(observer, event);
            }
        } while (count.decrementAndGet() > 0);
    }

    private static void tell(SessionObserver observer, Consumer<SessionObserver> event) {
        try {
            event.accept(observer);
        } catch (RuntimeException | Error e) {
            Log.LOG.log(System.Logger.Level.WARNING, "an observer failed; the session goes on", e);
        }
    }
}
