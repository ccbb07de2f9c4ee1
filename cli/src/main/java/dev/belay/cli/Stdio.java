package dev.belay.cli;

import dev.belay.Size;
import dev.belay.linux.OwnTerminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Which of this process's standard streams are terminals.
///
/// @param in  the terminal on standard input: a keyboard
/// @param out the terminal on standard output: a screen
record Stdio(@Nullable OwnTerminal in, @Nullable OwnTerminal out) {
    private static final int STDIN = 0;
    private static final int STDOUT = 1;

    static Stdio look() {
        return new Stdio(OwnTerminal.at(STDIN).orElse(null), OwnTerminal.at(STDOUT).orElse(null));
    }

    /// Whether to print colours: on a terminal, unless the user wants none (https://no-color.org).
    static boolean coloured() {
        String refused = System.getenv("NO_COLOR");
        if ((refused != null && !refused.isEmpty()) || "dumb".equals(System.getenv("TERM"))) {
            return false;
        }
        return isTerminal();
    }

    /// Whether standard output is a terminal. Asks no native code, which would take time to load, and works where
    /// sessions do not.
    static boolean isTerminal() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException _) {
            return false;
        }
    }

    boolean any() {
        return in != null || out != null;
    }

    /// The size of the terminal on standard output, or else of the one on standard input; 80x24 without both.
    Size size() {
        OwnTerminal known = out != null ? out : in;
        return known == null ? Size.DEFAULT : known.size();
    }
}
