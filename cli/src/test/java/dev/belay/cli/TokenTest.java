package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.server.settings.TokenHash;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `belay token --save`, `--list` and `--revoke`, next to a real server.
class TokenTest extends WithBelay {
    private static final String COMMENTED = "# Our server.\n\n[server]   # loopback\nport = 0\n";

    private String token(Belay.Outcome made) {
        assertThat(made.code()).as(made.err()).isZero();
        return made.err().lines().skip(1).findFirst().orElseThrow();
    }

    @Test
    void aTokenIsSavedListedAndRevokedWithoutAnEditor() throws Exception {
        Path file = Files.writeString(folder.resolve("belay.toml"), COMMENTED);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        Path link = Files.createSymbolicLink(folder.resolve("link.toml"), file);
        try (RunningServer server = new RunningServer(belay, "--config", "belay.toml")) {
            Belay.Outcome first = belay.run("token", "alice", "--save", "--config", "link.toml");
            String laptop = token(first);
            assertThat(first.out())
                    .isEqualTo("Saved to link.toml. The server at " + server.address + " has loaded the change.\n");
            assertThat(link).isSymbolicLink();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-r-----");
            assertThat(file).content().startsWith(COMMENTED + "\n[[principals]]\nname = \"alice\"\n")
                    .doesNotContain(laptop);
            assertThat(server.call("GET", "api/sessions", laptop, "")).startsWith("200 ");

            String phone = token(belay.run("token", "alice", "--save", "--config", "belay.toml"));
            assertThat(server.call("GET", "api/sessions", phone, "")).startsWith("200 ");
            assertThat(server.call("GET", "api/sessions", laptop, "")).as("the old one still works").startsWith("200 ");
            assertThat(belay.run("token", "--list", "--config", "belay.toml").out()).isEqualTo(
                    "NAME   ROLE   TOKENS\nalice  user   " + TokenHash.of(laptop) + " " + TokenHash.of(phone) + "\n");

            String hash = TokenHash.of(laptop).text().substring("sha256:".length(), 20);
            Belay.Outcome one = belay.run("token", "--revoke", "alice", "--hash", hash, "--config", "belay.toml");
            assertThat(one.out())
                    .isEqualTo("Revoked 1 token of alice. The server at " + server.address
                            + " has loaded the change.\n");
            assertThat(server.call("GET", "api/sessions", laptop, "")).startsWith("401 ");
            assertThat(server.call("GET", "api/sessions", phone, "")).startsWith("200 ");

            JsonNode all = new JsonMapper().readTree(
                    belay.run("token", "--revoke", "alice", "--json", "--config", "belay.toml").out());
            assertThat(all.path("revoked").path(0).asString()).isEqualTo(TokenHash.of(phone).text());
            assertThat(server.call("GET", "api/sessions", phone, "")).startsWith("401 ");
            assertThat(file).content().startsWith(COMMENTED).endsWith("tokens = []\n");
            JsonNode listed = new JsonMapper().readTree(
                    belay.run("token", "--list", "--json", "--config", "belay.toml").out());
            assertThat(listed.path("principals").path(0).path("name").asString()).isEqualTo("alice");
            assertThat(listed.path("principals").path(0).path("tokens")).isEmpty();
            server.end();
        }
        try (var left = Files.newDirectoryStream(folder, ".belay-*")) {
            assertThat(left).as("no temporary file").isEmpty();
        }
    }

    @Test
    void theStandardFileIsMadeIfThereIsNone() throws Exception {
        belay.env("XDG_CONFIG_HOME", folder.resolve("config").toString());
        assertThat(belay.run("token", "--list").out()).startsWith("There are no principals in ");
        Belay.Outcome made = belay.run("token", "bob", "--role", "watch", "--save", "--out", "bob.token");
        Path file = folder.resolve("config/belay/belay.toml");
        assertThat(made.out())
                .isEqualTo("Saved to " + file + ". No server is running here; the next one will read it.\n");
        assertThat(made.err()).isEmpty();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        assertThat(file).content().contains("role = \"watch\"");
        try (RunningServer server = new RunningServer(belay)) {
            assertThat(belay.run("ls", "--token-file", "bob.token").code()).isZero();
            server.end();
        }
    }

    @Test
    void aServerThatReadsAnotherFileIsTold() throws Exception {
        Files.writeString(folder.resolve("served.toml"), COMMENTED);
        try (RunningServer server = new RunningServer(belay, "--config", "served.toml")) {
            Belay.Outcome made = belay.run("token", "alice", "--save", "--config", "other.toml");
            assertThat(made.code()).isZero();
            assertThat(made.out()).contains("But the server at " + server.address + " reads another file");
            server.end();
        }
    }

    @Test
    void mistakesAreRefusedAndChangeNothing() throws Exception {
        String before = COMMENTED + "[[principals]]\nname = \"alice\"\nrole = \"watch\"\ntokens = [\""
                + TokenHash.of("x").text() + "\"]\n";
        Path file = Files.writeString(folder.resolve("belay.toml"), before);
        List<Belay.Outcome> refused = new ArrayList<>();
        for (String arguments : List.of(
                "--revoke alcie", "--revoke alice --hash ffff", "alice --save --role admin", "--revoke admin",
                "--list x", "alice --list", "--list --save", "--hash 1 --list", "")) {
            Belay.Outcome one = belay.run(("token --config belay.toml " + arguments).strip().split(" "));
            assertThat(one.out()).as(arguments).isEmpty();
            refused.add(one);
        }
        assertThat(refused.stream().map(Belay.Outcome::code)).containsExactly(3, 3, 1, 2, 2, 2, 2, 2, 2);
        assertThat(refused.get(0).err()).contains("There is no principal 'alcie' in belay.toml. Did you mean 'alice'?");
        assertThat(refused.get(1).err()).contains("'belay token --list' lists");
        assertThat(refused.get(2).err()).contains("alice has the role watch; leave out --role");
        assertThat(file).hasContent(before);

        Files.writeString(file, "nonsense = 1\n");
        Belay.Outcome broken = belay.run("token", "bob", "--save", "--config", "belay.toml");
        assertThat(broken.code()).isEqualTo(1);
        assertThat(broken.err()).contains("belay.toml:1:1: unknown setting");
        assertThat(broken.out()).isEmpty();
        assertThat(file).hasContent("nonsense = 1");
    }

    /// No file may grow: the disk is as good as full.
    @Test
    void aSettingsFileThatCannotBeWrittenStaysAsItWas() throws Exception {
        Path file = Files.writeString(folder.resolve("belay.toml"), COMMENTED);
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "ulimit -f 0; exec \"$@\"", "sh"));
        command.addAll(Belay.jvm("token", "alice", "--save", "--config", "belay.toml"));
        Belay.Outcome full = Belay.outcome(belay.start(command), new byte[0]);
        assertThat(full.code()).isEqualTo(1);
        assertThat(full.err()).contains("Cannot write the settings belay.toml", "nothing was changed")
                .doesNotContain("Token of");
        assertThat(file).hasContent(COMMENTED);
        try (var left = Files.newDirectoryStream(folder, ".belay-*")) {
            assertThat(left).as("no temporary file").isEmpty();
        }
    }
}
