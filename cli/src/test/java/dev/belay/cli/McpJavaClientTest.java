package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// `belay mcp` as the official Java client uses it.
class McpJavaClientTest extends WithBelay {
    private static final Map<String, Object> ENDED = Map.of("exit", true);

    McpSyncClient client;

    /// How messages come and go, which is all that may differ between the ways to the tools.
    McpClientTransport transport() throws Exception {
        return stdio("mcp", "--workspace", folder.toString(), "--results", "both");
    }

    StdioClientTransport stdio(String... args) {
        List<String> command = Belay.command(args);
        ServerParameters parameters = ServerParameters.builder(command.getFirst())
                .args(command.subList(1, command.size()))
                .env(belay.env())
                .build();
        return new StdioClientTransport(parameters, McpJsonDefaults.getMapper());
    }

    @BeforeEach
    void connect() throws Exception {
        client = McpClient.sync(transport())
                .requestTimeout(Duration.ofSeconds(Belay.PATIENCE_SECONDS))
                .build();
        client.initialize();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        client.closeGracefully();
        Eventually.see("no process left", belay::processes, List::isEmpty);
        assertThat(belay.leftFiles()).isEmpty();
    }

    @SuppressWarnings("unchecked")
    Map<String, Object> call(String tool, Map<String, Object> arguments) {
        CallToolResult result = client.callTool(CallToolRequest.builder(tool).arguments(arguments).build());
        Map<String, Object> content = (Map<String, Object>) result.structuredContent();
        assertThat(result.isError()).isEqualTo(!(boolean) content.get("success"));
        return content;
    }

    @Test
    void theToolsAreListedWithTheirSchemas() {
        List<Tool> tools = client.listTools().tools();
        assertThat(tools).extracting(Tool::name).containsExactly(
                "unified_exec", "write_stdin", "read_output", "list_pty_sessions", "close_pty_session");
        assertThat(tools).allSatisfy(tool -> assertThat(tool.outputSchema()).isNotEmpty());
        assertThat(client.getServerInstructions()).contains("unified_exec");
    }

    @Test
    void aCommandIsRunAndItsOutputIsThereAgain() {
        Map<String, Object> done = call("unified_exec", Map.of("cmd", "echo hi; exit 3", "wait_for", ENDED));
        assertThat(done).containsEntry("output", "hi\n").containsEntry("exit_code", 3).containsEntry("running",
                false);
        assertThat(call("read_output", Map.of("session_id", done.get("session_id"), "from", 0)))
                .containsEntry("output", "hi\n");
    }

    @Test
    void aConversationWithAProgramGoesOnAcrossCalls() {
        Map<String, Object> python =
                call("unified_exec", Map.of("cmd", "python3 -q", "wait_for", Map.of("match", ">>> ")));
        Object id = python.get("session_id");
        call("write_stdin", Map.of("session_id", id, "chars", "x = 6\n", "wait_for", Map.of("match", ">>> $")));
        assertThat(call("write_stdin", Map.of("session_id", id, "chars", "print('is', x * 7)\n",
                "wait_for", Map.of("match", "is \\d+\\n"))).get("output").toString()).contains("is 42");
        assertThat(call("list_pty_sessions", Map.of()).get("sessions")).asInstanceOf(
                org.assertj.core.api.InstanceOfAssertFactories.LIST).hasSize(1);
        assertThat(call("close_pty_session", Map.of("session_id", id))).containsEntry("success", true);
    }

    @Test
    void callsRunSideBySide() throws Exception {
        // Not on the common pool, which the JDK's HTTP client needs, and which has one thread on a small machine.
        CompletableFuture<Map<String, Object>> waits = CompletableFuture.supplyAsync(
                () -> call("unified_exec",
                        Map.of("cmd", "while [ ! -e made ]; do sleep 0.05; done; exit 4", "wait_for", ENDED)),
                Thread::startVirtualThread);
        call("unified_exec", Map.of("cmd", "touch made", "wait_for", ENDED));
        assertThat(waits.get()).containsEntry("exit_code", 4);
    }

    @Test
    void whatCannotBeDoneIsAResult() {
        assertThat(call("write_stdin", Map.of("session_id", "nobody")).get("error")).asString().contains("NOT_FOUND");
        assertThat(call("unified_exec", Map.of("cmd", 3)).get("error")).asString().contains("cmd must be a string");
        assertThatThrownBy(() -> call("no_such_tool", Map.of()))
                .isInstanceOf(McpError.class).hasMessageContaining("no_such_tool");
    }
}
