package dev.belay;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The clocks that end a session: how long it may take, and how long nothing may happen in it.
final class Clocks {
    private final ScheduledExecutorService timer;
    private final @Nullable Duration time;
    private final @Nullable Duration idle;
    private final Consumer<EndReason> expire;
    private final AtomicInteger busy = new AtomicInteger();
    private volatile long lastActivityNanos = System.nanoTime();
    private volatile @Nullable Future<?> timeout;
    private volatile @Nullable Future<?> idleTimeout;
    private volatile boolean stopped;

    /// @param time   how long the session may take
    /// @param idle   how long nothing may happen; limits that change later leave it as it is
    /// @param expire called on the timer's thread
    Clocks(ScheduledExecutorService timer, @Nullable Duration time, @Nullable Duration idle,
            Consumer<EndReason> expire) {
        this.timer = timer;
        this.time = time;
        this.idle = idle;
        this.expire = expire;
    }

    /// Starts them. They may have been stopped already.
    void start() {
        if (time != null) {
            expireIn(time, EndReason.TIMEOUT);
        }
        if (idle != null) {
            lookIdleIn(Deadline.nanos(idle));
        }
    }

    /// Lets the session expire once more, after a while: it did not end.
    void again(EndReason why) {
        cancel(timeout);
        expireIn(Registry.RETRY, why);
    }

    void stop() {
        stopped = true;
        cancelIfStopped();
    }

    private void cancelIfStopped() {
        if (stopped) {
            cancel(timeout);
            cancel(idleTimeout);
        }
    }

    static void cancel(@Nullable Future<?> clock) {
        if (clock != null) {
            clock.cancel(false);
        }
    }

    private Future<?> in(long nanos, Runnable then) {
        return timer.schedule(then, nanos, TimeUnit.NANOSECONDS);
    }

    private void expireIn(Duration delay, EndReason why) {
        timeout = in(Deadline.nanos(delay), () -> expire.accept(why));
        cancelIfStopped();
    }

    private void lookIdleIn(long nanos) {
        idleTimeout = in(nanos, this::lookIdle);
        cancelIfStopped();
    }

    /// One timer, set again for what is left of the quiet time, rather than one per byte.
    private void lookIdle() {
        if (idle == null || stopped) {
            return;
        }
        if (busy.get() > 0) {
            lookIdleIn(Deadline.nanos(idle));
            return;
        }
        // After the look at busy: whoever has just stopped being busy left its time here first.
        long quiet = System.nanoTime() - lastActivityNanos;
        if (quiet < Deadline.nanos(idle)) {
            lookIdleIn(Deadline.nanos(idle) - quiet);
        } else {
            expire.accept(EndReason.IDLE_TIMEOUT);
        }
    }

    // --- what happens ---

    void touch() {
        touch(System.nanoTime());
    }

    void touch(long now) {
        lastActivityNanos = now;
    }

    long lastActivityNanos() {
        return lastActivityNanos;
    }

    /// Counts as activity until it is closed.
    Busy busy() {
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
