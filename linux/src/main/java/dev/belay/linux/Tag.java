package dev.belay.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A number that the kernel passes on to every descendant of a session's leader and shows in `/proc/PID/limits`.
///
/// It is kept as the soft limit of file locks, a limit that Linux has not enforced since 2.4. Unlike the mark in the
/// environment it survives programs that clear or overwrite their environment (see docs/adr/0003).
final class Tag {
    static final long NONE = 0;

    private static final String LINE = "Max file locks";
    private static final int COUNTER_BITS = 28;
    /// All tags have this bit and none above it: they are larger than any real limit, and have 18 digits.
    private static final long LEAST = 1L << 58;
    static final long MOST = (LEAST << 1) - 1;

    private static final AtomicLong COUNTER = new AtomicLong();

    private Tag() {}

    /// A tag that this JVM has given to nobody else.
    ///
    /// @param instance the Belay whose session it is for. Its random name decides the first part of its tags: another
    ///                 Belay gives out other tags, and the tags of one that was killed can be recognised.
    static long next(String instance) {
        return instance(instance) | (COUNTER.incrementAndGet() & ((1L << COUNTER_BITS) - 1));
    }

    /// What all tags of an instance begin with.
    static long instance(String name) {
        // FNV-1a, folded: names differ in every bit.
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
        }
        return instance(LEAST | ((hash ^ hash >>> 32) << COUNTER_BITS & (LEAST - 1)));
    }

    /// What all tags of the instance begin with that gave out this one.
    static long instance(long tag) {
        return tag >>> COUNTER_BITS << COUNTER_BITS;
    }

    /// Gives a process its tag, if the hard limit allows it.
    static void give(Libc libc, Arena arena, long pid, long tag) {
        MemorySegment limit = arena.allocate(ValueLayout.JAVA_LONG, 2);
        if (libc.prlimit(pid, Abi.RLIMIT_LOCKS, MemorySegment.NULL, limit) == 0) {
            limit.set(ValueLayout.JAVA_LONG, 0, tag);
            libc.prlimit(pid, Abi.RLIMIT_LOCKS, limit, MemorySegment.NULL);
        }
    }

    /// The tag of a process; [#NONE] if it has none or cannot be looked at.
    static long of(ProcFile files, long pid) {
        return parse(files.text(pid, "limits"));
    }

    static long parse(@Nullable String limits) {
        int line = limits == null ? -1 : limits.indexOf(LINE);
        if (limits == null || line < 0) {
            return NONE;
        }
        int start = line + LINE.length();
        while (start < limits.length() && limits.charAt(start) == ' ') {
            start++;
        }
        int end = start;
        while (end < limits.length() && Character.isDigit(limits.charAt(end))) {
            end++;
        }
        // "unlimited" has no digits; a real limit is too small, and one of more digits too large to be a tag.
        long number = end == start || end - start > 18 ? NONE : Long.parseLong(limits.substring(start, end));
        return number >= LEAST && number <= MOST ? number : NONE;
    }
}
