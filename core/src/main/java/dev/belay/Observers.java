package dev.belay;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
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
    /// How many events are posted but not delivered yet.
    private final AtomicInteger count = new AtomicInteger();
    /// Whether a thread delivers now. If none does, posting an event starts one.
    private final AtomicBoolean delivering = new AtomicBoolean();
    private final LongAdder dropped = new LongAdder();

    Observers(List<SessionObserver> observers) {
        this.observers = new CopyOnWriteArrayList<>(observers);
    }

    void add(SessionObserver observer) {
        observers.add(observer);
    }

    void remove(SessionObserver observer) {
        observers.remove(observer);
    }

    boolean none() {
        return observers.isEmpty();
    }

    long dropped() {
        return dropped.sum();
    }

    /// Queues an event for delivery.
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
                // The next post tries again, and this event is delivered before that one.
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
            // An event may have been posted after the last poll, by a thread that saw this one deliver.
        } while (!pending.isEmpty() && delivering.compareAndSet(false, true));
    }

    private static void tell(SessionObserver observer, Consumer<SessionObserver> event) {
        try {
            event.accept(observer);
        } catch (RuntimeException | Error e) {
            Log.LOG.log(System.Logger.Level.WARNING, "an observer failed; its session is not affected", e);
        }
    }
}
