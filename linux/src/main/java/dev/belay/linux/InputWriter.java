package dev.belay.linux;

import dev.belay.Deadline;
import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.host.TriedWrite;
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
import org.jspecify.annotations.Nullable;

/// Writes input to one port, on the caller's thread. If the port does not accept all bytes at once, the loop writes the
/// rest as room appears while the caller waits. There is no queue that could grow.
final class InputWriter {
    /// The kernel holds 4,095 bytes for a program that reads keys. What fits there is taken whole.
    private static final int REPLY_ROOM = 4095;

    private final Loop loop;
    private final Port port;
    /// Writers take turns, so that the bytes of one write stay together.
    private final Semaphore turn = new Semaphore(1, true);
    /// Held while a writer checks that it is allowed to write and writes what the port accepts at once.
    private final Lock writing = new ReentrantLock();
    /// Used by the writer whose turn it is. Null for pipes.
    private final @Nullable TypedLine line;

    /// Loop only.
    private @Nullable Write pending;

    /// A write that waits for room. The loop moves it on; the writer waits for `done`.
    private static final class Write {
        final long address;
        final int length;
        final BooleanSupplier allowed;
        final Thread writer = Thread.currentThread();
        int written;
        /// The error number that ended it, or 0.
        int failure;
        volatile boolean done;

        Write(long address, int length, int written, BooleanSupplier allowed) {
            this.address = address;
            this.length = length;
            this.written = written;
            this.allowed = allowed;
        }

        void finish() {
            done = true;
            LockSupport.unpark(writer);
        }
    }

    InputWriter(Loop loop, Port port, @Nullable TypedLine line) {
        this.loop = loop;
        this.port = port;
        this.line = line;
    }

    // --- on the writer's thread ---

