package dev.belay;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/// One place among the sessions that may be open at once. It is given back exactly once, however often it is closed.
///
/// If a permit is dropped without being closed, the garbage collector finds it; it is given back and reported.
public final class Permit implements AutoCloseable {
    static final Cleaner CLEANER = Cleaner.create();

    private final Held held;
    private final Cleaner.Cleanable cleanable;

    Permit(AtomicInteger used, Consumer<String> leaked) {
        held = new Held(used, leaked);
        cleanable = CLEANER.register(this, held::dropped);
    }

    /// Gives the place back. Does nothing the second time.
    @Override
    public void close() {
        if (held.release()) {
            cleanable.clean();
        }
    }

    /// What the cleaner holds. It must not refer to the permit.
    private record Held(AtomicInteger used, Consumer<String> leaked, AtomicBoolean released) {
        Held(AtomicInteger used, Consumer<String> leaked) {
            this(used, leaked, new AtomicBoolean());
        }

        boolean release() {
            boolean first = released.compareAndSet(false, true);
            if (first) {
                used.decrementAndGet();
            }
            return first;
        }

        void dropped() {
            if (release()) {
                leaked.accept("a permit was dropped without being closed; it has been given back");
            }
        }
    }
}
