package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.server.settings.TokenHash;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// `belay link`, `belay reload` and `belay token`, next to a real server.
class ClientCommandTest extends WithBelay {
    private static String ticketOf(String link) {
        return "{\"ticket\":\"" + link.strip().replaceAll(".*#ticket=", "") + "\"}";
    }

    @Test
    void aLinkSignsInOnceAndTheServerIsFoundByItself() throws Exception {
        try (RunningServer server = new RunningServer(belay)) {
            Belay.Outcome link = belay.run("link");
            assertThat(link.code()).as(link.err()).isZero();
            assertThat(link.out()).startsWith(server.address + "#ticket=").hasLineCount(1);
            assertThat(link.err()).isEqualTo("The link works once, within 10 minutes.\n");
            assertThat(belay.run("link").out()).isNotEqualTo(link.out());
            assertThat(server.call("POST", "api/login", "", ticketOf(link.out())))
                    .startsWith("201 ").contains("\"name\":\"admin\"");
            assertThat(server.call("POST", "api/login", "", ticketOf(link.out()))).startsWith("401 ");
        }
    }

    @Test
    void aLinkIsOfThePrincipalWhoseTokenIsShown() throws Exception {
        Belay.Outcome made = belay.run("token", "eve", "--role", "watch", "--out", "eve.token");
        assertThat(made.code()).as(made.err()).isZero();
        Files.writeString(folder.resolve("belay.toml"), made.out());
        try (RunningServer server = new RunningServer(belay, "--config", "belay.toml")) {
            String link = belay.run("link", "--server", server.address, "--token-file", "eve.token").out();
            assertThat(server.call("POST", "api/login", "", ticketOf(link)))
                    .contains("\"name\":\"eve\"", "\"role\":\"watch\"");
            Belay.Outcome denied = belay.run("reload", "--token-file", "eve.token");
            assertThat(denied.code()).isEqualTo(5);
            assertThat(denied.err()).contains("Only an admin may reload the settings");
        }
    }

    @Test
    void whoIsNotAServerOrDoesNotKnowTheTokenIsTold() throws Exception {
        Belay.Outcome none = belay.run("link");
        assertThat(none.code()).isEqualTo(1);
        assertThat(none.err())
                .isEqualTo("belay: You have no server running here; start one with 'belay serve', or name one with"
                        + " --server URL.\n");
        assertThat(belay.state()).as("a client makes nothing").doesNotExist();
        try (RunningServer server = new RunningServer(belay)) {
            Files.writeString(folder.resolve("wrong"), "nobodys-token\n");
            Belay.Outcome wrong = belay.run("link", "--token-file", "wrong");
            assertThat(wrong.code()).isEqualTo(5);
            assertThat(wrong.err()).contains("does not know this token", "--token-file").hasLineCount(1);
            Belay.Outcome empty = new Belay(folder).env("BELAY_TOKEN", "").run("reload");
            assertThat(empty.code()).isEqualTo(5);
            assertThat(empty.err()).contains("BELAY_TOKEN is set but empty");
            server.signal("KILL");
            server.exit();
            Belay.Outcome killed = belay.run("reload");
            assertThat(killed.code()).isEqualTo(1);
            assertThat(killed.err()).contains("No server answers at " + server.address, "'belay serve'");
        }
        assertThat(belay.run("link", "--server", "nonsense").code()).isEqualTo(2);
        assertThat(belay.run("link", "--nonsense").code()).isEqualTo(2);
        assertThat(belay.run("token").code()).isEqualTo(2);
    }

    @Test
    void theAddressIsGoneWithTheServerAndAPlantedOneIsRefused() throws Exception {
        Path address = belay.state().resolve("belay/address");
        try (RunningServer server = new RunningServer(belay)) {
            assertThat(address).hasContent(server.address);
            Files.setPosixFilePermissions(address, PosixFilePermissions.fromString("rw-rw-rw-"));
            Belay.Outcome planted = belay.run("link");
            assertThat(planted.code()).isEqualTo(1);
            assertThat(planted.err()).contains("chmod 600 '" + address + "'");
            Files.setPosixFilePermissions(address, PosixFilePermissions.fromString("rw-------"));
            server.end();
        }
        assertThat(address).doesNotExist();
    }

