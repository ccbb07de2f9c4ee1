package dev.belay;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/// How many sessions may be open at once: a count that only [Permit]s change, so it cannot drift.
///
/// Safe for any thread; never blocks.
public final class Permits {
    private volatile int limit;
    private final AtomicInteger used = new AtomicInteger();
    private final Consumer<String> leaked;

    public Permits(int limit) {
        this(limit, _ -> {});
    }

    /// @param leaked called, on the cleaner's thread, for a permit that was dropped without being closed
    public Permits(int limit, Consumer<String> leaked) {
        this.limit = limit;
        this.leaked = leaked;
    }

    public int limit() {
        return limit;
    }

    /// Changes how many there may be. Permits that are out stay out, even if there are more than that.
    void limit(int value) {
        limit = value;
    }

    /// How many permits are out now.
    public int used() {
        return used.get();
    }

    /// Takes a permit, or throws `LIMIT_REACHED`.
    public Permit acquire() {
        int now = used.get();
        int most = limit;
        while (now < most) {
            int seen = used.compareAndExchange(now, now + 1);
            if (seen == now) {
                return counted();
            }
            now = seen;
        }
        throw new SessionException(
                ErrorCode.LIMIT_REACHED,
                "Maximum PTY sessions reached (" + now + " of " + most
                        + "): close a session you no longer need, or wait until one has exited, then try again.");
    }

    private Permit counted() {
        boolean done = false;
        try {
            Permit permit = new Permit(used, leaked);
            done = true;
            return permit;
        } finally {
            if (!done) {
                used.decrementAndGet();
            }
        }
    }
}
