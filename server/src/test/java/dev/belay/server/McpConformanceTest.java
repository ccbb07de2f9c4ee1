package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.agent.AgentSettings;
import dev.belay.mcp.Results;
import dev.belay.server.mcp.McpDoor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The official conformance suite of MCP, in node: `src/test/conformance` holds it, and why some of it is not for
/// Belay.
@Tag("source-tree")
class McpConformanceTest extends WithServer {
    private static final Path SUITE = Path.of("src/test/conformance").toAbsolutePath();
    private static final Path MODULES = SUITE.resolve("node_modules");

    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.mount(McpDoor.PATH,
                one -> new McpDoor(one, () -> AgentSettings.DEFAULT, () -> Results.TEXT, "test"));
    }

    @Test
    void theServerConformsToTheRevisionsWithAHandshake() throws Exception {
        assertThat(conformance("--spec-version", "2025-11-25", "--expected-failures",
                SUITE.resolve("expected-failures.yml").toString())).contains(
                        "✓ server-initialize", "✓ ping", "✓ tools-list", "✓ server-sse-multiple-streams",
                        "✓ dns-rebinding-protection");
    }

    @Test
    void theServerConformsToTheRevisionWithout() throws Exception {
        assertThat(conformance("--requirements", "2026-07-28", "--expected-failures",
                SUITE.resolve("expected-failures-2026-07-28.yml").toString())).contains(
                        "✓ tools-list", "✗ server-stateless: 24 passed, 4 failed", "✓ http-header-validation",
                        "✓ server-sse-multiple-streams", "✓ dns-rebinding-protection");
    }

    private String conformance(String... options) throws Exception {
        assertThat(MODULES).as("run npm ci in server/src/test/conformance, as scripts/verify does").isDirectory();
        String processor = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x64";
        Path said = folder.resolve("said");
        ProcessBuilder suite = new ProcessBuilder(
                MODULES.resolve("node-linux-" + processor + "/bin/node").toString(),
                "--import", SUITE.resolve("sign-in.mjs").toUri().toString(),
                MODULES.resolve("@modelcontextprotocol/conformance/dist/index.js").toString(),
                "server", "--url", server.address() + "mcp")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        suite.command().addAll(List.of(options));
        suite.environment().put("BELAY_TOKEN", ALICE);
        Process process = suite.start();
        try {
            boolean ended = process.waitFor(180, TimeUnit.SECONDS);
            assertThat(ended).as("the suite is done; it said: %s", Files.readString(said)).isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        String text = Files.readString(said);
        assertThat(process.exitValue()).as(text).isZero();
        return text;
    }
}
