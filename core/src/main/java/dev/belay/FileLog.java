package dev.belay;

import dev.belay.OutputLog.Resize;
import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.Gap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The append-only log behind a session: absolute offsets, files of bounded size, a byte budget.
///
/// One writer (the host's loop) appends; any number of readers read without a lock. A byte is written to its file
/// before `end` moves past it, and `end` is volatile: a thread that sees the end sees the byte, its segment and its
/// outlet. There is no file before the first byte. The file of a dropped segment is renamed and used for the next one,
/// so until that is full or sealed, its file may hold old bytes after the end of the log.
final class FileLog {
    private static final int SEGMENTS_PER_BUDGET = 8;
    private static final int MAX_SEGMENTS = 32;
    private static final int MAX_RESIZES = 256;
    private static final int MIN_SEGMENT_BYTES = (int) (Limits.MIN_LOG_BYTES / 2);

    private final Path folder;
    private final String name;
    private final long budget;
    private final long segmentBytes;

    private volatile Segment[] segments = {};
    private volatile long end;
    private volatile long unstored;
    /// Whether it was logged that the disk refuses bytes. Writer only.
    private boolean refused;
    private volatile List<Resize> resizes = List.of();
    /// Bytes from here on are never dropped. `Long.MAX_VALUE` if the process must not wait for a reader.
    private volatile long hold = Long.MAX_VALUE;

    /// @param folder where the files go; it must exist
    /// @param name   what the names of the files start with
    FileLog(Path folder, String name, long budget) {
        this.folder = folder;
        this.name = name;
        this.budget = budget;
        this.segmentBytes = Math.max(MIN_SEGMENT_BYTES, budget / SEGMENTS_PER_BUDGET);
    }

    long start() {
        // The end is read first: read last, it could already count bytes whose segment was not there yet.
        long empty = end;
        Segment[] now = segments;
        return now.length == 0 ? empty : now[0].base;
    }

    long end() {
        return end;
    }

    /// How many bytes the disk refused.
    long unstored() {
        return unstored;
    }

    /// The resizes, each with its offset. If there are very many, the oldest are forgotten.
    List<Resize> resizes() {
        return resizes;
    }

    void resized(Size size) {
        List<Resize> now = resizes;
        List<Resize> more = new ArrayList<>(now.subList(Math.max(0, now.size() - MAX_RESIZES + 1), now.size()));
        more.add(new Resize(end, size));
        resizes = List.copyOf(more);
    }

    /// Keeps every byte from an offset on, whatever the budget says.
    void hold(long offset) {
        hold = offset;
    }

    /// Whether the held bytes fill the budget or too many segments, so that the process has to wait.
    boolean full() {
        long from = hold;
        if (from == Long.MAX_VALUE) {
            return false;
        }
        Segment[] now = segments;
        return end - from >= budget || (now.length >= MAX_SEGMENTS && endOf(now, now.length - MAX_SEGMENTS) > from);
    }

    /// Appends all bytes of the buffer. Never fails: bytes that the disk refuses become a gap. Writer only.
    void append(ByteBuffer bytes, Outlet outlet) {
        while (bytes.hasRemaining()) {
            Segment segment = writable(outlet);
            if (segment.isHole()) {
                lose(bytes);
                return;
            }
            int before = bytes.position();
            int take = (int) Math.min(segmentBytes - (end - segment.base), bytes.remaining());
            ByteBuffer part = bytes.slice(before, take);
            boolean stored = stored(segment, part);
            bytes.position(before + part.position());
            advance(part.position());
            if (!stored) {
                roll(Segment.hole(end));
                lose(bytes);
            }
        }
    }

    /// Publishes bytes. There is one writer, so nobody else moves the end.
    private void advance(int count) {
        long before = end;
        end = before + count;
    }

    private void lose(ByteBuffer bytes) {
        long lost = unstored;
        unstored = lost + bytes.remaining();
        advance(bytes.remaining());
        bytes.position(bytes.limit());
    }

    private boolean stored(Segment segment, ByteBuffer part) {
        try {
            segment.write(part);
            return true;
        } catch (IOException e) {
            refused(e);
            return false;
        }
    }

    /// Tells the first time that the disk refuses bytes. Readers see each gap; this is for the operator.
    private void refused(IOException e) {
        if (!refused) {
            refused = true;
            Log.LOG.log(System.Logger.Level.WARNING, "could not write output to " + folder + " (" + e
                    + "); readers see a gap until the disk takes bytes again");
        }
    }

