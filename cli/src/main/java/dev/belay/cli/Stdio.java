package dev.belay.cli;

import dev.belay.SessionException;
import dev.belay.Size;
import dev.belay.linux.Machine;
import dev.belay.linux.Terminal;
import org.jspecify.annotations.Nullable;

/// Which of this process's standard streams are terminals.
///
/// @param in  the terminal on standard input: a keyboard
/// @param out the terminal on standard output: a screen
record Stdio(@Nullable Terminal in, @Nullable Terminal out) {
    private static final int STDIN = 0;
    private static final int STDOUT = 1;

    static Stdio look() {
        return new Stdio(Terminal.at(STDIN).orElse(null), Terminal.at(STDOUT).orElse(null));
    }

    /// Whether help may be coloured: on a terminal, unless the user wants none (https://no-color.org).
    static boolean coloured() {
        String refused = System.getenv("NO_COLOR");
        if ((refused != null && !refused.isEmpty()) || "dumb".equals(System.getenv("TERM"))) {
            return false;
        }
        if (!Machine.nativeAccess()) {
            // The JVM would complain, and then allow it: nobody could tell any more that it was not enabled.
            return false;
        }
        try {
            return Terminal.isTerminal(STDOUT);
        } catch (SessionException | LinkageError _) {
            // Where there is no host for sessions there is help all the same.
            return false;
        }
    }

    boolean any() {
        return in != null || out != null;
    }

    /// The size of the screen, or of the keyboard's terminal where the output goes elsewhere; 80x24 without both.
    Size size() {
        Terminal known = out != null ? out : in;
        return known == null ? Size.DEFAULT : known.size();
    }
}
