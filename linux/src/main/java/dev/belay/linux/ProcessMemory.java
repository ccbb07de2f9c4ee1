package dev.belay.linux;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The memory of another process, read in pieces that are kept for the next string beside. Belongs to one thread.
final class ProcessMemory {
    private static final int PAGE = 4096;
    private static final int WINDOW = 4 * PAGE;

    private final Libc libc;
    private final long pid;
    private final MemorySegment window;
    private final MemorySegment local;
    private final MemorySegment remote;
    private long from;
    private long until;

    ProcessMemory(Libc libc, Arena arena, long pid) {
        this.libc = libc;
        this.pid = pid;
        this.window = arena.allocate(WINDOW, 8);
        this.local = arena.allocate(Abi.IOVEC_BYTES, 8);
        this.remote = arena.allocate(Abi.IOVEC_BYTES, 8);
    }

    /// A list of strings.
    ///
    /// @param bytes with one character per byte
    /// @param whole false if there are more, or some could not be read
    record Strings(List<String> bytes, boolean whole) {
        List<String> texts() {
            return bytes.stream().map(ProcessMemory::decoded).toList();
        }
    }

    /// The text that bytes mean.
    ///
    /// @param bytes with one character per byte
    static String decoded(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /// The string at an address, with one character per byte; null if it cannot be read, or is longer than given.
    @Nullable String bytes(long address, int most) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (long at = address; load(at);) {
            int skip = (int) (at - from);
            int length = (int) (until - at);
            for (int i = 0; i < length; i++) {
                if (window.get(ValueLayout.JAVA_BYTE, skip + i) == 0) {
                    bytes.writeBytes(window.asSlice(skip, i).toArray(ValueLayout.JAVA_BYTE));
                    return bytes.toString(StandardCharsets.ISO_8859_1);
                }
            }
            bytes.writeBytes(window.asSlice(skip, length).toArray(ValueLayout.JAVA_BYTE));
            if (bytes.size() > most) {
                return null;
            }
            at += length;
        }
        return null;
    }

    /// The strings of an array of pointers that ends with a null.
    ///
    /// @param pointer the size of a pointer
    /// @param most    the most bytes of all strings
    Strings strings(long array, int pointer, int mostTexts, int most) {
        List<String> texts = new ArrayList<>();
        List<Long> pointers = new ArrayList<>();
        boolean ended = array == 0;
        for (long at = array; !ended && pointers.size() <= mostTexts && load(at) && at + pointer <= until; at +=
                pointer) {
            long next = pointer == 8
                    ? window.get(ValueLayout.JAVA_LONG_UNALIGNED, at - from)
                    : Integer.toUnsignedLong(window.get(ValueLayout.JAVA_INT_UNALIGNED, at - from));
            ended = next == 0;
            if (!ended) {
                pointers.add(next);
            }
        }
        int left = most;
        for (long one : pointers) {
            String text = texts.size() == mostTexts ? null : bytes(one, left);
            if (text == null) {
                return new Strings(texts, false);
            }
            texts.add(text);
            left -= text.length();
        }
        return new Strings(texts, ended);
    }

    /// Makes the byte at an address part of the window.
    private boolean load(long address) {
        if (address >= from && address < until) {
            return true;
        }
        long start = address & -PAGE;
        local.set(ValueLayout.JAVA_LONG, 0, window.address());
        local.set(ValueLayout.JAVA_LONG, 8, WINDOW);
        remote.set(ValueLayout.JAVA_LONG, 0, start);
        remote.set(ValueLayout.JAVA_LONG, 8, WINDOW);
        int count = libc.processVmRead(pid, local, remote);
        from = start;
        until = start + Math.max(0, count);
        return address < until;
    }
}
