package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Starting a server from a client command, and stopping it.
class StopAndStartTest extends WithBelay {
    @AfterEach
    void nothingIsLeft() throws Exception {
        belay.run("stop");
        Eventually.see("no process", () -> belay.processes(), java.util.List::isEmpty);
    }

    @Test
    void openStartsAServerInTheBackgroundAndStopEndsIt() throws Exception {
        Path config = Files.createDirectories(folder.resolve("config/belay"));
        Files.writeString(config.resolve("belay.toml"), "[server]\nport = 0\n");
        belay.env("XDG_CONFIG_HOME", config.getParent().toString());
        Belay.Outcome none = belay.run("ls");
        assertThat(none.code()).isEqualTo(1);
        assertThat(none.err()).contains("start one with 'belay serve'");
        Belay.Outcome opened = belay.run("open", "--start", "--name", "one", "--", "cat");
        assertThat(opened.code()).as(opened.err()).isZero();
        assertThat(opened.out()).isEqualTo("one\n");
        Path log = belay.state().resolve("belay/serve.log");
        assertThat(opened.err()).contains("started a server at http://127.0.0.1:", log.toString());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(log))).isEqualTo("rw-------");
        Belay.Outcome second = belay.run("open", "--start", "--name", "two", "--", "cat");
        assertThat(second.err()).as("the same server").isEmpty();
        assertThat(belay.run("ls").out()).contains("\none ", "\ntwo ");
        Belay.Outcome stopped = belay.run("stop");
        assertThat(stopped.code()).as(stopped.err()).isZero();
        assertThat(stopped.out()).startsWith("Stopped http://127.0.0.1:").endsWith("and ended 2 sessions.\n");
        assertThat(belay.run("stop").code()).isEqualTo(1);
        assertThat(log).content().contains("\"event\":\"stopped\"");
    }

    @Test
    void aServerThatCannotStartIsToldWithTheEndOfItsLog() throws Exception {
        Path config = Files.createDirectories(folder.resolve("config/belay"));
        Files.writeString(config.resolve("belay.toml"), "nonsense = 1\n");
        belay.env("XDG_CONFIG_HOME", config.getParent().toString());
        Belay.Outcome failed = belay.run("open", "--start");
        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.err()).contains("The server did not start", "nonsense");
    }

    @Test
    void onlyAnAdminMayStopAServer() throws Exception {
        Belay.Outcome made = belay.run("token", "eve", "--out", "eve.token");
        Files.writeString(folder.resolve("belay.toml"), made.out());
        try (RunningServer server = new RunningServer(belay, "--config", "belay.toml")) {
            Belay.Outcome denied = belay.run("stop", "--token-file", "eve.token");
            assertThat(denied.code()).isEqualTo(5);
            assertThat(denied.err()).contains("Only an admin may stop the server");
            server.end();
        }
    }
}
