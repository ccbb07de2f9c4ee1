package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.modelcontextprotocol.spec.McpClientTransport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// `belay mcp --server`: the same tools once more, over standard input and output and from there to a server.
@Tag("any-user")
class BridgedMcpTest extends ServedMcpTest {
    private static final String INITIALIZE = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":"
            + "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
            + "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n";

    @Override
    McpClientTransport toServer() {
        return stdio("mcp", "--server", server.address, "--results", "both");
    }

    @Test
    void aServerThatIsStartedAnewIsFoundAgain() throws Exception {
        assertThat(call("unified_exec", Map.of("cmd", "cat")).get("running")).isEqualTo(true);
        server.end();
        server = new RunningServer(belay, "--workspace", folder.toString(), "--port", server.port());
        assertThat(call("unified_exec", Map.of("cmd", "echo new; exit 5", "wait_for", Map.of("exit", true))))
                .containsEntry("exit_code", 5);
    }

    @Test
    void theTokenOfAFileIsShownAndAWrongOneIsToldToTheClient() throws Exception {
        Path file = folder.resolve("other-token");
        Files.writeString(file, "nobodys\n");
        Belay.Outcome wrong =
                belay.feed(INITIALIZE, "mcp", "--server", server.address, "--token-file", file.toString());
        assertThat(wrong.code()).isZero();
        assertThat(wrong.out()).contains("\"id\":1", "\"error\"", "401");
        Files.writeString(file, server.token() + "\n");
        assertThat(belay.feed(INITIALIZE, "mcp", "--server", server.address, "--token-file", file.toString()).out())
                .contains("\"id\":1", "\"serverInfo\"");
        assertThat(new Belay(folder).env("BELAY_SERVER", server.address).env("BELAY_TOKEN", server.token())
                .feed(INITIALIZE, "mcp").out()).as("by the environment").contains("\"serverInfo\"");
    }

    @Test
    void whoCannotBeReachedIsToldToTheClient() throws Exception {
        Belay.Outcome nobody = belay.feed(INITIALIZE, "mcp", "--server", "http://127.0.0.1:1");
        assertThat(nobody.out()).contains("\"id\":1", "cannot be reached", "belay serve");
        assertThat(belay.run("mcp", "--server", "http://192.0.2.1:10000").err()).contains("unencrypted");
        assertThat(belay.run("mcp", "--server", "https://192.0.2.1:10000").err()).contains("--token-file");
        assertThat(belay.run("mcp", "--server", "ftp://localhost").err()).contains("is not the address of a server");
        assertThat(belay.run("mcp", "--server", server.address, "--workspace", ".").err())
                .contains("settings of the server");
    }
}
