package dev.belay.linux;

import dev.belay.Deadline;
import dev.belay.Outlet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// One descriptor of a session: the master of its terminal, or its end of a pipe. The loop reads from it, anybody
/// writes to it.
///
/// Writes go straight to the descriptor on the caller's thread. What it does not take at once, the loop writes as soon
/// as there is room, while the caller waits: there is no queue that could grow.
final class Port implements Loop.Source {
    /// What a read found.
    enum Found {
        BYTES,
        NOTHING,
        CLOSED
    }

    private final Loop loop;
    private final LinuxProcess process;
    private final Outlet outlet;
    private final boolean reads;
    private final Fd fd;
    /// Writers take turns: the bytes of one write stay together.
    private final Semaphore turn = new Semaphore(1, true);

    // Loop only.
    private long id = -1;
    private int interest;
    private boolean paused;
    private @Nullable Write pending;

    /// A write that waits for room. The loop moves it on; the writer waits for `done`.
    private static final class Write {
        final long address;
        final int length;
        final Thread writer = Thread.currentThread();
        int taken;
        boolean broken;
        volatile boolean done;

        Write(long address, int length, int taken) {
            this.address = address;
            this.length = length;
            this.taken = taken;
        }

        void finish() {
            done = true;
            LockSupport.unpark(writer);
        }
    }

    Port(Loop loop, LinuxProcess process, int number, boolean reads, Outlet outlet) {
        this.loop = loop;
        this.process = process;
        this.fd = new Fd(number);
        this.reads = reads;
        this.outlet = outlet;
    }

    boolean reads() {
        return reads;
    }

    boolean open() {
        return !fd.closed();
    }

    /// Uses the descriptor for one call, if it is open; else gives the fallback.
    int with(Libc libc, int fallback, java.util.function.IntUnaryOperator call) {
        return fd.with(libc, fallback, call);
    }

    /// Begins to read. Called by the opener, before anything else happens to the port.
    ///
    /// @return 0, or the negated error number
    int start(Libc libc, Arena arena) {
        if (!reads) {
            return 0;
        }
        id = loop.newId();
        interest = Abi.EPOLLIN;
        return loop.add(libc, arena, id, fd.number(), Abi.EPOLLIN, this);
    }

    // --- on the loop ---

    @Override
    public void ready(int events) {
        if (pending != null && (events & (Abi.EPOLLOUT | Abi.EPOLLERR | Abi.EPOLLHUP)) != 0) {
            writeMore(pending);
        }
        if (reads && (events & (Abi.EPOLLIN | Abi.EPOLLHUP | Abi.EPOLLERR)) != 0 && read() == Found.CLOSED) {
            process.portClosed(this);
        }
    }

    @Override
    public void failed(Throwable cause) {
        process.portClosed(this);
    }

    /// Reads once and passes on what there was.
    Found read() {
        int count = loop.libc.read(fd.number(), loop.buffer, loop.buffer.byteSize());
        if (count > 0) {
            ByteBuffer bytes = loop.bytes.clear().limit(count);
            if (!process.output(bytes, outlet)) {
                paused = true;
                watch();
            }
            return Found.BYTES;
        }
        // EIO on a terminal: every process has closed it. 0 on a pipe: likewise.
        return count == -Errno.EAGAIN || count == -Errno.EINTR ? Found.NOTHING : Found.CLOSED;
    }

    void resume() {
        paused = false;
        watch();
    }

    /// Tells epoll what to wait for now. A descriptor with nothing to wait for is taken out altogether: epoll reports
    /// a hang-up even where nobody asked, again and again.
    private void watch() {
        int wanted = (reads && !paused ? Abi.EPOLLIN : 0) | (pending != null ? Abi.EPOLLOUT : 0);
        if (wanted == interest || fd.closed()) {
            return;
        }
        if (wanted == 0) {
            loop.remove(fd.number(), id);
            id = -1;
        } else if (interest == 0) {
            id = loop.newId();
            loop.add(id, fd.number(), wanted, this);
        } else {
            loop.modify(fd.number(), wanted, id);
        }
        interest = wanted;
    }

    private void writeMore(Write write) {
        int count = loop.libc.write(
                fd.number(), MemorySegment.ofAddress(write.address + write.taken), write.length - write.taken);
        if (count > 0) {
            write.taken += count;
        }
        boolean room = count > 0 || count == -Errno.EAGAIN || count == -Errno.EINTR;
        write.broken = !room;
        if (!room || write.taken == write.length) {
            endPending();
        }
    }

    private void endPending() {
        Write write = pending;
        if (write != null) {
            pending = null;
            watch();
            write.finish();
        }
    }

    void close() {
        if (id >= 0) {
            loop.remove(fd.number(), id);
            id = -1;
            interest = 0;
        }
        fd.close(loop.libc);
        endPending();
    }

    // --- on the writer's thread ---

    /// Writes bytes and waits until they are taken.
    ///
    /// @return how many bytes were taken; -1 if the port is closed and none was
    int write(ByteBuffer bytes, Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.in(timeout);
        if (!turn.tryAcquire(Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS)) {
            return open() ? 0 : -1;
        }
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            int length = bytes.remaining();
            MemorySegment data = arena.allocate(Math.max(1, length));
            data.copyFrom(MemorySegment.ofBuffer(bytes));
            int taken = writeNow(libc, data, length);
            if (taken >= length || taken < 0) {
                return taken;
            }
            Write write = new Write(data.address(), length, taken);
            if (!loop.call(() -> begin(write))) {
                return taken > 0 ? taken : -1;
            }
            try {
                await(write, deadline);
            } finally {
                // The memory goes with the arena: the loop has to let go of it before.
                loop.call(() -> cancel(write));
            }
            return write.taken == 0 && (write.broken || !open()) ? -1 : write.taken;
        } finally {
            turn.release();
        }
    }

    private int writeNow(Libc libc, MemorySegment data, int length) {
        return with(libc, -1, number -> {
            int taken = 0;
            while (taken < length) {
                int count = libc.write(number, data.asSlice(taken), length - taken);
                if (count == -Errno.EAGAIN) {
                    break;
                }
                if (count < 0 && count != -Errno.EINTR) {
                    return taken > 0 ? taken : -1;
                }
                taken += Math.max(0, count);
            }
            return taken;
        });
    }

    private boolean begin(Write write) {
        if (fd.closed()) {
            return false;
        }
        pending = write;
        try {
            watch();
        } catch (RuntimeException e) {
            // Its memory goes with the caller.
            pending = null;
            throw e;
        }
        return true;
    }

    private static void await(Write write, Deadline deadline) throws InterruptedException {
        while (!write.done) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (!deadline.park(write)) {
                return;
            }
        }
    }

    private boolean cancel(Write write) {
        if (pending == write) {
            endPending();
        }
        return true;
    }
}
