package dev.belay.linux;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

/// A file descriptor that several threads use: it is closed when its owner has closed it and the last user is done,
/// so that no call ever meets a number that was given to another file.
final class Fd {
    private final int number;
    private final AtomicInteger users = new AtomicInteger(1);
    private final AtomicBoolean closed = new AtomicBoolean();

    Fd(int number) {
        this.number = number;
    }

    /// The number, for its owner and for those who have acquired it.
    int number() {
        return number;
    }

    /// Makes sure that the descriptor stays open until [#release].
    ///
    /// @return false if it is closed
    boolean acquire() {
        int now = users.get();
        while (now > 0 && !closed.get()) {
            if (users.compareAndSet(now, now + 1)) {
                return true;
            }
            now = users.get();
        }
        return false;
    }

    void release(Libc libc) {
        if (users.decrementAndGet() == 0) {
            libc.close(number);
        }
    }

    /// Uses the descriptor for one call, if it is open; else gives the fallback.
    int with(Libc libc, int fallback, IntUnaryOperator call) {
        if (!acquire()) {
            return fallback;
        }
        try {
            return call.applyAsInt(number);
        } finally {
            release(libc);
        }
    }

    /// Closes the descriptor once nobody uses it; does nothing the second time.
    void close(Libc libc) {
        if (closed.compareAndSet(false, true)) {
            release(libc);
        }
    }

    boolean closed() {
        return closed.get();
    }
}
