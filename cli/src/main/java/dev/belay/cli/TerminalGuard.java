package dev.belay.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A small shell that restores the terminal if Belay is killed and cannot do so itself.
///
/// It holds the read end of a pipe. When Belay leaves in an orderly way, it says so first. Otherwise the guard puts
/// back the modes, if they are still those that Belay set, and switches off what full-screen programs switch on.
final class TerminalGuard implements AutoCloseable {
    private static final String SCRIPT = """
            trap '' HUP INT QUIT TERM TSTP TTIN TTOU
            raw=$(stty -g <&1)
            read -r left && exit
            [ "$(stty -g <&1)" != "$raw" ] || stty "$1" <&1
            printf '\\033[?1000l\\033[?1002l\\033[?1003l\\033[?1004l\\033[?1006l\\033[?2004l\\033[?2026l\\033[?1l\\033>'
            printf '\\033[?%sl\\033[?25h\\033[m\\r\\n%s\\r\\n' "$2" "$3"
            """;

    private final Process guard;

    private TerminalGuard(Process guard) {
        this.guard = guard;
    }

    /// The modes of the terminal, as `stty` writes them; null without `stty`. Ask before raw mode.
    static @Nullable String modes() {
        try {
            Process stty = new ProcessBuilder("stty", "-g")
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .redirectError(Path.of("/dev/null").toFile())
                    .start();
            String modes = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return stty.waitFor() == 0 && !modes.isEmpty() ? modes : null;
        } catch (IOException _) {
            // No stty: there will be no guard.
            return null;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /// Starts a guard. Call this in raw mode.
    ///
    /// @param screen  the mode of the alternate screen to leave: 1047, or 1049, which also moves the cursor back
    /// @param goodbye a line to print then
    static @Nullable TerminalGuard start(@Nullable String modes, String screen, String goodbye) {
        if (modes == null) {
            return null;
        }
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", SCRIPT, "belay-guard", modes, screen, goodbye)
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(Path.of("/dev/null").toFile());
        Map<String, String> env = builder.environment();
        env.keySet().removeIf(name -> !name.equals("PATH"));
        try {
            return new TerminalGuard(builder.start());
        } catch (IOException _) {
            // Without a shell, only a kill by SIGKILL leaves the terminal raw.
            return null;
        }
    }

    /// Tells the guard that the terminal is restored.
    @Override
    public void close() {
        try (OutputStream pipe = guard.getOutputStream()) {
            pipe.write('\n');
        } catch (IOException _) {
            // It has ended.
        }
        try {
            guard.waitFor();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
