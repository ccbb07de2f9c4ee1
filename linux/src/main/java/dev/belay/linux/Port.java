package dev.belay.linux;

import dev.belay.Deadline;
import dev.belay.ErrorCode;
import dev.belay.Outlet;
import dev.belay.SessionException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/// One descriptor of a session: the master of its terminal, or its end of a pipe. The loop reads from it, anybody
/// writes to it.
///
/// Writes go straight to the descriptor on the caller's thread. What it does not take at once, the loop writes as soon
/// as there is room, while the caller waits: there is no queue that could grow.
final class Port implements Loop.Source {
    /// What a read found.
    private enum Found {
        BYTES,
        NOTHING,
        /// Perhaps something, for which there is no memory now.
        LATER,
        CLOSED
    }

    /// How often [#catchUp] reads at the most: what fits into a terminal, or a pipe.
    private static final int CATCH_UP_READS = 16;
    /// A terminal holds less than this, whatever it says to be unread; a pipe says it exactly.
    private static final int DRAIN_BYTES = 1 << 20;

    private final Loop loop;
    private final LinuxProcess process;
    private final Outlet outlet;
    private final boolean reads;
    private final Fd fd;
    /// Writers take turns: the bytes of one write stay together.
    private final Semaphore turn = new Semaphore(1, true);
    /// Held from the question whether a write is allowed until what the descriptor takes at once is written.
    private final Lock writing = new ReentrantLock();

    // Loop only.
    private long id = -1;
    private int interest;
    private boolean paused;
    private long drainLeft;
    private @Nullable Write pending;

    /// A write that waits for room. The loop moves it on; the writer waits for `done`.
    private static final class Write {
        final long address;
        final int length;
        final BooleanSupplier allowed;
        final Thread writer = Thread.currentThread();
        int taken;
        /// The error number that ended it, or 0.
        int failure;
        volatile boolean done;

        Write(long address, int length, int taken, BooleanSupplier allowed) {
            this.address = address;
            this.length = length;
            this.taken = taken;
            this.allowed = allowed;
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
    int with(Libc libc, int fallback, IntUnaryOperator call) {
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
        if (reads && !paused && (events & (Abi.EPOLLIN | Abi.EPOLLHUP | Abi.EPOLLERR)) != 0 && read() == Found.CLOSED) {
            process.portClosed(this);
        }
    }

    @Override
    public void failed(Throwable cause) {
        process.portClosed(this);
    }

    /// Reads once and passes on what there was.
    private Found read() {
        int count = loop.libc.read(fd.number(), loop.buffer, loop.buffer.byteSize());
        if (count > 0) {
            drainLeft -= count;
            ByteBuffer bytes = loop.bytes.clear().limit(count);
            if (!process.output(bytes, outlet)) {
                paused = true;
                mustWatch();
            }
            return Found.BYTES;
        }
        return switch (-count) {
            case Errno.EAGAIN -> Found.NOTHING;
            case Errno.ENOMEM -> {
                // What is there stays there, and epoll goes on to say so.
                loop.restAfterTurn();
                yield Found.LATER;
            }
            // EIO on a terminal: every process has closed it. 0 on a pipe: likewise.
            default -> Found.CLOSED;
        };
    }

    /// Reads what is there by now, without waiting for the turn that would.
    void catchUp() {
        Found found = Found.BYTES;
        try {
            for (int turns = 0; turns < CATCH_UP_READS && found == Found.BYTES; turns++) {
                found = reads && !paused && open() ? read() : Found.NOTHING;
            }
        } catch (RuntimeException | Error e) {
            failed(e);
            throw e;
        }
        if (found == Found.CLOSED) {
            process.portClosed(this);
        }
    }

    /// Nobody who is alive matters any more: from here on [#drain] reads what is there.
    void beginDrain() {
        if (reads && open()) {
            drainLeft = Math.max(DRAIN_BYTES, unread());
        }
    }

    private int unread() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            int result = loop.libc.ioctl(fd.number(), Abi.FIONREAD, count);
            return result < 0 ? 0 : count.get(ValueLayout.JAVA_INT, 0);
        }
    }

    /// Reads once of what was there when the drain began, if there is more. What comes beyond was written by others since.
    ///
    /// @return whether there may be more
    boolean drain() {
        if (!reads || !open() || drainLeft <= 0) {
            return false;
        }
        return switch (read()) {
            case BYTES -> drainLeft > 0;
            case NOTHING -> false;
            case LATER -> {
                // As if it had been a buffer full, so that this ends whatever happens; the port stays open.
                drainLeft -= Loop.BUFFER_BYTES;
                yield drainLeft > 0;
            }
            case CLOSED -> {
                close();
                yield false;
            }
        };
    }