    @Test
    void reloadTellsWhatChangedWhatNeedsARestartAndWhatIsWrong() throws Exception {
        Path file = Files.writeString(folder.resolve("belay.toml"), "");
        try (RunningServer server = new RunningServer(belay, "--config", "belay.toml")) {
            assertThat(belay.run("reload").out()).isEqualTo("The settings have not changed.\n");
            Belay.Outcome alice = belay.run("token", "alice");
            Files.writeString(file,
                    alice.out() + "[sessions]\nretention = \"5m\"\n[server.http]\nmax_connections = 9\n");
            Belay.Outcome changed = belay.run("reload");
            assertThat(changed.code()).as(changed.err()).isZero();
            assertThat(changed.out()).isEqualTo("""
                    Changed: principals.alice, server.http.max_connections, sessions.retention
                    Needs a restart: server.http.max_connections
                    """);
            String token = alice.err().lines().skip(1).findFirst().orElseThrow();
            assertThat(server.call("GET", "api/sessions", token, "")).startsWith("200 ");
            Files.writeString(file, "[sessions]\nretention = 5\n");
            Belay.Outcome wrong = belay.run("reload");
            assertThat(wrong.code()).isEqualTo(1);
            assertThat(wrong.err()).startsWith("belay: belay.toml:2:1: sessions.retention must be a time")
                    .hasLineCount(1);
            assertThat(server.call("GET", "api/sessions", token, "")).as("nothing changed").startsWith("200 ");
            String admins = TokenHash.of(server.token()).text();
            Files.writeString(file, "[[principals]]\nname = \"bob\"\ntokens = [\"" + admins + "\"]\n");
            assertThat(belay.run("reload").err()).contains("bob and admin have the same token");
            assertThat(server.call("GET", "api/sessions", token, "")).as("nothing changed").startsWith("200 ");
            server.end();
            assertThat(server.errors()).contains("\"event\":\"reload_failed\"", "\"changed\":[\"principals.alice\"");
        }
    }

    @Test
    void aTokenIsMadeWithItsEntryAndShownOnceOnly() throws Exception {
        Belay.Outcome made = belay.run("token", "alice");
        assertThat(made.code()).isZero();
        String token = made.err().lines().skip(1).findFirst().orElseThrow();
        assertThat(token).matches("[A-Za-z0-9_-]{43}");
        assertThat(made.out()).isEqualTo("""
                [[principals]]
                name = "alice"
                role = "user"
                tokens = ["%s"]
                """.formatted(TokenHash.of(token).text()));
        assertThat(belay.run("token", "alice").err()).doesNotContain(token);
        Belay.Outcome kept = belay.run("token", "alice", "--out", "alice.token");
        Path file = folder.resolve("alice.token");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        String written = Files.readString(file).strip();
        assertThat(kept.out()).contains(TokenHash.of(written).text());
        assertThat(kept.err()).doesNotContain(written);
        Belay.Outcome again = belay.run("token", "alice", "--out", "alice.token");
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.out()).isEmpty();
        assertThat(file).as("it is not overwritten").hasContent(written);
        assertThat(belay.run("token", "admin").err()).contains("choose another name");
        assertThat(belay.run("token", "a b").err()).contains("A principal's name");
        assertThat(belay.run("token", "a", "--role", "root").err()).contains("--role must be admin, user or watch");
    }

    /// No file may grow: the disk is as good as full.
    @Test
    void aTokenThatCannotBeWrittenLeavesNoFile() throws Exception {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "ulimit -f 0; exec \"$@\"", "sh"));
        command.addAll(Belay.jvm("token", "alice", "--out", "alice.token"));
        Belay.Outcome full = Belay.outcome(belay.start(command), new byte[0]);
        assertThat(full.code()).isEqualTo(1);
        assertThat(full.err()).contains("Cannot write the token to alice.token", "free some space");
        assertThat(full.out()).isEmpty();
        assertThat(folder.resolve("alice.token")).doesNotExist();
    }
}
