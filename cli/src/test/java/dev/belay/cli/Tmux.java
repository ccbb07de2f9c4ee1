package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/// A person at a terminal: a shell in a tmux of its own, with keys to press and a screen to look at.
final class Tmux {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String name = "belay-test-" + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet();
    private int commands;

    /// A shell in the folder, which comes first in its PATH.
    Tmux(Path folder, int cols, int rows) throws Exception {
        tmux(
                "new-session",
                "-d",
                "-x" + cols,
                "-y" + rows,
                "-c" + folder,
                "env",
                "PATH=" + folder + ":" + System.getenv("PATH"),
                "PS1=shell> ",
                "HOME=" + folder,
                "HISTFILE=",
                "LC_ALL=C.UTF-8",
                "bash",
                "--norc",
                "--noprofile");
        tmux("set-option", "-g", "remain-on-exit", "on");
        await("the shell's prompt", screen -> screen.contains("shell>"));
    }

    /// Types text, as it is.
    void type(String text) throws Exception {
        tmux("send-keys", "-l", "--", text);
    }

    /// Presses keys by tmux's names for them: `Enter`, `C-c`, `Escape`.
    void press(String... keys) throws Exception {
        List<String> command = new ArrayList<>(List.of("send-keys"));
        command.addAll(List.of(keys));
        tmux(command.toArray(String[]::new));
    }

    void enter(String line) throws Exception {
        type(line);
        press("Enter");
    }

    /// Runs a command line in the shell and returns when it is done.
    void run(String line) throws Exception {
        finish(begin(line));
    }

    /// Begins to run a command line in the shell; give what it returns to [#finish].
    String begin(String line) throws Exception {
        String channel = name + "-" + ++commands;
        enter(line + "; tmux wait-for -S " + channel);
        return channel;
    }

    void finish(String channel) throws Exception {
        tmux("wait-for", channel);
    }

    void resize(int cols, int rows) throws Exception {
        tmux("resize-window", "-x" + cols, "-y" + rows);
    }

    /// The screen's lines, each after a line feed.
    String screen() throws Exception {
        return "\n" + tmux("capture-pane", "-p");
    }

    String await(String text) throws Exception {
        return await("'" + text + "' on the screen", screen -> screen.contains(text));
    }

    String await(String what, Predicate<String> expected) throws Exception {
        return Eventually.see(what, this::screen, expected);
    }

    /// Writes what programs send to the terminal to a file from now on.
    void pipe(Path file) throws Exception {
        tmux("pipe-pane", "cat > '" + file + "'");
    }

    /// What tmux knows about the pane, such as `#{alternate_on}`.
    String know(String format) throws Exception {
        return tmux("display-message", "-p", format).strip();
    }

    private String tmux(String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of("tmux", "-L", name, "-f", "/dev/null"));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeAll(List.of("TMUX", "TMUX_PANE"));
        builder.environment().put("LC_ALL", "C.UTF-8");
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            assertThat(process.waitFor(Belay.PATIENCE_SECONDS, TimeUnit.SECONDS)).as("tmux %s", List.of(args)).isTrue();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            process.destroyForcibly();
        }
    }

    /// Ends the shell and all it has started.
    void kill() throws Exception {
        tmux("kill-server");
    }
}
