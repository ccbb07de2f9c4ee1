package dev.belay.linux;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The system call that a thread is blocked in, from `/proc/TID/syscall`.
///
/// @param stack the thread's stack pointer
record BlockedCall(int number, List<Long> arguments, long stack) {
    private static final int ARGUMENTS = 6;
    private static final long FOUR_GIB = 1L << 32;

    /// Parses the line; null if the thread is running or is blocked elsewhere.
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

    /// Whether the thread may belong to a 32-bit program, whose system calls have other numbers. Its stack is below 4
    /// GiB, where a 64-bit program has none unless it asks for it.
    boolean narrow() {
        return Long.compareUnsigned(stack, FOUR_GIB) < 0;
    }

    /// An `int` argument.
    int number(int argument) {
        return arguments.get(argument).intValue();
    }

    long address(int argument) {
        return arguments.get(argument);
    }
}
