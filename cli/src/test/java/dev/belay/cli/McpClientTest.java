package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// `belay mcp` as the official TypeScript client uses it: `src/test/mcp` holds the client and what it does.
@Tag("any-user")
class McpClientTest extends WithBelay {
    private static final Path CLIENT = Path.of("src/test/mcp").toAbsolutePath();
    private static final String LINGERS = "lingers";

    private Path workspace;

    @BeforeEach
    void newWorkspace() throws Exception {
        workspace = Files.createDirectory(folder.resolve("workspace"));
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        Eventually.see("no process left", belay::processes, List::isEmpty);
        // A server keeps its token for the next start.
        assertThat(belay.leftFiles()).filteredOn(file -> !file.endsWith("token")).isEmpty();
    }

    private static ProcessBuilder node(String... args) {
        assertThat(CLIENT.resolve("node_modules")).as("run npm ci in cli/src/test/mcp, as scripts/verify does")
                .isDirectory();
        ProcessBuilder node = new ProcessBuilder("node", CLIENT.resolve("scenarios.js").toString());
        node.command().addAll(List.of(args));
        return node;
    }

    private ProcessBuilder scenario(String name) {
        ProcessBuilder node = node(name).directory(workspace.toFile());
        node.environment().putAll(belay.env());
        // A home of its own: shells read the profile there.
        node.environment().put("HOME", folder.toString());
        node.environment().keySet().removeIf(variable -> variable.startsWith("CLAUDE"));
        node.environment().put("BELAY", Belay.command().stream()
                .map(word -> '"' + word.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                .collect(Collectors.joining(",", "[", "]")));
        return node;
    }

    static Stream<String> scenarios() throws Exception {
        Process list = node().start();
        String names = new String(list.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(list.waitFor()).isZero();
        return names.lines().filter(name -> !name.equals(LINGERS));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void anAgentFinds(String scenario) throws Exception {
        Path said = folder.resolve("said");
        Process client = scenario(scenario).redirectErrorStream(true).redirectOutput(said.toFile()).start();
        try {
            boolean ended = client.waitFor(200, TimeUnit.SECONDS);
            assertThat(ended && client.exitValue() == 0).as(() -> ended + ": " + read(said)).isTrue();
        } finally {
            client.destroyForcibly().waitFor();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void whenTheClientIsKilledNothingOfItsSessionsIsLeft() throws Exception {
        Process client = lingering();
        assertThat(belay.processes()).hasSizeGreaterThan(3);
        client.destroyForcibly().waitFor();
    }

    @Test
    void beingToldToEndEndsTheSessionsFirst() throws Exception {
        Process client = lingering();
        try {
            ProcessHandle running = client.children().findFirst().orElseThrow();
            running.destroy();
            assertThat(running.onExit().get(Belay.PATIENCE_SECONDS, TimeUnit.SECONDS)).isNotNull();
            Eventually.see("nothing but the client", belay::processes,
                    left -> left.stream().allMatch(process -> process.contains("scenarios.js")));
        } finally {
            client.destroyForcibly().waitFor();
        }
    }

    private Process lingering() throws Exception {
        Process client = scenario(LINGERS).redirectError(folder.resolve("said").toFile()).start();
        BufferedReader out = client.inputReader();
        assertThat(out.readLine()).as(() -> read(folder.resolve("said"))).isEqualTo("up");
        return client;
    }
}
