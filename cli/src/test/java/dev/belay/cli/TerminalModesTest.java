package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Every command leaves the terminal's settings as they were.
@Tag("slow")
class TerminalModesTest extends AtTerminal {
    private static final List<String> COMMANDS = List.of(
            "open --name one -- cat", "ls", "ls --json", "read one", "read one --screen", "send one text --newline",
            "wait one --match text --timeout 50s", "resize one 100x30", "signal one WINCH", "search text", "close one",
            "link", "reload", "token someone", "token --list", "completion bash", "help", "--version", "run -- true",
            "run --pipe -- true", "read nobody", "attach nobody", "nonsense", "ls --nonsense");

    @Test
    void eachCommandLeavesTheTerminalAsItWas() throws Exception {
        StringBuilder script = new StringBuilder();
        for (String command : COMMANDS) {
            script.append("belay ").append(command).append("\nstty -g >> modes\n");
        }
        Files.writeString(folder.resolve("script"), script);
        tmux.run(". ./script");
        String before = Files.readString(folder.resolve("before"));
        assertThat(folder.resolve("modes")).hasContent(before.repeat(COMMANDS.size()));
        assertTerminalAsBefore();
    }

    private boolean begun() throws Exception {
        Path pid = folder.resolve("belay.pid");
        return Files.exists(pid) && Files.size(pid) > 0;
    }

    /// `attach` and `top` go on and try again; these end.
    @ParameterizedTest
    @ValueSource(strings = {"ls --watch", "read one --follow", "wait one --match never"})
    void aKilledServerEndsACommandThatWaits(String command) throws Exception {
        open("one", "cat");
        Files.deleteIfExists(folder.resolve("belay.pid"));
        String waiting = tmux.begin("clear; belay " + command + "; echo $? > code");
        Eventually.see("a connection to the server",
                () -> begun() && SessionCommandsTest.sockets(belay.launched().pid()) > 0, connected -> connected);
        server.signal("KILL");
        tmux.finish(waiting);
        assertThat(folder.resolve("code")).hasContent("1");
        tmux.await("No server answers at");
        assertTerminalAsBefore();
    }
}
