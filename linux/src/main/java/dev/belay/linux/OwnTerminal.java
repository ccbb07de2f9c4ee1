package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.Size;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/// The terminal that Belay itself runs in, by one of its own descriptors (0: standard input, 1: standard output).
///
/// Any thread, including a shutdown hook, may call any method, and every method returns at once: it sets modes without
/// waiting for pending output, which a stuck terminal would never accept.
public final class OwnTerminal {
    private static final int MAX_CELLS = 1000;
    private static final int TERMIOS_CFLAG = 8;

    private final int fd;

    private OwnTerminal(int fd) {
        this.fd = fd;
    }

    /// The terminal behind a descriptor; empty if it is not a terminal.
    public static Optional<OwnTerminal> at(int fd) {
        return isTerminal(fd) ? Optional.of(new OwnTerminal(fd)) : Optional.empty();
    }

    public static boolean isTerminal(int fd) {
        try (Arena arena = Arena.ofConfined()) {
            return new Libc(arena).ioctl(fd, Abi.TCGETS, arena.allocate(Abi.TERMIOS_BYTES, 4)) == 0;
        }
    }

    /// The current size; 80x24 if the terminal does not know its size.
    public Size size() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment winsize = arena.allocate(ValueLayout.JAVA_SHORT, 4);
            int result = new Libc(arena).ioctl(fd, Abi.TIOCGWINSZ, winsize);
            int rows = Short.toUnsignedInt(winsize.getAtIndex(ValueLayout.JAVA_SHORT, 0));
            int cols = Short.toUnsignedInt(winsize.getAtIndex(ValueLayout.JAVA_SHORT, 1));
            if (result < 0 || rows == 0 || cols == 0) {
                return Size.DEFAULT;
            }
            return new Size(
                    Math.min(cols, MAX_CELLS),
                    Math.min(rows, MAX_CELLS),
                    Short.toUnsignedInt(winsize.getAtIndex(ValueLayout.JAVA_SHORT, 2)),
                    Short.toUnsignedInt(winsize.getAtIndex(ValueLayout.JAVA_SHORT, 3)));
        }
    }

    /// Whether Belay runs as a background job of a shell. The kernel stops a background job that reads from its
    /// terminal or sets its modes.
    public boolean inBackground() {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            MemorySegment group = arena.allocate(ValueLayout.JAVA_INT);
            // Fails for a terminal that is not our controlling terminal, which has no job control.
            return libc.ioctl(fd, Abi.TIOCGPGRP, group) == 0
                    && group.get(ValueLayout.JAVA_INT, 0) != libc.getpgid(0);
        }
    }

    /// Enters raw mode: each key arrives at once as bytes, no key signals Belay, nothing is echoed.
    ///
    /// @param output whether output is raw too; false leaves it unchanged for other writers to this terminal
    public Raw raw(boolean output) {
        Raw raw = new Raw(output);
        raw.enter();
        return raw;
    }

    /// Raw mode, until it is closed. Closing restores the modes found before; it never fails, and a second call does
    /// nothing.
    ///
    /// Entering and closing hold a lock around the system call, because the order of the two calls matters.
    public final class Raw implements AutoCloseable {
        private final boolean output;
        private final byte[] saved = new byte[Abi.TERMIOS_BYTES];
        private boolean closed;

        private Raw(boolean output) {
            this.output = output;
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment termios = arena.allocate(Abi.TERMIOS_BYTES, 4);
                must(call(new Libc(arena), Abi.TCGETS, termios));
                MemorySegment.copy(termios, ValueLayout.JAVA_BYTE, 0, saved, 0, saved.length);
            }
        }

        /// Enters raw mode again, for example after Belay was stopped and its shell set modes of its own. Does nothing
        /// once this is closed.
        public synchronized void enter() {
            if (closed) {
                return;
            }
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment termios = arena.allocate(Abi.TERMIOS_BYTES, 4);
                termios.copyFrom(MemorySegment.ofArray(saved));
                makeRaw(termios, output);
                must(call(new Libc(arena), Abi.TCSETS, termios));
            }
        }

        @Override
        public synchronized void close() {
            if (closed) {
                return;
            }
            closed = true;
            if (inBackground()) {
                // The foreground job has set its own modes, and trying to change them would stop us.
                return;
            }
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment termios = arena.allocate(Abi.TERMIOS_BYTES, 4);
                termios.copyFrom(MemorySegment.ofArray(saved));
                // If this fails, the terminal is gone and there is nothing to restore.
                call(new Libc(arena), Abi.TCSETS, termios);
            }
        }
    }

    /// What `cfmakeraw` does.
    private static void makeRaw(MemorySegment termios, boolean output) {
        change(
                termios,
                Abi.TERMIOS_IFLAG,
                Abi.IGNBRK | Abi.BRKINT | Abi.PARMRK | Abi.ISTRIP | Abi.INLCR | Abi.IGNCR | Abi.ICRNL | Abi.IXON,
                0);
        change(termios, Abi.TERMIOS_OFLAG, output ? Abi.OPOST : 0, 0);
        change(termios, TERMIOS_CFLAG, Abi.CSIZE | Abi.PARENB, Abi.CS8);
        change(termios, Abi.TERMIOS_LFLAG, Abi.ECHO | Abi.ECHONL | Abi.ICANON | Abi.ISIG | Abi.IEXTEN, 0);
        termios.set(ValueLayout.JAVA_BYTE, Abi.TERMIOS_CC + Abi.VMIN, (byte) 1);
        termios.set(ValueLayout.JAVA_BYTE, Abi.TERMIOS_CC + Abi.VTIME, (byte) 0);
    }

    private static void change(MemorySegment termios, long offset, int clear, int set) {
        int now = termios.get(ValueLayout.JAVA_INT, offset);
        termios.set(ValueLayout.JAVA_INT, offset, (now & ~clear) | set);
    }

    private int call(Libc libc, int request, MemorySegment termios) {
        return libc.ioctl(fd, request, termios);
    }

    private static void must(int result) {
        if (result < 0) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "Cannot set the terminal modes: " + Errno.text(-result) + ".");
        }
    }
}