    void resume() {
        paused = false;
        mustWatch();
    }

    /// Tells epoll what to wait for now.
    ///
    /// Where nothing is to be waited for, epoll reports a hang-up all the same, again and again. A port that reads is
    /// left in with "one event at the most": to take it out would mean to put it in again, for which there may be no
    /// memory, and nobody would ever read from it again. A port that only writes is taken out: to put it in can fail,
    /// but then there is a writer who is told.
    ///
    /// @return 0, or the negated error number
    private int watch() {
        int wanted = (reads && !paused ? Abi.EPOLLIN : 0) | (pending != null ? Abi.EPOLLOUT : 0);
        if (wanted == interest || fd.closed()) {
            return 0;
        }
        int result = 0;
        if (reads && id >= 0) {
            result = loop.modify(fd.number(), wanted == 0 ? Abi.EPOLLONESHOT : wanted, id);
        } else if (wanted == 0) {
            loop.remove(fd.number(), id);
            id = -1;
        } else {
            id = loop.newId();
            result = loop.add(id, fd.number(), wanted, this);
        }
        interest = result < 0 ? interest : wanted;
        return result;
    }

    /// For changes that the kernel never refuses.
    private void mustWatch() {
        int result = watch();
        if (result < 0) {
            throw new IllegalStateException("epoll_ctl: " + Errno.text(-result));
        }
    }

    private void writeMore(Write write) {
        int count = loop.libc.write(
                fd.number(), MemorySegment.ofAddress(write.address + write.taken), write.length - write.taken);
        if (count > 0) {
            write.taken += count;
        }
        write.failure = count > 0 || count == -Errno.EAGAIN ? 0 : -count;
        if (write.failure != 0 || write.taken == write.length) {
            endPending();
        }
    }

    private void endPending() {
        Write write = pending;
        if (write != null) {
            pending = null;
            mustWatch();
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
    int write(ByteBuffer bytes, Duration timeout, BooleanSupplier allowed) throws InterruptedException {
        Deadline deadline = Deadline.in(timeout);
        if (!turn.tryAcquire(Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS)) {
            return open() ? 0 : -1;
        }
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            int length = bytes.remaining();
            MemorySegment data = arena.allocate(Math.max(1, length));
            data.copyFrom(MemorySegment.ofBuffer(bytes));
            int taken = writeNow(libc, data, length, allowed);
            if (taken >= length || taken < 0) {
                return taken;
            }
            Write write = new Write(data.address(), length, taken, allowed);
            int begun = loop.call(() -> begin(write));
            if (begun < 0) {
                return taken > 0 ? taken : closedOr(-begun);
            }
            try {
                await(write, deadline);
            } finally {
                // The memory goes with the arena: the loop has to let go of it before.
                loop.call(() -> cancel(write));
            }
            if (write.taken > 0) {
                return write.taken;
            }
            return write.failure != 0 ? closedOr(write.failure) : open() ? 0 : -1;
        } finally {
            turn.release();
        }
    }

    private int writeNow(Libc libc, MemorySegment data, int length, BooleanSupplier allowed) {
        writing.lock();
        try {
            return allowed.getAsBoolean() ? writeNow(libc, data, length) : 0;
        } finally {
            writing.unlock();
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
                if (count < 0) {
                    return taken > 0 ? taken : closedOr(-count);
                }
                taken += count;
            }
            return taken;
        });
    }

    /// What a write says that took nothing.
    private static int closedOr(int errno) {
        return switch (errno) {
            case Errno.EIO, Errno.EPIPE, Errno.EBADF -> -1;
            default ->
                throw new SessionException(
                        ErrorCode.UNAVAILABLE,
                        "Nothing can be written now, and nothing was: " + Errno.text(errno) + "; try again.");
        };
    }

    /// Hands a write over to the loop.
    ///
    /// @return 0, or the negated error number
    private int begin(Write write) {
        if (fd.closed()) {
            return -Errno.EBADF;
        }
        if (!write.allowed.getAsBoolean()) {
            write.finish();
            return 0;
        }
        pending = write;
        int result = watch();
        if (result < 0) {
            // Its memory goes with the caller.
            pending = null;
        }
        return result;
    }

    /// Ends the write that waits for room if it is no longer allowed. One that begins later finds that out by itself.
    void recall() {
        writing.lock();
        try {
            loop.call(() -> {
                if (pending != null && !pending.allowed.getAsBoolean()) {
                    endPending();
                }
                return true;
            });
        } finally {
            writing.unlock();
        }
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
