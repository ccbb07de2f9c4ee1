package dev.belay.linux;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A system call that a thread is blocked in, as `/proc/TID/syscall` shows it.
///
/// @param stack the thread's stack pointer
record BlockedCall(int number, List<Long> arguments, long stack) {
    private static final int ARGUMENTS = 6;
    private static final long FOUR_GIB = 1L << 32;

    /// Reads the line; null for a thread that runs or is blocked for another reason.
    static @Nullable BlockedCall parse(String line) {
        String[] words = line.strip().split(" ", -1);
        // "running", or "-1 STACK PLACE"; else "NUMBER ARGUMENT*6 STACK PLACE".
        if (words.length != ARGUMENTS + 3) {
            return null;
        }
        List<Long> arguments = Arrays.stream(words, 1, ARGUMENTS + 1).map(BlockedCall::word).toList();
        return new BlockedCall(Integer.parseInt(words[0]), arguments, word(words[ARGUMENTS + 1]));
    }

    private static long word(String hex) {
        return Long.parseUnsignedLong(hex.substring(2), 16);
    }

    /// Whether the thread may be one of a 32-bit program, whose calls have other numbers: its stack is where such a
    /// program has its own, and where others have none unless they ask for it.
    boolean narrow() {
        return Long.compareUnsigned(stack, FOUR_GIB) < 0;
    }

    /// An argument that is an `int`.
    int number(int argument) {
        return arguments.get(argument).intValue();
    }

    long address(int argument) {
        return arguments.get(argument);
    }
}
