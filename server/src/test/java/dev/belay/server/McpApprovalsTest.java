package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Approvals;
import dev.belay.ExecPolicy.Action;
import dev.belay.Origin;
import dev.belay.agent.AgentSettings;
import dev.belay.agent.ExecRules;
import dev.belay.agent.Rule;
import dev.belay.mcp.Results;
import dev.belay.server.mcp.McpDoor;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// Answers for an agent's conversation, over HTTP.
class McpApprovalsTest extends WithServer {
    private static final String UNAME = "{\"cmd\":\"uname -s\",\"wait_for\":{\"exit\":true},\"yield_time_ms\":60000}";
    private static final String STATELESS = """
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"unified_exec","arguments":%s,"_meta":{
            "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"""
            .formatted(UNAME);

    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.mount(McpDoor.PATH, one -> new McpDoor(
                one, () -> AgentSettings.DEFAULT, () -> Results.BOTH, "test"));
    }

    @BeforeEach
    void watch() {
        sessions.approvals().settings(new Approvals.Settings(
                Set.of(Origin.AGENT),
                new ExecRules(List.of(Rule.of("machine", Action.ASK, List.of("uname"), null)), Action.ALLOW),
                Duration.ofMinutes(5), 32));
    }

    private JsonNode asked() throws Exception {
        return api.get(ADMIN, "/api/approvals").json().get("approvals").get(0);
    }

    private Api.Answer answer(String scope) throws Exception {
        return api.post(ADMIN, "/api/approvals/" + asked().get("id").asString(),
                "{\"answer\": \"allow\", \"scope\": \"" + scope + "\"}");
    }

    @Test
    void anAnswerHoldsForTheRestOfTheConversationAndForNoOther() throws Exception {
        Mcp first = new Mcp(http, server.address(), ALICE).begin();
        assertThat(first.result("unified_exec", UNAME).get("wait_result").asString()).isEqualTo("approval");
        assertThat(asked().get("scopes").toString()).contains("\"conversation\"");
        assertThat(answer("conversation").json().get("scope").asString()).isEqualTo("conversation");
        assertThat(first.result("unified_exec", UNAME).get("output").asString()).contains("Linux");
        Mcp second = new Mcp(http, server.address(), ALICE).begin();
        assertThat(second.result("unified_exec", UNAME).get("wait_result").asString()).isEqualTo("approval");
        assertThat(answer("once").status()).isEqualTo(200);
    }

    @Test
    void aRequestWithoutAConversationIsNotOfferedOne() throws Exception {
        Mcp stateless = new Mcp(http, server.address(), ALICE);
        HttpResponse<String> answer = stateless.post(STATELESS, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method",
                "tools/call", "Mcp-Name", "unified_exec");
        assertThat(answer.body()).contains("waits for approval: 'uname -s'");
        assertThat(asked().get("scopes").toString()).isEqualTo("[\"once\",\"session\",\"workspace\"]");
        Api.Answer refused = answer("conversation");
        assertThat(refused.code()).isEqualTo("INVALID_REQUEST");
        assertThat(refused.text()).contains("belongs to no agent's conversation");
        assertThat(answer("once").status()).isEqualTo(200);
    }
}
