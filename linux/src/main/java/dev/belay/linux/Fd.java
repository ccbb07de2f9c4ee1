package dev.belay.linux;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

/// A file descriptor that several threads use. It is closed once its owner has closed it and the last user is done, so
/// that no call ever uses a number that the kernel has given to another file.
final class Fd {
    private final int number;
    private final AtomicInteger users = new AtomicInteger(1);
    private final AtomicBoolean closed = new AtomicBoolean();

    Fd(int number) {
        this.number = number;
    }

    /// The number. For its owner and for users that have acquired it.
    int number() {
        return number;
    }

    /// Keeps the descriptor open until [#release].
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

    /// Makes one call with the descriptor if it is open; otherwise returns the fallback.
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

    /// Closes the descriptor once nobody uses it. A second call does nothing.
    void close(Libc libc) {
        if (closed.compareAndSet(false, true)) {
            release(libc);
        }
    }

    boolean closed() {
        return closed.get();
    }
}
