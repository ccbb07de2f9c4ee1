package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Completion scripts in the real shells, and manual pages.
class CompletionTest extends WithBelay {
    private RunningServer server;

    @BeforeEach
    void serve() throws Exception {
        server = new RunningServer(belay);
        belay.writeLauncher();
        assertThat(belay.run("open", "--name", "build-7", "--", "cat").code()).isZero();
        for (String shell : List.of("bash", "zsh", "fish")) {
            Files.writeString(folder.resolve("belay." + shell), belay.run("completion", shell).out());
        }
    }

    @AfterEach
    void end() throws Exception {
        server.end();
        server.close();
    }

    /// Runs a shell with the launcher in its PATH.
    private String shell(String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().putAll(belay.env());
        builder.environment().put("HOME", folder.toString());
        builder.environment().put("PATH", folder + ":" + System.getenv("PATH"));
        Belay.Outcome outcome = Belay.outcome(builder.start(), new byte[0]);
        assertThat(outcome.err()).as(outcome.out()).isEmpty();
        return outcome.out();
    }

    private String bash(String... words) throws Exception {
        String script = "source belay.bash; COMP_WORDS=(" + String.join(" ", words) + "); COMP_CWORD="
                + (words.length - 1) + "; _belay; printf '%s\\n' \"${COMPREPLY[@]}\"";
        return shell("bash", "--norc", "-c", script);
    }

    @Test
    void bashCompletesCommandsOptionsIdsAndChoices() throws Exception {
        assertThat(bash("belay", "at")).isEqualTo("attach\n");
        assertThat(bash("belay", "read", "--fo")).isEqualTo("--follow\n");
        assertThat(bash("belay", "attach", "bui")).isEqualTo("build-7\n");
        assertThat(bash("belay", "signal", "build-7", "KI")).isEqualTo("KILL\n");
        assertThat(bash("belay", "token", "--role", "w")).isEqualTo("watch\n");
        assertThat(shell("bash", "--norc", "-c", "source belay.bash; complete -p belay"))
                .isEqualTo("complete -F _belay belay\n");
    }

    @Test
    void fishCompletesCommandsOptionsAndIds() throws Exception {
        assertThat(shell("fish", "-c", "source belay.fish; complete -C 'belay att'")).startsWith("attach\t");
        assertThat(shell("fish", "-c", "source belay.fish; complete -C 'belay read --foll'")).startsWith("--follow\t");
        assertThat(shell("fish", "-c", "source belay.fish; complete -C 'belay close bui'")).isEqualTo("build-7\n");
    }

    @Test
    void zshCompletesIdsAtItsPrompt() throws Exception {
        Tmux tmux = new Tmux(folder, 90, 30);
        try {
            tmux.enter("XDG_STATE_HOME=" + belay.state() + " PS1='zsh> ' zsh -f");
            tmux.await("zsh>");
            tmux.enter("autoload -Uz compinit && compinit -u -d dump && source ./belay.zsh && echo loa''ded");
            tmux.await("\nloaded");
            tmux.type("belay close bui");
            tmux.press("Tab");
            tmux.await("belay close build-7");
            tmux.press("C-u");
            tmux.type("belay stat");
            tmux.press("C-u");
            tmux.type("belay rel");
            tmux.press("Tab");
            tmux.await("belay reload");
        } finally {
            tmux.kill();
        }
    }

    @Test
    void everyCommandHasAManualPage() throws Exception {
        for (String command : Commands.NAMES) {
            Files.writeString(folder.resolve(command + ".1"), belay.run("help", "--man", command).out());
        }
        Files.writeString(folder.resolve("belay.1"), belay.run("help", "--man").out());
        assertThat(shell("sh", "-c", "for page in *.1; do groff -man -Tutf8 -ww \"$page\" > /dev/null || exit; done"))
                .isEmpty();
        assertThat(shell("sh", "-c", "groff -man -Tascii open.1 | sed 's/.\\x08//g; s/\\x1b\\[[0-9;]*m//g'"))
                .contains("belay-open - Open a session.", "--workdir=DIR", "EXAMPLES");
    }
}
