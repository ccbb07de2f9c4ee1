package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.SessionException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tomlj.Toml;
import tools.jackson.databind.json.JsonMapper;

/// `belay mcp --install` and `--check`, and the page that explains them.
class McpSetUpTest extends WithBelay {
    private static final String LAUNCHER = "/opt/belay/belay";
    private static final Path PAGE = Path.of("../docs/agents.md");
    private static final Pattern SNIPPET = Pattern.compile("```(json|toml)\n(.*?)```", Pattern.DOTALL);

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    private int install(AgentClient client, Path file, boolean agrees) throws Exception {
        return new McpInstall(client, file, LAUNCHER, new PrintStream(said, true, StandardCharsets.UTF_8),
                () -> agrees).run();
    }

    @Test
    @Tag("source-tree")
    void everySnippetOfThePageCanBeParsed() throws Exception {
        String page = Files.readString(PAGE);
        int count = 0;
        for (MatchResult snippet : SNIPPET.matcher(page).results().toList()) {
            if (snippet.group(1).equals("json")) {
                assertThat(JsonMapper.shared().readTree(snippet.group(2)).isObject()).isTrue();
            } else {
                assertThat(Toml.parse(snippet.group(2)).errors()).as(snippet.group(2)).isEmpty();
            }
            count++;
        }
        assertThat(count).isGreaterThanOrEqualTo(8);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("source-tree")
    void thePageShowsWhatIsInstalled(AgentClient client) throws Exception {
        String page = Files.readString(PAGE);
        assertThat(page).contains("`" + client.word() + "`");
        String document = client.document(LAUNCHER);
        boolean shown = SNIPPET.matcher(page).results().anyMatch(snippet -> client.isToml()
                ? snippet.group(2).equals(document) || (snippet.group(1).equals("toml")
                        && Toml.parse(snippet.group(2)).equals(Toml.parse(document)))
                : snippet.group(1).equals("json") && JsonMapper.shared().readTree(snippet.group(2))
                        .equals(JsonMapper.shared().readTree(document)));
        assertThat(shown).as(document).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void anEntryIsWrittenOnceAndOnlyIfAgreed(AgentClient client) throws Exception {
        Path file = folder.resolve("deep/settings");
        assertThat(install(client, file, false)).isEqualTo(1);
        assertThat(file).doesNotExist();
        assertThat(install(client, file, true)).isZero();
        assertThat(said.toString(StandardCharsets.UTF_8)).contains(LAUNCHER, client.title(), client.next());
        String written = Files.readString(file);
        assertThat(new ClientFile(client, written).has()).isTrue();
        assertThat(install(client, file, true)).isZero();
        assertThat(Files.readString(file)).isEqualTo(written);
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("already has an entry 'belay'");
    }

    @Test
    void otherEntriesAndCommentsStayAsTheyAreWritten() throws Exception {
        String before = """
                // my settings
                {
                  "theme": "dark", /* never light */
                  "context_servers": {
                    // mine
                    "other": {"command": "x", "args": ["belay"],},
                  },
                }
                """;
        Path file = Files.writeString(folder.resolve("settings.json"), before);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        Path link = Files.createSymbolicLink(folder.resolve("link.json"), file);
        assertThat(install(AgentClient.ZED, link, true)).isZero();
        String after = Files.readString(file);
        assertThat(Files.isSymbolicLink(link)).isTrue();
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-r-----"));
        assertThat(before.lines()).allSatisfy(line -> assertThat(after.lines()).contains(line));
        assertThat(after).contains("\"belay\": " + AgentClient.ZED.entry(LAUNCHER) + ",");
        try (var left = Files.list(folder)) {
            assertThat(left.map(path -> path.getFileName().toString())).noneMatch(name -> name.endsWith(".new"));
        }
    }

    @Test
    void sectionsThatAreMissingOrEmptyAreFilled() {
        for (String before : List.of(
                "{}", "{ }", "{\"a\": 1}", "{\"mcpServers\": {}}", "{\"a\": {\"mcpServers\": 1}}")) {
            ClientFile file = new ClientFile(AgentClient.CLAUDE, before);
            assertThat(new ClientFile(AgentClient.CLAUDE, file.with(LAUNCHER)).has()).as(before).isTrue();
        }
        String before = "model = \"x\" # mine\n[mcp_servers.other]\ncommand = \"y\"";
        String toml = new ClientFile(AgentClient.CODEX, before).with(LAUNCHER);
        assertThat(toml).startsWith(before + "\n\n[mcp_servers.belay]\n");
        assertThat(Toml.parse(toml).getString("mcp_servers.other.command")).isEqualTo("y");
    }

    @Test
    void aFileThatCannotBeReadIsLeftAloneAndToldWhatToDo() throws Exception {
        for (String broken : new String[] {"{\"mcpServers\": ", "[]", "{\"mcpServers\": []}", "17 {}"}) {
            Path file = Files.writeString(folder.resolve("broken.json"), broken);
            assertThatThrownBy(() -> install(AgentClient.CLAUDE, file, true)).isInstanceOf(SessionException.class)
                    .hasMessageContaining("broken.json").hasMessageContaining("by hand").hasMessageContaining(LAUNCHER);
            assertThat(Files.readString(file)).isEqualTo(broken);
        }
        assertThatThrownBy(() -> new ClientFile(AgentClient.CODEX, "a = ").with(LAUNCHER))
                .hasMessageContaining("by hand");
    }

    @Test
    void theCommandChecksItself() throws Exception {
        Belay.Outcome checked = belay.run("mcp", "--check", "--workspace", folder.toString());
        assertThat(checked.code()).as(checked.out() + checked.err()).isZero();
        assertThat(checked.out()).contains("2026-07-28", "unified_exec", folder.toRealPath() + "\n", "It works.");
        assertThat(belay.run("mcp", "--check", "--server", "http://127.0.0.1:1").code()).isNotZero();
        assertThat(belay.run("mcp", "--install", "emacs").err()).contains("claude, codex");
        assertThat(belay.run("mcp", "--install", "claude").err()).contains("--yes");
    }

    @Test
    void theEntryGoesToTheHomeOfTheEnvironmentAsClientsSeeIt() throws Exception {
        Path home = Files.createDirectories(folder.resolve("home"));
        Belay.Outcome installed = belay.env("HOME", home.toString()).run("mcp", "--install", "codex", "--yes");
        assertThat(installed.code()).as(installed.out() + installed.err()).isZero();
        assertThat(Files.readString(home.resolve(".codex/config.toml"))).contains("[mcp_servers.belay]");
    }

    @Test
    void aRunningServerIsJoinedFromInsideItsWorkspaceOnly() throws Exception {
        Path inside = Files.createDirectories(folder.resolve("served/deep"));
        Path outside = Files.createDirectories(folder.resolve("outside"));
        try (RunningServer server = new RunningServer(belay, "--workspace", folder.resolve("served").toString())) {
            Belay.Outcome joined = belay.run("mcp", "--check", "--workspace", inside.toString());
            assertThat(joined.err()).contains("sessions run on your server");
            assertThat(joined.out()).contains("/served/deep\n", "It works.");
            assertThat(server.call("GET", "api/sessions", server.token(), "")).contains("\"workdir\":\"deep\"");
            Belay.Outcome alone = belay.run("mcp", "--check", "--workspace", outside.toString());
            assertThat(alone.err()).contains("running standalone", "is not inside its workspace");
            assertThat(alone.out()).contains("/outside\n");
            assertThat(belay.run("mcp", "--check", "--standalone", "--workspace", inside.toString()).err())
                    .doesNotContain("your server");
            server.end();
        }
    }
}
