package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;

/// The line that a terminal collects before its program gets to see it.
///
/// While a terminal takes whole lines (`ICANON`, the mode that most programs read in), the kernel silently drops what
/// goes beyond 4,095 bytes of one line. So such input is refused before any of it is written. What was typed before and
/// is not a whole line yet counts too. Used by the writer whose turn it is.
final class TypedLine {
    /// The most bytes of a line, besides what ends it (`N_TTY_BUF_SIZE`).
    static final int MAX_BYTES = 4095;

    private static final byte PART = 0;
    private static final byte NOTHING = 1;
    private static final byte END = 2;
    private static final byte LITERAL_NEXT = 3;

    /// What each byte does in the terminal's present mode; empty: lines do not matter.
    private byte[] effects = new byte[0];
    private int typed;
    private boolean literal;

    /// Looks at the terminal's mode, and refuses input that the kernel would cut.
    void require(Libc libc, Arena arena, Fd terminal, MemorySegment input, int length) {
        MemorySegment termios = arena.allocate(Abi.TERMIOS_BYTES, 4);
        boolean known = terminal.with(libc, -Errno.EBADF, fd -> libc.ioctl(fd, Abi.TCGETS, termios)) == 0;
        int modes = known ? termios.get(ValueLayout.JAVA_INT, Abi.TERMIOS_LFLAG) : 0;
        if ((modes & Abi.ICANON) == 0) {
            // What was typed meanwhile is not held back, and is a line of its own when lines matter again.
            effects = new byte[0];
            typed = 0;
            literal = false;
            return;
        }
        effects = effects(termios);
        int before = typed;
        boolean literalBefore = literal;
        int longest = type(input, length);
        typed = before;
        literal = literalBefore;
        if (longest > MAX_BYTES) {
            throw new SessionException(
                    ErrorCode.NOT_WRITABLE,
                    "The input has a line of " + longest + " bytes" + (before > 0
                            ? ", with what was typed"
                                    + " before"
                            : "")
                            + ", and the terminal takes lines of at most " + MAX_BYTES
                            + "; nothing was written. Send shorter lines, or put the text in a file and have the"
                            + " program read that.",
                    Map.of(SessionException.REASON, "line_too_long", "max_line_bytes", MAX_BYTES));
        }
    }

    /// So much of the input that was looked at last was written.
    void written(MemorySegment input, int length) {
        if (effects.length > 0) {
            type(input, length);
        }
    }

    /// @return how long the longest line got
    private int type(MemorySegment input, int length) {
        int longest = 0;
        for (int i = 0; i < length; i++) {
            byte effect = effects[input.get(ValueLayout.JAVA_BYTE, i) & 0xFF];
            if (literal || effect == PART) {
                typed++;
                longest = Math.max(longest, typed);
                literal = false;
            } else if (effect == END) {
                typed = 0;
            } else {
                literal = effect == LITERAL_NEXT;
            }
        }
        return longest;
    }

    private static byte[] effects(MemorySegment termios) {
        int input = termios.get(ValueLayout.JAVA_INT, Abi.TERMIOS_IFLAG);
        int local = termios.get(ValueLayout.JAVA_INT, Abi.TERMIOS_LFLAG);
        byte[] effects = new byte[256];
        effects['\n'] = (input & Abi.INLCR) != 0 ? PART : END;
        effects['\r'] = (input & Abi.IGNCR) != 0 ? NOTHING : (input & Abi.ICRNL) != 0 ? END : PART;
        set(effects, termios, END, Abi.VKILL, Abi.VEOF, Abi.VEOL, Abi.VEOL2);
        set(effects, termios, NOTHING, Abi.VERASE);
        if ((local & Abi.IEXTEN) != 0) {
            set(effects, termios, NOTHING, Abi.VWERASE, Abi.VREPRINT);
            set(effects, termios, LITERAL_NEXT, Abi.VLNEXT);
        }
        if ((input & Abi.IXON) != 0) {
            set(effects, termios, NOTHING, Abi.VSTART, Abi.VSTOP);
        }
        if ((local & Abi.ISIG) != 0) {
            set(effects, termios, (local & Abi.NOFLSH) != 0 ? NOTHING : END, Abi.VINTR, Abi.VQUIT, Abi.VSUSP);
        }
        return effects;
    }

    private static void set(byte[] effects, MemorySegment termios, byte effect, int... keys) {
        Arrays.stream(keys)
                .map(key -> termios.get(ValueLayout.JAVA_BYTE, Abi.TERMIOS_CC + key) & 0xFF)
                .filter(key -> key != 0)
                .forEach(key -> effects[key] = effect);
    }
}
