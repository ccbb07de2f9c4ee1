package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpClientTransport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The tools of a running server as the official Java client uses them over HTTP.
class ServedMcpTest extends McpJavaClientTest {
    RunningServer server;
    private Path settings;

    @Override
    McpClientTransport transport() throws Exception {
        settings = Files.writeString(folder.resolve("belay.toml"), "");
        server = new RunningServer(
                belay, "--workspace", folder.toString(), "--config", settings.toString());
        return toServer();
    }

    McpClientTransport toServer() throws Exception {
        String token = server.token();
        return HttpClientStreamableHttpTransport.builder(server.address)
                .endpoint("/mcp?results=both")
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

    @Test
    void newRulesHoldForTheNextCallOfAConversationThatIsUnderWay() throws Exception {
        Map<String, Object> echo = Map.of("cmd", "echo said", "wait_for", Map.of("exit", true));
        assertThat(call("unified_exec", echo)).containsEntry("output", "said\n");
        Files.writeString(settings, """
                [[agent.rules]]
                name = "no-echo"
                action = "deny"
                programs = ["echo"]
                """);
        server.signal("HUP");
        Map<String, Object> denied =
                Eventually.see("a refusal", () -> call("unified_exec", echo), answer -> answer.get("error") != null);
        assertThat(denied.get("error")).asString().contains("DENIED", "no-echo");
        Files.writeString(settings, "");
        server.signal("HUP");
        Eventually.see("it is allowed again", () -> call("unified_exec", echo), answer -> answer.get("error") == null);
    }

    @Test
    void whatTheAgentStartsIsThereForPeopleAndStaysWhenItGoes() throws Exception {
        call("unified_exec", Map.of("cmd", "cat", "session_id", "seen"));
        assertThat(server.call("GET", "api/sessions/seen", server.token(), ""))
                .contains("\"owner\":\"admin\"", "\"origin\":\"agent\"", "\"state\":\"running\"");
        client.closeGracefully();
        assertThat(server.call("GET", "api/sessions/seen", server.token(), "")).contains("\"state\":\"running\"");
    }
}
