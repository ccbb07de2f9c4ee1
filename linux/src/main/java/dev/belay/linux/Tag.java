package dev.belay.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A number that the kernel passes on to every descendant of a session's leader and shows in `/proc/PID/limits`.
///
/// It is kept as the soft limit of file locks, a limit that Linux has not enforced since 2.4. Unlike the mark in the
/// environment it survives programs that clear or overwrite their environment (see docs/adr/0003).
final class Tag {
    static final long NONE = 0;

    private static final String LINE = "Max file locks";
    private static final int COUNTER_BITS = 32;
    /// All tags are at least this large, which no real limit is.
    private static final long LEAST = 1L << 57;
    /// Random, so that two Belays on one machine never give out the same.
    private static final long INSTANCE = LEAST | (new SecureRandom().nextLong() >>> 39 << COUNTER_BITS);

    private static final AtomicLong COUNTER = new AtomicLong();

    private Tag() {}

    static long next() {
        return INSTANCE | (COUNTER.incrementAndGet() & ((1L << COUNTER_BITS) - 1));
    }

    /// Gives a process its tag. It may fail where the hard limit is lower; then the mark alone has to do.
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
        return number >= LEAST ? number : NONE;
    }
}
