package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The tools of a running server as the official Java client uses them over HTTP.
class ServedMcpTest extends McpJavaClientTest {
    RunningServer server;

    @Override
    McpClientTransport transport() throws Exception {
        server = new RunningServer(belay, "--workspace", folder.toString());
        return toServer();
    }

    McpClientTransport toServer() throws Exception {
        String token = server.token();
        return HttpClientStreamableHttpTransport.builder(server.address)
                .endpoint("/mcp")
                .addHttpRequestCustomizer((request, _, _, _, _) -> request.header("Authorization", "Bearer " + token))
                .build();
    }

    @Override
    @AfterEach
    void nothingIsLeft() throws Exception {
        client.closeGracefully();
        server.end();
        server.close();
        Eventually.see("no process left", belay::processes, List::isEmpty);
        assertThat(belay.leftFiles()).as("all but the token").map(file -> file.getFileName().toString())
                .containsOnly("token");
    }

    /// By two clients: over HTTP this one reads one answer at a time. That one conversation has several calls under way is
    /// tested with the server.
    @Override
    @Test
    void callsRunSideBySide() throws Exception {
        McpSyncClient other = connected(toServer());
        try {
            CompletableFuture<Map<String, Object>> waits = CompletableFuture.supplyAsync(() -> call("unified_exec",
                    Map.of("cmd", "while [ ! -e made ]; do sleep 0.05; done; exit 4", "wait_for", ENDED)));
            other.callTool(CallToolRequest.builder("unified_exec").arguments(Map.of("cmd", "touch made")).build());
            assertThat(waits.get()).containsEntry("exit_code", 4);
        } finally {
            other.closeGracefully();
        }
    }

    @Test
    void whatTheAgentStartsIsThereForPeopleAndStaysWhenItGoes() throws Exception {
        call("unified_exec", Map.of("cmd", "cat", "session_id", "seen"));
        assertThat(server.call("GET", "api/sessions/seen", server.token(), ""))
                .contains("\"owner\":\"admin\"", "\"door\":\"agent\"", "\"state\":\"running\"");
        client.closeGracefully();
        assertThat(server.call("GET", "api/sessions/seen", server.token(), "")).contains("\"state\":\"running\"");
    }
}
