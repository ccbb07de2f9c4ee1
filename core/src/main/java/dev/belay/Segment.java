package dev.belay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A stretch of a [FileLog]: one file, or a hole where the disk refused the bytes.
///
/// Written by the log's one writer, read by any thread. The writer has a channel of its own, because interrupting a
/// reading thread closes the channel it reads from.
final class Segment {
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    /// How many changes of outlet one segment may hold, so that a process that alternates cannot fill the heap.
    private static final int MAX_SWITCHES = 2048;

    /// Lets a test make the disk fail. Null otherwise, which costs one read of a field.
    static volatile @Nullable Faults faults;

    /// Makes the disk fail.
    interface Faults {
        /// Called before an operation on a file: `create`, `open`, `move`, `write`, `read` or `delete`.
        void before(String what) throws IOException;
    }

    private static void before(String what) throws IOException {
        Faults now = faults;
        if (now != null) {
            now.before(what);
        }
    }

    final long base;
    private final @Nullable Path file;
    private final @Nullable FileChannel writer;
    private @Nullable FileChannel reader;
    private boolean sealed;
    private boolean dropped;
    /// Where the outlet changes, as `offset << 1 | outlet`. The array is replaced, never changed.
    private volatile long[] switches;

    private Segment(long base, @Nullable Path file, @Nullable FileChannel writer, Outlet first) {
        this.base = base;
        this.file = file;
        this.writer = writer;
        this.switches = new long[] {encode(base, first)};
    }

    static Segment create(Path file, long base, Outlet first) throws IOException {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        before("create");
        FileChannel writer = posix ? FileChannel.open(file, options, PRIVATE) : FileChannel.open(file, options);
        return new Segment(base, file, writer, first);
    }

    /// Reuses the file of a dropped segment: overwriting it costs a fraction of allocating new space.
    static Segment recycled(Segment dropped, Path file, long base, Outlet first) throws IOException {
        if (dropped.file == null) {
            throw new IOException("a hole has no file");
        }
        before("move");
        Files.move(dropped.file, file);
        boolean done = false;
        try {
            Segment segment = new Segment(base, file, opened(file, StandardOpenOption.WRITE), first);
            done = true;
            return segment;
        } finally {
            if (!done) {
                // Nothing else would delete it under its new name.
                Files.deleteIfExists(file);
            }
        }
    }

    private static FileChannel opened(Path file, StandardOpenOption option) throws IOException {
        before("open");
        return FileChannel.open(file, option);
    }

    static Segment hole(long base) {
        return new Segment(base, null, null, Outlet.STDOUT);
    }

    boolean isHole() {
        return file == null;
    }

    /// Writes what is left in the buffer. If it throws, the buffer's position says how much was written.
    void write(ByteBuffer bytes) throws IOException {
        if (writer == null) {
            throw new IOException("a hole takes no bytes");
        }
        while (bytes.hasRemaining()) {
            before("write");
            writer.write(bytes);
        }
    }

    /// Notes the outlet of the bytes from an offset on.
    ///
    /// @return false if this segment has no room for another change
    boolean switchTo(Outlet outlet, long offset) {
        long[] now = switches;
        if (outletOf(now[now.length - 1]) == outlet) {
            return true;
        }
        if (now.length == MAX_SWITCHES) {
            return false;
        }
        long[] more = Arrays.copyOf(now, now.length + 1);
        more[now.length] = encode(offset, outlet);
        switches = more;
        return true;
    }

    /// The outlet of the byte at an offset.
    Outlet outletAt(long offset) {
        long[] now = switches;
        return outletOf(now[indexAt(now, offset)]);
    }

    /// Where the outlet changes next after an offset, or `Long.MAX_VALUE` if it does not.
    long nextSwitch(long offset) {
        long[] now = switches;
        int next = indexAt(now, offset) + 1;
        return next < now.length ? now[next] >> 1 : Long.MAX_VALUE;
    }

    /// Reads bytes that have been written. The thread keeps its interrupt flag.
    ///
    /// @return null if the segment has been dropped
    byte @Nullable [] read(long offset, int count) throws IOException {
        // Clear the flag first: a read by an interrupted thread would close the channel for all readers.
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                FileChannel channel = reader();
                if (channel == null) {
                    return null;
                }
                try {
                    byte[] bytes = read(channel, offset, count);
                    // Checked after the read: if the segment was dropped by then, its file may be overwritten.
                    return dropped() ? null : bytes;
                } catch (ClosedByInterruptException _) {
                    interrupted |= Thread.interrupted();
                } catch (ClosedChannelException _) {
                    // Another reader was interrupted, or the segment was sealed or dropped. reader() finds out.
                } catch (IOException e) {
                    if (!dropped()) {
                        throw e;
                    }
                } finally {
                    done(channel);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private byte[] read(FileChannel channel, long offset, int count) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(count);
        while (into.hasRemaining()) {
            before("read");
            if (channel.read(into, offset - base + into.position()) < 0) {
                throw new IOException("the log file " + file + " is shorter than what was written to it");
            }
        }
        return into.array();
    }

    /// A channel to read from. A segment that still grows keeps one for all its readers. Each read of a sealed segment
    /// opens its own, or a hundred exited sessions would hold hundreds of descriptors.
    private synchronized @Nullable FileChannel reader() throws IOException {
        if (dropped || file == null) {
            return null;
        }
        if (sealed) {
            return opened(file, StandardOpenOption.READ);
        }
        if (reader == null || !reader.isOpen()) {
            reader = opened(file, StandardOpenOption.READ);
        }
        return reader;
    }

    private void done(FileChannel channel) throws IOException {
        synchronized (this) {
            if (channel.equals(reader)) {
                return;
            }
        }
        channel.close();
    }

    private synchronized boolean dropped() {
        return dropped;
    }

    /// Nothing more will be written.
    void seal() throws IOException {
        FileChannel shared;
        synchronized (this) {
            sealed = true;
            shared = reader;
            reader = null;
        }
        try (shared;
                FileChannel written = writer) {
            if (written != null && written.isOpen()) {
                // The file may still hold bytes of an earlier segment.
                written.truncate(written.position());
            }
        }
    }

    /// From now on nobody can read it. The file stays for [#recycled] or [#delete].
    void drop() throws IOException {
        synchronized (this) {
            dropped = true;
        }
        seal();
    }

    void delete() throws IOException {
        try {
            drop();
        } finally {
            if (file != null) {
                before("delete");
                Files.deleteIfExists(file);
            }
        }
    }

    private static int indexAt(long[] switches, long offset) {
        int found = Arrays.binarySearch(switches, encode(offset, Outlet.STDERR));
        return found >= 0 ? found : Math.max(0, -found - 2);
    }

    private static long encode(long offset, Outlet outlet) {
        return offset << 1 | (outlet == Outlet.STDERR ? 1 : 0);
    }

    private static Outlet outletOf(long encoded) {
        return (encoded & 1) == 0 ? Outlet.STDOUT : Outlet.STDERR;
    }
}
