package dev.belay;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The clocks that end a session: one for how long it may last, one for how long nothing may happen in it.
final class Clocks {
    private final Time time;
    private final Timer timer;
    private final @Nullable Duration lifetime;
    private final @Nullable Duration idle;
    private final Consumer<EndReason> expire;
    private final AtomicInteger busy = new AtomicInteger();
    private volatile long lastActivityNanos;
    private volatile @Nullable Future<?> timeout;
    private volatile @Nullable Future<?> idleTimeout;
    private volatile boolean stopped;

    /// @param lifetime how long the session may last, or null
    /// @param idle     how long nothing may happen, or null; limits that change later do not change it
    /// @param expire   called on the timer's thread
    Clocks(Time time, Timer timer, @Nullable Duration lifetime, @Nullable Duration idle, Consumer<EndReason> expire) {
        this.time = time;
        this.timer = timer;
        this.lifetime = lifetime;
        this.lastActivityNanos = time.nanos();
        this.idle = idle;
        this.expire = expire;
    }

    /// Starts them. They may have been stopped already.
    void start() {
        if (lifetime != null) {
            expireIn(lifetime, EndReason.TIMEOUT);
        }
        if (idle != null) {
            lookIdleIn(Deadline.nanos(idle));
        }
    }

    /// Lets the session expire again after a while, because it did not end.
    void again(EndReason why) {
        Timer.cancel(timeout);
        expireIn(Registry.RETRY, why);
    }

    /// The session is in use although nothing has happened in it.
    void goOn() {
        touch();
        if (idle != null) {
            lookIdleIn(Deadline.nanos(idle));
        }
    }

    void stop() {
        stopped = true;
        cancelIfStopped();
    }

    private void cancelIfStopped() {
        if (stopped) {
            Timer.cancel(timeout);
            Timer.cancel(idleTimeout);
        }
    }

    private void expireIn(Duration delay, EndReason why) {
        timeout = timer.in(Deadline.nanos(delay), () -> expire.accept(why));
        cancelIfStopped();
    }

    private void lookIdleIn(long nanos) {
        idleTimeout = timer.in(nanos, this::lookIdle);
        cancelIfStopped();
    }

    /// Uses one timer, set again for the rest of the quiet time, rather than one per byte.
    private void lookIdle() {
        if (idle == null || stopped) {
            return;
        }
        if (busy.get() > 0) {
            lookIdleIn(Deadline.nanos(idle));
            return;
        }
        // Read after busy: a thread that stops being busy writes this time first.
        long quiet = time.nanos() - lastActivityNanos;
        if (quiet < Deadline.nanos(idle)) {
            lookIdleIn(Deadline.nanos(idle) - quiet);
        } else {
            expire.accept(EndReason.IDLE_TIMEOUT);
        }
    }

    // --- what happens ---

    void touch() {
        touch(time.nanos());
    }

    void touch(long now) {
        lastActivityNanos = now;
    }

    long lastActivityNanos() {
        return lastActivityNanos;
    }

    /// The actor looks at the session. This counts unless they only watch.
    void touch(Actor actor) {
        if (!actor.watches()) {
            touch();
        }
    }

    /// Counts as activity until it is closed, unless the actor only watches.
    Busy busy(Actor actor) {
        return actor.watches() ? () -> {} : busy();
    }

    private Busy busy() {
        busy.incrementAndGet();
        return () -> {
            touch();
            busy.decrementAndGet();
        };
    }

    /// Something that goes on in a session, such as a wait.
    interface Busy extends AutoCloseable {
        @Override
        void close();
    }
}