    /// The segment for the next bytes: the newest one, a new one, or a hole if no new one can be made.
    private Segment writable(Outlet outlet) {
        Segment[] now = segments;
        Segment newest = now.length == 0 ? null : now[now.length - 1];
        if (newest != null
                && !newest.isHole()
                && end - newest.base < segmentBytes
                && newest.switchTo(outlet, end)) {
            return newest;
        }
        // Make room first: on a full disk, the oldest segment makes way for the newest.
        Segment dropped = dropOldest();
        try {
            return roll(fresh(folder.resolve(name + "." + end + ".log"), outlet, dropped));
        } catch (IOException e) {
            refused(e);
            return newest != null && newest.isHole() ? newest : roll(Segment.hole(end));
        }
    }

    private Segment fresh(Path file, Outlet outlet, @Nullable Segment dropped) throws IOException {
        if (dropped != null) {
            try {
                dropped.drop();
                return Segment.recycled(dropped, file, end, outlet);
            } catch (IOException _) {
                deleteQuietly(dropped);
            }
        }
        return Segment.create(file, end, outlet);
    }

    private Segment roll(Segment next) {
        Segment[] now = segments;
        if (now.length > 0) {
            sealQuietly(now[now.length - 1]);
            // An empty segment would have the same base as its successor.
            if (now[now.length - 1].base == end) {
                deleteQuietly(now[now.length - 1]);
                now = Arrays.copyOf(now, now.length - 1);
            }
            if (next.isHole() && now.length > 0 && now[now.length - 1].isHole()) {
                segments = now;
                return now[now.length - 1];
            }
        }
        Segment[] more = Arrays.copyOf(now, now.length + 1);
        more[now.length] = next;
        segments = more;
        return next;
    }

    /// Drops segments to stay within the budget.
    ///
    /// @return the newest dropped segment, if its file can be used again; the others are deleted
    private @Nullable Segment dropOldest() {
        Segment[] now = segments;
        int drop = 0;
        while (drop < now.length
                && endOf(now, drop) <= hold
                && (end - now[drop].base > budget - segmentBytes || now.length - drop >= MAX_SEGMENTS)) {
            drop++;
        }
        if (drop == 0) {
            return null;
        }
        segments = Arrays.copyOfRange(now, drop, now.length);
        for (int i = 0; i < drop - 1; i++) {
            deleteQuietly(now[i]);
        }
        return now[drop - 1].isHole() ? null : now[drop - 1];
    }

    private long endOf(Segment[] now, int index) {
        return index + 1 < now.length ? now[index + 1].base : end;
    }

    /// Reads at most `max` bytes of one outlet from an offset, or says which bytes cannot be read.
    ///
    /// @param limit the offset to stop at; at most [#end()]
    ReadResult read(long from, int max, long limit) {
        while (true) {
            Segment[] now = segments;
            if (from >= limit) {
                return new Chunk(from, new byte[0], Outlet.STDOUT);
            }
            if (now.length == 0 || from < now[0].base) {
                long resume = Math.min(limit, now.length == 0 ? end : now[0].base);
                return new Gap(from, resume - from, Gap.Reason.DROPPED);
            }
            int index = indexOf(now, from);
            Segment segment = now[index];
            long until = Math.min(limit, endOf(now, index));
            if (segment.isHole()) {
                return new Gap(from, until - from, Gap.Reason.DISK_FULL);
            }
            int count = (int) Math.min(max, Math.min(until, segment.nextSwitch(from)) - from);
            byte @Nullable [] bytes = readFrom(segment, from, count);
            if (bytes != null) {
                return new Chunk(from, bytes, segment.outletAt(from));
            }
            // The segment was dropped before it could be read: look again and find the gap.
        }
    }

    private static byte @Nullable [] readFrom(Segment segment, long from, int count) {
        try {
            return segment.read(from, count);
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.INTERNAL, "The output could not be read back: " + e.getMessage(), Map.of(), e);
        }
    }

    private static int indexOf(Segment[] segments, long offset) {
        int index = segments.length - 1;
        while (segments[index].base > offset) {
            index--;
        }
        return index;
    }

    /// Nothing more will be appended. Writer only.
    void seal() {
        Segment[] now = segments;
        if (now.length > 0) {
            sealQuietly(now[now.length - 1]);
        }
    }

    /// Deletes the files. Nothing may be appended after that.
    void delete() {
        Segment[] now = segments;
        segments = new Segment[0];
        for (Segment segment : now) {
            deleteQuietly(segment);
        }
    }

    private static void sealQuietly(Segment segment) {
        try {
            segment.seal();
        } catch (IOException e) {
            Log.LOG.log(System.Logger.Level.WARNING, "could not close a log file", e);
        }
    }

    private static void deleteQuietly(Segment segment) {
        try {
            segment.delete();
        } catch (IOException e) {
            Log.LOG.log(System.Logger.Level.WARNING, "could not delete a log file", e);
        }
    }
}
