package dev.belay.linux;

import dev.belay.Outlet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/// Reads what a session prints to one port and passes it on. Loop only.
final class OutputReader {
    /// What a read found.
    private enum Found {
        BYTES,
        NOTHING,
        /// The kernel has no memory for the read now; there may be bytes.
        NO_MEMORY,
        CLOSED
    }

    /// The most reads of one [#catchUp]: enough for all that a terminal or a pipe holds.
    private static final int CATCH_UP_READS = 16;
    /// A terminal never holds more than this, although it does not report all of it as unread. A pipe reports exactly.
    private static final int BACKLOG_BYTES = 1 << 20;

    private final Loop loop;
    private final LinuxProcess process;
    private final Port port;
    private final Outlet outlet;

    private boolean paused;
    private long backlogLeft;

    OutputReader(Loop loop, LinuxProcess process, Port port, Outlet outlet) {
        this.loop = loop;
        this.process = process;
        this.port = port;
        this.outlet = outlet;
    }

    /// epoll reported something to read, or that every process has closed the other side.
    void ready() {
        if (!paused && read() == Found.CLOSED) {
            process.portClosed(port);
        }
    }

    /// Reads once and passes on what there was.
    private Found read() {
        int count = loop.libc.read(port.fd().number(), loop.buffer, loop.buffer.byteSize());
        if (count > 0) {
            backlogLeft -= count;
            ByteBuffer bytes = loop.bytes.clear().limit(count);
            if (!process.output(bytes, outlet)) {
                paused = true;
                port.mustWant(Abi.EPOLLIN, false);
            }
            return Found.BYTES;
        }
        return switch (-count) {
            case Errno.EAGAIN -> Found.NOTHING;
            case Errno.ENOMEM -> {
                // The bytes stay in the kernel, and epoll keeps reporting them.
                loop.restAfterTurn();
                yield Found.NO_MEMORY;
            }
            // Every process has closed the other side. A terminal says EIO, a pipe returns 0.
            default -> Found.CLOSED;
        };
    }

    /// Continues after the listener had no room.
    void resume() {
        paused = false;
        port.mustWant(Abi.EPOLLIN, true);
    }

    /// Reads what has been printed so far, without waiting for the loop's turn to do it.
    void catchUp() {
        Found found = Found.BYTES;
        try {
            for (int reads = 0; reads < CATCH_UP_READS && found == Found.BYTES; reads++) {
                found = !paused && port.open() ? read() : Found.NOTHING;
            }
        } catch (RuntimeException | Error e) {
            port.failed(e);
            throw e;
        }
        if (found == Found.CLOSED) {
            process.portClosed(port);
        }
    }

    /// Takes the bytes that are unread now as the backlog, which [#readBacklog] reads. Called when no living process
    /// matters any more.
    void markBacklog() {
        if (port.open()) {
            backlogLeft = Math.max(BACKLOG_BYTES, unread());
        }
    }

    private int unread() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            int result = loop.libc.ioctl(port.fd().number(), Abi.FIONREAD, count);
            return result < 0 ? 0 : count.get(ValueLayout.JAVA_INT, 0);
        }
    }

    /// Reads once from the backlog. Anything beyond it was written later, by survivors.
    ///
    /// @return whether there may be more
    boolean readBacklog() {
        if (!port.open() || backlogLeft <= 0) {
            return false;
        }
        return switch (read()) {
            case BYTES -> backlogLeft > 0;
            case NOTHING -> false;
            case NO_MEMORY -> {
                // Counts as a full buffer, so that this ends even if memory never comes back. The port stays open.
                backlogLeft -= Loop.BUFFER_BYTES;
                yield backlogLeft > 0;
            }
            case CLOSED -> {
                port.close();
                yield false;
            }
        };
    }
}
