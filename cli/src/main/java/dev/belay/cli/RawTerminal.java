package dev.belay.cli;

import dev.belay.Size;
import dev.belay.Visible;
import dev.belay.cli.view.Words;
import dev.belay.linux.OwnTerminal;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// This process's own terminal while it shows a session, or `belay top`: raw, and put back as it was at the end,
/// however that comes.
///
/// Any thread may call any method.
final class RawTerminal implements AutoCloseable {
    /// Everything that a program may have switched on, and a blank screen.
    private static final String RESET = "\033[!p\033[?1000l\033[?1002l\033[?1003l\033[?1004l\033[?1006l\033[?2004l"
            + "\033[?2026l\033[?1l\033>\033[?1047l\033[?6l\033[?7h\033[r\033(B\017\033[m\033[H\033[2J\033[?25h";

    /// How long a write that is under way may take when the terminal is to be restored.
    private static final Duration STUCK = Duration.ofSeconds(1);

    private final Stdio stdio;
    private final Use use;
    private final OwnTerminal.Raw raw;
    private final @Nullable TerminalGuard guard;
    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private final ScreenModes modes = new ScreenModes();
    private final Thread hook = Thread.ofPlatform().name("belay-restore").unstarted(() -> restore(""));
    /// Held while bytes go to the terminal, so that a note is never written into a sequence.
    private final ReentrantLock writing = new ReentrantLock();
    private volatile boolean restored;

    /// What a terminal is taken for.
    ///
    /// @param alternate whether to use the screen that programs use, and to leave the shell's alone
    /// @param goodbye   what the guard says if this process is killed
    private record Use(boolean alternate, String goodbye) {
        private static final Use SESSION = new Use(false, "belay: killed; the session keeps running");
        private static final Use VIEW = new Use(true, "belay: killed");

        String begin(Size size) {
            // What the shell has printed moves up, out of the way of the session.
            return alternate ? "\033[?1049h\033[?25l" : "\r\n".repeat(size.rows()) + "\033[H\033[J";
        }
    }

    private RawTerminal(Stdio stdio, OwnTerminal keyboard, Use use) {
        this.stdio = stdio;
        this.use = use;
        String before = TerminalGuard.modes();
        this.raw = keyboard.raw(true);
        this.guard = TerminalGuard.start(before, use.alternate ? "1049" : "1047", use.goodbye);
    }

    /// Takes over the terminal to show a session; null if standard input or output is none.
    static @Nullable RawTerminal forSession() {
        return take(Use.SESSION);
    }

    /// Takes over the terminal to draw on its alternate screen; null if standard input or output is none.
    static @Nullable RawTerminal forView() {
        return take(Use.VIEW);
    }

    private static @Nullable RawTerminal take(Use use) {
        Stdio stdio = Stdio.look();
        if (stdio.in() == null || stdio.out() == null) {
            return null;
        }
        RawTerminal terminal = new RawTerminal(stdio, stdio.in(), use);
        Runtime.getRuntime().addShutdownHook(terminal.hook);
        terminal.show(use.begin(terminal.size()).getBytes(StandardCharsets.US_ASCII));
        return terminal;
    }

    Size size() {
        return stdio.size();
    }

    /// Shows output of the session. Waits for a slow terminal.
    void show(byte[] bytes) {
        writing.lock();
        try {
            if (!restored) {
                modes.feed(bytes);
                write(bytes);
            }
        } finally {
            writing.unlock();
        }
    }

    /// Shows the whole screen of the session in place of what is there.
    void repaint(byte[] bytes) {
        show(RESET.getBytes(StandardCharsets.US_ASCII));
        show(bytes);
    }

    /// Shows a line of Belay's own in the last row, and leaves the cursor where it was.
    void note(String text) {
        Size size = size();
        writing.lock();
        try {
            if (restored) {
                return;
            }
            write(("\0337\033[" + size.rows() + ";1H\033[0;7m " + Words.cut(Visible.of(text), size.cols() - 2)
                    + " \033[m\033[K\0338").getBytes(StandardCharsets.UTF_8));
        } finally {
            writing.unlock();
        }
    }

    /// Enters raw mode again after this process was stopped.
    void comeBack() {
        raw.enter();
    }

    private void write(byte[] bytes) {
        try {
            out.write(bytes);
        } catch (IOException _) {
            // The terminal is gone; a hang-up follows.
        }
    }

    /// Puts the terminal back as it was. If the terminal is stuck, puts back its modes only.
    ///
    /// @param last a line to print then, or empty
    void restore(String last) {
        boolean free = false;
        try {
            free = writing.tryLock(STUCK.toMillis(), TimeUnit.MILLISECONDS);
            if (restored) {
                return;
            }
            restored = true;
            if (free) {
                write(modes.undo());
            }
            raw.close();
            if (free) {
                write(((use.alternate ? "" : "\r\n") + (last.isEmpty() ? "" : last + "\r\n"))
                        .getBytes(StandardCharsets.UTF_8));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            raw.close();
        } finally {
            if (free) {
                writing.unlock();
            }
        }
        if (guard != null) {
            guard.close();
        }
    }

    @Override
    public void close() {
        restore("");
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // The JVM is ending already.
        }
    }
}
