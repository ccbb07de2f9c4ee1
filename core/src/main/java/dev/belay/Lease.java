package dev.belay;

import java.time.Duration;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// The keyboard of a session in somebody's hands. While they hold it, nobody else's writes reach the process.
///
/// It ends when it is given back, when its time is up, when its holder has been away for 30 seconds, when an admin
/// takes the keyboard, or when the session exits.
public final class Lease implements AutoCloseable {
    /// How long a holder may be away.
    public static final Duration ABSENCE = Duration.ofSeconds(30);

    private final Keyboard keyboard;
    private final String holder;
    private final Timer timer;
    private @Nullable Future<?> expiry;
    private @Nullable Future<?> absence;

    Lease(Keyboard keyboard, String holder, Timer timer) {
        this.keyboard = keyboard;
        this.holder = holder;
        this.timer = timer;
    }

    public String holder() {
        return holder;
    }

    /// Whether the keyboard is still in the holder's hands.
    public boolean held() {
        return keyboard.isCurrent(this);
    }

    /// Gives the keyboard back. Does nothing if the lease has ended.
    public void giveBack() {
        keyboard.end(this);
    }

    /// The holder is gone, for instance because a connection broke. The lease ends in 30 seconds unless [#back()] is
    /// called before.
    public void away() {
        away(ABSENCE);
    }

    void away(Duration patience) {
        synchronized (this) {
            Timer.cancel(absence);
            absence = schedule(patience);
        }
    }

    /// The holder is back.
    public void back() {
        synchronized (this) {
            Timer.cancel(absence);
            absence = null;
        }
    }

    @Override
    public void close() {
        giveBack();
    }

    void expireIn(@Nullable Duration timeout) {
        if (timeout != null) {
            synchronized (this) {
                expiry = schedule(timeout);
            }
        }
    }

    void cancelTimers() {
        synchronized (this) {
            Timer.cancel(expiry);
            Timer.cancel(absence);
        }
    }

    private Future<?> schedule(Duration delay) {
        return timer.in(Deadline.nanos(delay), this::giveBack);
    }
}
