package dev.belay.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.LongStream;

/// What the kernel says about a process that it holds: `struct seccomp_notif`.
///
/// @param id   the kernel's number of the request
/// @param pid  the thread that asks
/// @param wide whether it is a 64-bit call
/// @param at   whether the path is relative to a descriptor: `execveat`
record ExecNotice(long id, long pid, boolean wide, boolean at, List<Long> arguments) {
    static final int BYTES = 80;
    private static final int PID = 8;
    private static final int NUMBER = 16;
    private static final int ARCH = 20;
    private static final int ARGUMENTS = 32;

    static ExecNotice of(MemorySegment notice) {
        Abi abi = Abi.current();
        boolean wide = notice.get(ValueLayout.JAVA_INT, ARCH) == abi.auditArch();
        int number = notice.get(ValueLayout.JAVA_INT, NUMBER);
        List<Long> arguments = LongStream.range(0, 5)
                .mapToObj(i -> notice.get(ValueLayout.JAVA_LONG, ARGUMENTS + 8 * i)).toList();
        return new ExecNotice(
                notice.get(ValueLayout.JAVA_LONG, 0),
                notice.get(ValueLayout.JAVA_INT, PID),
                wide,
                number == (wide ? abi.guardCalls().execveat() : abi.execveat32()),
                arguments);
    }

    int pointer() {
        return wide ? 8 : 4;
    }

    int folder() {
        return at ? arguments.getFirst().intValue() : Abi.AT_FDCWD;
    }

    long path() {
        return arguments.get(at ? 1 : 0);
    }

    long words() {
        return arguments.get(at ? 2 : 1);
    }

    long variables() {
        return arguments.get(at ? 3 : 2);
    }

    boolean emptyPath() {
        return at && (arguments.get(4) & Abi.AT_EMPTY_PATH) != 0;
    }
}
