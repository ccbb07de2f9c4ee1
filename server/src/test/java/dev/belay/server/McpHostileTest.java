package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.agent.AgentSettings;
import dev.belay.mcp.Results;
import dev.belay.server.mcp.McpDoor;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.ServerSettings.HttpLimits;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Clients of the MCP endpoint that mean no good. Hosts and origins are looked at by [RequestGuardTest], ids of others
/// by [McpTest].
class McpHostileTest extends WithServer {
    private static final Duration SHORT = Duration.ofSeconds(2);

    @Override
    ServerSettings settings() {
        HttpLimits standard = HttpLimits.DEFAULT;
        return super.settings().http(new HttpLimits(standard.headerBytes(), standard.jsonBytes(), standard.jsonDepth(),
                standard.headerTimeout(), SHORT, standard.idleTimeout(), standard.maxWait(),
                standard.maxConnections(), standard.maxUnauthenticated(),
                standard.maxUnauthenticatedPerAddress(), standard.conversations(), standard.conversationIdle()));
    }

    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.mount(McpDoor.PATH,
                one -> new McpDoor(one, () -> AgentSettings.DEFAULT, () -> Results.TEXT, "test"));
    }

    private String host() {
        return "Host: 127.0.0.1:" + server.port();
    }

    @Test
    void aStrangerIsAnsweredBeforeAnythingIsRead() throws Exception {
        for (String request : List.of("POST /mcp", "POST /mcp?token=" + ALICE, "GET /mcp", "DELETE /mcp")) {
            try (Raw raw = new Raw(server.port())) {
                // The body never comes.
                raw.request(request + " HTTP/1.1", host(), "Content-Length: 4000000", "Accept: text/event-stream");
                assertThat(raw.status()).as(request).isEqualTo(401);
            }
        }
        assertThat(api.get(ADMIN, "/metrics").text()).contains("belay_mcp_conversations_begun_total 0.0");
    }

    @Test
    void aBodyThatDoesNotComeIsGivenUp() throws Exception {
        try (Raw raw = new Raw(server.port())) {
            raw.request("POST /mcp HTTP/1.1", host(), "Authorization: Bearer " + ALICE, "Content-Length: 100");
            raw.send("{\"jsonrpc\"");
            assertThat(raw.status()).isEqualTo(408);
        }
    }

    @Test
    void whoGuessesTokensIsSlowedDown() throws Exception {
        int refused = 0;
        for (int i = 0; i < 100 && refused == 0; i++) {
            refused = api.send("guess" + i, "POST", "/mcp", "{}".getBytes(StandardCharsets.UTF_8)).status() == 429
                    ? 1
                    : 0;
        }
        assertThat(refused).isEqualTo(1);
    }

    @Test
    void aClientThatGoesAwayLeavesItsSessionAndNothingElse() throws Exception {
        Mcp alice = new Mcp(http, server.address(), ALICE).begin();
        String call = alice.callMessage(
                "unified_exec", "{\"cmd\":\"sleep 99\",\"session_id\":\"left\",\"wait_for\":{\"exit\":true}}", "token");
        try (Raw raw = new Raw(server.port())) {
            raw.request("POST /mcp HTTP/1.1", host(), "Authorization: Bearer " + ALICE, "Accept: text/event-stream",
                    "Mcp-Session-Id: " + alice.id(), "Content-Length: " + call.length());
            raw.send(call);
            assertThat(raw.status()).isEqualTo(200);
            String line = raw.line();
            while (!line.contains("notifications/progress")) {
                line = raw.line();
            }
        }
        assertThat(api.get(ALICE, "/api/sessions/left").json().get("state").asString()).isEqualTo("running");
        // The call ends with its session; the leak check finds whatever does not.
        assertThat(api.delete(ALICE, "/api/sessions/left").status()).isEqualTo(200);
    }
}
