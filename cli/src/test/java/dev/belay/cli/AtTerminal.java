package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// A test of the real command as a person uses it: at a terminal, which is a tmux pane, next to a server.
abstract class AtTerminal extends WithBelay {
    RunningServer server;
    Tmux tmux;

    @BeforeEach
    void sitDown() throws Exception {
        server = serve();
        belay.writeLauncher();
        tmux = new Tmux(folder, 90, 30);
        tmux.run("stty -g > before");
    }

    RunningServer serve() throws Exception {
        return new RunningServer(belay);
    }

    @AfterEach
    void getUp() throws Exception {
        try {
            tmux.kill();
            server.process.destroy();
            server.exit();
        } finally {
            server.close();
        }
    }

    void open(String name, String... command) throws Exception {
        List<String> words = new ArrayList<>(List.of("open", "--name", name, "--"));
        words.addAll(List.of(command));
        Belay.Outcome opened = belay.run(words.toArray(String[]::new));
        assertThat(opened.code()).as(opened.err()).isZero();
    }

    /// The modes that the kernel keeps, and those of the terminal.
    void assertTerminalAsBefore() throws Exception {
        tmux.run("stty -g > after");
        assertThat(folder.resolve("after")).hasSameTextualContentAs(folder.resolve("before"));
        assertThat(tmux.know("#{alternate_on}/#{cursor_flag}/#{keypad_cursor_flag}/#{mouse_any_flag}"))
                .isEqualTo("0/1/0/0");
    }
}