    /// Writes bytes and waits until the port has accepted them, at most for the timeout. Moves the buffer's position
    /// past those that were written, even if the wait is interrupted.
    ///
    /// @return how many bytes were written; -1 if none were because the port is closed
    int write(ByteBuffer bytes, Duration timeout, BooleanSupplier allowed) throws InterruptedException {
        Deadline deadline = Deadline.in(timeout);
        if (!turn.tryAcquire(Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS)) {
            return port.open() ? 0 : -1;
        }
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            int length = bytes.remaining();
            MemorySegment data = arena.allocate(Math.max(1, length));
            data.copyFrom(MemorySegment.ofBuffer(bytes));
            if (line != null) {
                line.require(libc, arena, port.fd(), data, length);
            }
            int written = writeNow(libc, data, length, allowed);
            Write write = new Write(data.address(), length, Math.max(0, written), allowed);
            try {
                return written >= length || written < 0 ? written : writeRest(write, deadline);
            } finally {
                bytes.position(bytes.position() + write.written);
                if (line != null) {
                    line.written(data, write.written);
                }
            }
        } finally {
            turn.release();
        }
    }

    /// Writes what the port accepts at once. If that is not everything, the write keeps its turn until the rest is
    /// finished.
    ///
    /// @return null if it is not this write's turn
    @Nullable TriedWrite tryWrite(ByteBuffer bytes, BooleanSupplier allowed) {
        if (!turn.tryAcquire()) {
            return null;
        }
        boolean over = true;
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            int length = bytes.remaining();
            MemorySegment data = arena.allocate(Math.max(1, length));
            data.copyFrom(MemorySegment.ofBuffer(bytes));
            if (line != null) {
                line.require(libc, arena, port.fd(), data, length);
            }
            // A recall holds it while the loop answers.
            if (!writing.tryLock()) {
                return null;
            }
            int written;
            boolean may;
            try {
                may = allowed.getAsBoolean();
                written = may ? writeNow(libc, data, length) : 0;
            } finally {
                writing.unlock();
            }
            int count = Math.max(0, written);
            bytes.position(bytes.position() + count);
            if (line != null) {
                line.written(data, count);
            }
            over = !may || written < 0 || written == length;
            return new TriedWrite(written, over ? null : (rest, timeout) -> finish(rest, timeout, allowed));
        } finally {
            if (over) {
                turn.release();
            }
        }
    }

    /// Writes the rest of a write that has its turn, and ends the turn.
    private int finish(ByteBuffer bytes, Duration timeout, BooleanSupplier allowed) throws InterruptedException {
        try (Arena arena = Arena.ofConfined()) {
            int length = bytes.remaining();
            MemorySegment data = arena.allocate(length);
            data.copyFrom(MemorySegment.ofBuffer(bytes));
            Write write = new Write(data.address(), length, 0, allowed);
            try {
                return writeRest(write, Deadline.in(timeout));
            } finally {
                bytes.position(bytes.position() + write.written);
                if (line != null) {
                    line.written(data, write.written);
                }
            }
        } finally {
            turn.release();
        }
    }

    /// Writes all bytes or none, without waiting, while the terminal is not in line mode.
    ///
    /// @param slave   the terminal's other side
    /// @param allowed asked last before the write
    boolean reply(byte[] bytes, Fd slave, BooleanSupplier allowed) {
        // If it is not free, a write waits because the program does not read.
        if (!turn.tryAcquire()) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            return takesKeys(libc, arena, slave)
                    && unread(libc, arena, slave) + bytes.length <= REPLY_ROOM
                    && writeNow(libc, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), bytes.length, allowed) > 0;
        } finally {
            turn.release();
        }
    }

    private static boolean takesKeys(Libc libc, Arena arena, Fd slave) {
        MemorySegment termios = arena.allocate(Abi.TERMIOS_BYTES, 4);
        return slave.with(libc, -Errno.EBADF, fd -> libc.ioctl(fd, Abi.TCGETS, termios)) == 0
                && (termios.get(ValueLayout.JAVA_INT, Abi.TERMIOS_LFLAG) & Abi.ICANON) == 0;
    }

    /// How many bytes were typed that the program has not read.
    private static int unread(Libc libc, Arena arena, Fd slave) {
        MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
        int result = slave.with(libc, -Errno.EBADF, fd -> libc.ioctl(fd, Abi.FIONREAD, count));
        return result < 0 ? REPLY_ROOM : count.get(ValueLayout.JAVA_INT, 0);
    }

    private int writeRest(Write write, Deadline deadline) throws InterruptedException {
        int begun = loop.call(() -> begin(write));
        if (begun < 0) {
            return write.written > 0 ? write.written : closedOr(-begun);
        }
        try {
            await(write, deadline);
        } finally {
            // Closing the arena frees the bytes, so the loop must let go of them first.
            loop.call(() -> cancel(write));
        }
        if (write.written > 0) {
            return write.written;
        }
        return write.failure != 0 ? closedOr(write.failure) : port.open() ? 0 : -1;
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
        return port.fd().with(libc, -1, number -> {
            int written = 0;
            while (written < length) {
                int count = libc.write(number, data.asSlice(written), length - written);
                if (count == -Errno.EAGAIN) {
                    break;
                }
                if (count < 0) {
                    return written > 0 ? written : closedOr(-count);
                }
                written += count;
            }
            return written;
        });
    }

    /// The result of a write that wrote nothing: -1 if the port is closed, else an exception.
    private static int closedOr(int errno) {
        return switch (errno) {
            case Errno.EIO, Errno.EPIPE, Errno.EBADF -> -1;
            default ->
                throw new SessionException(
                        ErrorCode.UNAVAILABLE, "Write failed, no bytes sent: " + Errno.text(errno) + "; try again.");
        };
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

    /// Ends the write that waits for room if it is no longer allowed. Later writes check for themselves.
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

    // --- on the loop ---

    /// Takes over a write.
    ///
    /// @return 0, or the negated error number
    private int begin(Write write) {
        if (!port.open()) {
            return -Errno.EBADF;
        }
        if (!write.allowed.getAsBoolean()) {
            write.finish();
            return 0;
        }
        int result = port.want(Abi.EPOLLOUT, true);
        if (result == 0) {
            pending = write;
        }
        return result;
    }

    /// epoll reported room, or that the other side is closed.
    void ready() {
        Write write = pending;
        if (write == null) {
            return;
        }
        MemorySegment rest = MemorySegment.ofAddress(write.address + write.written);
        int count = loop.libc.write(port.fd().number(), rest, write.length - write.written);
        if (count > 0) {
            write.written += count;
        }
        write.failure = count > 0 || count == -Errno.EAGAIN ? 0 : -count;
        if (write.failure != 0 || write.written == write.length) {
            endPending();
        }
    }

    private boolean cancel(Write write) {
        if (pending == write) {
            endPending();
        }
        return true;
    }

    /// Ends the write that waits for room, if there is one.
    void endPending() {
        Write write = pending;
        if (write != null) {
            pending = null;
            port.mustWant(Abi.EPOLLOUT, false);
            write.finish();
        }
    }
}
