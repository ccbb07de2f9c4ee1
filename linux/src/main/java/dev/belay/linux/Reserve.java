package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// Descriptors kept in hand. When this process or the machine may open no more, they are given up for as long as it
/// takes to find and end the processes of a session: closing works when nothing else does.
final class Reserve implements AutoCloseable {
    /// A look at the machine takes one at a time, ending a process two; the rest makes it quicker.
    private static final int COUNT = 4;

    /// A turn: one at a time lives on the reserve.
    private final ReentrantLock turn = new ReentrantLock();
    private final Deque<Integer> kept = new ArrayDeque<>();
    private volatile boolean whole;
    private boolean closed;

    Reserve() {
        fill();
    }

    /// Does something that opens descriptors; if that is not to be had, once more with the reserve given up.
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

    /// Takes what is to be had: who comes next tries again.
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
