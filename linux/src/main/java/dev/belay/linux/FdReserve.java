package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// A few spare file descriptors. When this process or the machine has no more, they are released for as long as it
/// takes to find and end the processes of a session, so that closing still works.
final class FdReserve implements AutoCloseable {
    /// Looking at processes takes one at a time, ending a process two; the rest makes it faster.
    private static final int COUNT = 4;

    /// A turn: one thread at a time uses the reserve.
    private final ReentrantLock turn = new ReentrantLock();
    private final Deque<Integer> kept = new ArrayDeque<>();
    private volatile boolean whole;
    private boolean closed;

    FdReserve() {
        fill();
    }

    /// Runs a task that opens descriptors. If none are available, releases the reserve and runs it again.
    <T> T with(Supplier<T> task) {
        if (!whole) {
            fill();
        }
        try {
            return task.get();
        } catch (SessionException e) {
            if (e.code() != ErrorCode.UNAVAILABLE) {
                throw e;
            }
        }
        turn.lock();
        try {
            empty();
            return task.get();
        } finally {
            turn.unlock();
            fill();
        }
    }

    private void empty() {
        whole = false;
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            kept.forEach(libc::close);
            kept.clear();
        }
    }

    /// Takes what it can get; the next task tries again.
    private void fill() {
        turn.lock();
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            int fd = 0;
            while (!closed && kept.size() < COUNT && fd >= 0) {
                fd = libc.open(arena.allocateFrom("/dev/null"), Abi.O_RDONLY | Abi.O_CLOEXEC);
                if (fd >= 0) {
                    kept.push(fd);
                }
            }
            whole = closed || kept.size() == COUNT;
        } finally {
            turn.unlock();
        }
    }

    @Override
    public void close() {
        turn.lock();
        try {
            closed = true;
            empty();
            whole = true;
        } finally {
            turn.unlock();
        }
    }
}
