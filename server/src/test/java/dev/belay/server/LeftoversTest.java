package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.agent.AgentSettings;
import dev.belay.mcp.Results;
import dev.belay.server.mcp.McpDoor;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// What a command leaves running is counted, and closing its session says how many processes it ended.
class LeftoversTest extends WithServer {
    /// Leaves two daemons that have neither a terminal nor an environment. The kernel hangs up on those that have not
    /// left the terminal yet when the shell exits.
    private static final String LEAVES =
            "trap '' HUP; d() { env -i setsid sleep 1000 >/dev/null 2>&1 & }; (d; d); echo hi";

    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.mount(
                McpDoor.PATH, one -> new McpDoor(one, () -> AgentSettings.DEFAULT, () -> Results.BOTH, "test"));
    }

    @Test
    void anAgentIsToldHowManyProcessesItsCommandLeftAndHowManyAreEnded() throws Exception {
        Mcp alice = new Mcp(http, server.address(), ALICE).begin();
        JsonNode done = alice.result("unified_exec",
                "{\"cmd\":\"" + LEAVES + "\",\"session_id\":\"left\",\"wait_for\":{\"exit\":true}}");
        assertThat(done.get("survivors").asInt()).as(done.toString()).isEqualTo(2);
        JsonNode closed = alice.result("close_pty_session", "{\"session_id\":\"left\"}");
        assertThat(closed.get("ended").asInt()).as(closed.toString()).isEqualTo(2);
    }

    @Test
    void aCloseOverRestSaysHowManyProcessesItEnded() throws Exception {
        String id = api.open(ALICE, LEAVES);
        api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"exit\":true}");
        assertThat(api.delete(ALICE, "/api/sessions/" + id).json().get("ended").asInt()).isEqualTo(2);
    }
}
