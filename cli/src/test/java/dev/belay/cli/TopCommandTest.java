package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// `belay top` at a terminal.
@Tag("slow")
class TopCommandTest extends AtTerminal {
    private String begin() throws Exception {
        String running = tmux.begin("clear; belay top; echo rc=$?");
        tmux.await("q quit");
        return running;
    }

    private void quit(String running) throws Exception {
        tmux.press("q");
        tmux.finish(running);
        tmux.await("rc=0");
        assertTerminalAsBefore();
    }

    @Test
    void sessionsComeChangeAndGoLive() throws Exception {
        open("build", "cat");
        open("login", "sh", "-c", "stty -echo; printf 'Password: '; read x; stty echo; echo welcome; exec cat");
        String running = begin();
        tmux.await("who waits comes first", screen -> screen.matches("(?s).*\nlogin +secret .*\nbuild +waits .*"));
        tmux.await("its screen", screen -> screen.contains("── screen of login ──")
                && screen.contains("\nPassword:"));
        assertThat(tmux.screen()).contains("  2 running  2 wait");
        tmux.press("Home"); // from now on it stays selected
        belay.run("send", "login", "sesame", "--newline");
        tmux.await("the screen follows", screen -> screen.contains("\nPassword: welcome"));
        open("third", "sh", "-c", "exit 3");
        tmux.await("a new one", screen -> screen.matches("(?s).*\nthird +exit 3 .*"));
        belay.run("close", "build");
        tmux.await("one is gone", screen -> !screen.contains("\nbuild "));
        quit(running);
    }

    @Test
    void keysFilterSortExplainAttachAndClose() throws Exception {
        open("alpha", "cat");
        open("beta", "sh", "-c", "sleep 1000 & exec cat");
        String running = begin();
        tmux.await("both", screen -> screen.contains("\nalpha ") && screen.contains("\nbeta "));
        tmux.press("?");
        tmux.await("Any key returns.");
        tmux.press("Space");
        tmux.type("/bet");
        tmux.await("the filter", screen -> screen.contains("Filter: bet") && !screen.contains("\nalpha "));
        tmux.press("Escape");
        tmux.await("no filter", screen -> screen.contains("\nalpha ") && screen.contains("q quit"));
        tmux.type("sr");
        tmux.await("by rate, reversed");
        tmux.type("ssssss"); // to the first order again
        tmux.type("G");
        tmux.await("── screen of beta ");
        tmux.press("Enter");
        tmux.await("attached", screen -> screen.contains("detaches") && !screen.contains("belay top"));
        tmux.enter("typed here");
        tmux.await("\ntyped here\ntyped here");
        tmux.press("C-\\", "d");
        tmux.await("back, with the screen below", screen -> screen.contains("belay top")
                && screen.contains("[detached from beta") && screen.contains("\ntyped here\ntyped here"));
        tmux.type("w");
        tmux.await("watching", screen -> screen.contains("detaches") && !screen.contains("belay top"));
        tmux.type("q");
        tmux.await("back", screen -> screen.contains("belay top") && screen.contains("── screen of beta "));
        tmux.type("x");
        tmux.await("the question", screen -> screen.contains("Close beta") && screen.contains("? y or n"));
        tmux.type("n");
        tmux.await("Nothing closed.");
        tmux.type("x");
        tmux.await("Close beta");
        tmux.type("y");
        tmux.await("the answer", screen -> screen.contains("Closed beta: ended 2 processes")
                && !screen.contains("\nbeta "));
        assertThat(belay.run("ls").out()).contains("\nalpha ").doesNotContain("\nbeta ");
        quit(running);
    }

    @Test
    void anySizeIsDrawnAndOnlyChangesAreSent() throws Exception {
        for (int i = 100; i < 130; i++) {
            server.call("POST", "api/sessions", server.token(), "{\"id\": \"many-" + i + "\", \"cmd\": \"cat\"}");
        }
        Path sent = folder.resolve("sent");
        tmux.pipe(sent);
        String running = begin();
        tmux.await("the list", screen -> screen.contains("\nmany-100 ") && screen.contains("  30 running"));
        tmux.press("End");
        tmux.await("the last", screen -> screen.contains("\nmany-129 ") && screen.contains("── screen of many-129 "));
        tmux.press("Home");
        tmux.await("the first", screen -> screen.contains("\nmany-100 ") && screen.contains("── screen of many-100 "));
        String bytes = Files.readString(sent, StandardCharsets.ISO_8859_1);
        assertThat(bytes.split("\033\\[m\033\\[H\033\\[2J", -1)).as("cleared once only").hasSize(2);
        tmux.resize(40, 12);
        tmux.await("forty columns", screen -> screen.matches("(?s)\nbelay top  30 running .*\nID +STATE +RATE +COMMAND"
                + "\nmany-100 +waits +/bin/sh -c.*\n.*── screen of many-100 ─+\n.*"));
        tmux.resize(150, 50);
        tmux.await("many columns", screen -> screen.matches("(?s).*\nID +STATE +RATE +IDLE +AGE +OUTPUT OWNER +VIEWERS"
                + " COMMAND +by needs you\n.*\nmany-120 .*"));
        quit(running);
    }

    @Test
    void theTerminalIsRestoredWhenTheServerOrBelayIsKilled() throws Exception {
        open("alpha", "cat");
        String first = tmux.begin("clear; belay top; echo $? > code");
        tmux.await("\nalpha ");
        belay.launched().destroyForcibly();
        tmux.finish(first);
        assertThat(folder.resolve("code")).hasContent("137");
        tmux.await("belay: killed");
        assertTerminalAsBefore();
        String second = begin();
        server.signal("KILL");
        tmux.await("No server answers at");
        assertThat(tmux.screen()).as("what was known stays").contains("\nalpha ");
        quit(second);
    }

    @Test
    void whatCannotBeShownIsToldOnTheShellsScreen() throws Exception {
        Belay.Outcome none = belay.run("top");
        assertThat(none.code()).isEqualTo(2);
        assertThat(none.err()).contains("belay ls --watch");
        Files.writeString(folder.resolve("wrong"), "nobodys-token\n");
        String running = tmux.begin("clear; belay top --token-file wrong; echo rc=$?");
        tmux.finish(running);
        tmux.await("the reason", screen -> screen.contains("does not know this token") && screen.contains("rc=5"));
        assertTerminalAsBefore();
    }
}
