package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Session;
import dev.belay.access.Quota;
import dev.belay.agent.AgentSettings;
import dev.belay.mcp.Results;
import dev.belay.server.mcp.McpDoor;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.ServerSettings.HttpLimits;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/// The agent tools over streamable HTTP.
class McpTest extends WithServer {
    private static final int MOST_CONVERSATIONS = 3;

    @Override
    ServerSettings settings() {
        return settings(HttpLimits.DEFAULT.conversationIdle());
    }

    private ServerSettings settings(Duration idle) {
        HttpLimits standard = HttpLimits.DEFAULT;
        return super.settings()
                .quota(new Quota(500, 2, 5, 10_000, Duration.ofMinutes(1), 1L << 30))
                .http(new HttpLimits(standard.headerBytes(), standard.jsonBytes(), standard.jsonDepth(),
                        standard.headerTimeout(), standard.bodyTimeout(), standard.idleTimeout(), standard.maxWait(),
                        standard.maxConnections(), standard.maxUnauthenticated(),
                        standard.maxUnauthenticatedPerAddress(), MOST_CONVERSATIONS, idle));
    }

    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.mount(McpDoor.PATH,
                one -> new McpDoor(one, () -> AgentSettings.DEFAULT, () -> Results.TEXT, "test"));
    }

    private Mcp mcp(String token) {
        return new Mcp(http, server.address(), token);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2025-03-26", "2025-06-18", "2025-11-25"})
    void anAgentsSessionsAreItsPrincipalsAndShowInTheirList(String version) throws Exception {
        Mcp alice = mcp(ALICE).begin(version, "{}");
        JsonNode opened = alice.result("unified_exec",
                "{\"cmd\":\"echo up; cat\",\"session_id\":\"chat\",\"wait_for\":{\"match\":\"up\"}}");
        assertThat(opened.get("wait_result").asString()).isEqualTo("match");
        JsonNode record = api.get(ALICE, "/api/sessions/chat").json();
        assertThat(record.get("owner").asString()).isEqualTo("alice");
        assertThat(record.at("/origin").asString()).isEqualTo("agent");
        assertThat(api.get(BOB, "/api/sessions/chat").status()).isEqualTo(404);
        assertThat(mcp(BOB).begin().result("write_stdin", "{\"session_id\":\"chat\",\"chars\":\"x\"}")
                .at("/error/code").asString()).isEqualTo("NOT_FOUND");
        assertThat(alice.result("write_stdin",
                "{\"session_id\":\"chat\",\"chars\":\"hello\\n\",\"wait_for\":{\"match\":\"hello\\\\nhello\"}}")
                .get("wait_result").asString()).isEqualTo("match");
        assertThat(alice.result("close_pty_session", "{\"session_id\":\"chat\"}").get("success").booleanValue())
                .isTrue();
        assertThat(api.get(ALICE, "/api/sessions/chat").status()).isEqualTo(404);
        assertThat(api.get(ALICE, "/api/events?session=chat").json().get("events"))
                .filteredOn(one -> one.get("event").asString().equals("called"))
                .extracting(one -> one.get("by").asString() + " " + one.get("tool").asString())
                .containsExactly("alice unified_exec", "alice write_stdin", "alice close_pty_session");
    }

    @Test
    void aConversationIsNobodyElses() throws Exception {
        Mcp alice = mcp(ALICE).begin();
        for (String other : List.of(BOB, ADMIN, EVE)) {
            Mcp thief = alice.stolenBy(other);
            assertThat(thief.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}").statusCode()).isEqualTo(404);
            assertThat(thief.send("GET").statusCode()).isEqualTo(404);
            assertThat(thief.send("DELETE").statusCode()).isEqualTo(404);
        }
        assertThat(alice.stolenBy("nobodys").send("DELETE").statusCode()).isEqualTo(401);
        assertThat(alice.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}").statusCode()).isEqualTo(200);
    }

    @Test
    void whatIsNoMessageOfAConversationIsRefused() throws Exception {
        Mcp alice = mcp(ALICE);
        assertThat(alice.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}").statusCode())
                .as("no conversation").isEqualTo(400);
        alice.begin();
        assertThat(
                alice.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", "MCP-Protocol-Version", "1999-01-01")
                        .statusCode())
                .isEqualTo(400);
        assertThat(
                alice.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", "MCP-Protocol-Version", "2025-06-18")
                        .statusCode())
                .isEqualTo(200);
        assertThat(alice.post("{no json")).satisfies(answer -> {
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("-32700");
        });
        assertThat(alice.post("{\"id\":1}").statusCode()).as("no JSON-RPC").isEqualTo(200);
        assertThat(alice.post("17").statusCode()).isEqualTo(400);
        assertThat(alice.post("[".repeat(100) + "]".repeat(100)).statusCode()).as("too deep").isEqualTo(400);
        assertThat(alice.post(" ".repeat((8 << 20) + 1)).statusCode()).isEqualTo(413);
        assertThat(alice.send("PUT").statusCode()).isEqualTo(405);
    }

    @Test
    void messagesThatComeTogetherAreAnsweredTogether() throws Exception {
        Mcp alice = mcp(ALICE).begin("2025-03-26", "{}");
        var answer = alice.post("""
                [{"jsonrpc":"2.0","id":"a","method":"ping"},
                 {"jsonrpc":"2.0","method":"notifications/unknown"},
                 {"jsonrpc":"2.0","id":"b","method":"tools/list"}]""");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).startsWith("[").contains("\"id\":\"a\"", "\"id\":\"b\"");
        try (Mcp.Stream events = alice.stream("""
                [{"jsonrpc":"2.0","id":"a","method":"ping"},
                 {"jsonrpc":"2.0","id":"b","method":"tools/call",
                  "params":{"name":"list_pty_sessions","arguments":{}}}]""")) {
            assertThat(events.next()).isNotNull();
            assertThat(events.next()).isNotNull();
            assertThat(events.next()).isNull();
        }
    }

    @Test
    void aClientThatTakesNoEventsGetsItsAnswerAsJson() throws Exception {
        Mcp alice = mcp(ALICE).begin();
        var answer = api.send(ALICE, "POST", "/mcp",
                alice.callMessage("list_pty_sessions", "{}", "token").getBytes(StandardCharsets.UTF_8),
                "Accept", "application/json", "Mcp-Session-Id", alice.id());
        assertThat(answer.header("Content-Type")).isEqualTo("application/json");
        assertThat(answer.json().at("/result/structuredContent/success").booleanValue()).isTrue();
    }

    @Test
    void progressComesOnTheWayToTheAnswer() throws Exception {
        Mcp alice = mcp(ALICE).begin();
        try (Mcp.Stream events = alice.stream(alice.callMessage(
                "unified_exec", "{\"cmd\":\"sleep 2.2; echo done\",\"wait_for\":{\"exit\":true}}", "token"))) {
            JsonNode message = events.next();
            int progress = 0;
            while (message != null && message.has("method")) {
                assertThat(message.get("method").asString()).isEqualTo("notifications/progress");
                assertThat(message.at("/params/progressToken").asString()).isEqualTo("token");
                assertThat(message.at("/params/progress").intValue()).isGreaterThan(progress);
                progress = message.at("/params/progress").intValue();
                message = events.next();
            }
            assertThat(progress).isPositive();
            assertThat(message).isNotNull();
            assertThat(message.at("/result/structuredContent/output").asString()).contains("done");
            assertThat(events.next()).as("nothing after the answer").isNull();
        }
    }

    @Test
    void aCancelledCallEndsWithoutAnAnswerAndItsSessionGoesOn() throws Exception {
        Mcp alice = mcp(ALICE).begin();
        String call = alice.callMessage(
                "unified_exec", "{\"cmd\":\"sleep 1000\",\"session_id\":\"c\",\"wait_for\":{\"exit\":true}}", "token");
        try (Mcp.Stream events = alice.stream(call)) {
            assertThat(events.next()).as("it is under way").isNotNull();
            assertThat(
                    alice.post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
                            + alice.lastCall() + "}}").statusCode())
                    .isEqualTo(202);
            JsonNode message = events.next();
            while (message != null) {
                assertThat(message.has("method")).as("no answer: %s", message).isTrue();
                message = events.next();
            }
        }
        assertThat(api.get(ALICE, "/api/sessions/c").json().get("state").asString()).isEqualTo("running");
    }

    @Test
    void theServerAsksForTheClientsRootsOnItsStreamAndTheNewestStreamHasIt() throws Exception {
        Path root = Files.createDirectories(folder.resolve("workspace/project"));
        Mcp alice = mcp(ALICE).begin("2025-11-25", "{\"roots\":{}}");
        try (Mcp.Stream first = alice.stream(null)) {
            JsonNode question = first.next();
            assertThat(question).isNotNull();
            assertThat(question.get("method").asString()).isEqualTo("roots/list");
            assertThat(alice.post("{\"jsonrpc\":\"2.0\",\"id\":" + question.get("id")
                    + ",\"result\":{\"roots\":[{\"uri\":\"" + root.toUri() + "\"}]}}").statusCode()).isEqualTo(202);
            assertThat(alice.result("unified_exec", "{\"cmd\":\"pwd\",\"wait_for\":{\"exit\":true}}")
                    .get("output").asString()).contains(root.toString());
            try (Mcp.Stream second = alice.stream(null)) {
                assertThat(first.next()).as("the first is over").isNull();
                alice.post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}");
                assertThat(second.next()).isNotNull();
            }
        }
    }

    @Test
    void aConversationEndsAndItsSessionsDoNot() throws Exception {
        Mcp alice = mcp(ALICE).begin();
        alice.result("unified_exec", "{\"cmd\":\"cat\",\"session_id\":\"kept\"}");
        try (Mcp.Stream stream = alice.stream(null)) {
            assertThat(alice.send("DELETE").statusCode()).isEqualTo(204);
            assertThat(stream.next()).isNull();
        }
        assertThat(alice.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}").statusCode()).isEqualTo(404);
        assertThat(mcp(ALICE).begin().result("list_pty_sessions", "{}").at("/sessions/0/id").asString())
                .isEqualTo("kept");
    }

    @Test
    void aRevokedTokenEndsItsConversations() throws Exception {
        Mcp alice = mcp(ALICE).begin();
        try (Mcp.Stream stream = alice.stream(null)) {
            server.reload(settings().accounts(List.of(accounts().getFirst())));
            assertThat(stream.next()).isNull();
        }
        assertThat(alice.send("GET").statusCode()).isEqualTo(401);
    }

    @Test
    void tooManyConversationsTakeThePlaceOfThoseThatNobodyUses() throws Exception {
        String ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
        Mcp first = mcp(ALICE).begin();
        Mcp second = mcp(ALICE).begin();
        Mcp bobs = mcp(BOB).begin();
        assertThat(first.post(ping).statusCode()).isEqualTo(200);
        List<Mcp> more = List.of(mcp(ALICE).begin(), mcp(ALICE).begin());
        assertThat(second.post(ping).statusCode()).as("the one that was not used for longest").isEqualTo(404);
        assertThat(first.post(ping).statusCode()).isEqualTo(200);
        assertThat(bobs.post(ping).statusCode()).as("somebody else's").isEqualTo(200);
        try (Mcp.Stream _ = first.stream(null);
                Mcp.Stream _ = more.getFirst().stream(null);
                Mcp.Stream _ = more.getLast().stream(null)) {
            var refused = api.send(ALICE, "POST", "/mcp",
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}".getBytes(StandardCharsets.UTF_8),
                    "Accept",
                    "application/json");
            assertThat(refused.status()).as("all are in use").isEqualTo(429);
            assertThat(refused.code()).isEqualTo("LIMIT_REACHED");
        }
    }

    @Test
    void anAgentHasItsPrincipalsQuotaAndAWatcherNone() throws Exception {
        Mcp alice = mcp(ALICE).begin();
        api.open(ALICE, "cat");
        for (int i = 0; i < 2; i++) {
            assertThat(alice.result("unified_exec", "{\"cmd\":\"cat\"}").get("running").booleanValue()).isTrue();
        }
        JsonNode full = alice.result("unified_exec", "{\"cmd\":\"cat\"}");
        assertThat(full.at("/error/code").asString()).isEqualTo("LIMIT_REACHED");
        assertThat(full.at("/error/message").asString()).startsWith("Maximum PTY sessions reached (2 of 2)");
        assertThat(server.gate().overQuota()).isEqualTo(1);
        assertThat(mcp(EVE).begin().result("unified_exec", "{\"cmd\":\"cat\"}").at("/error/code").asString())
                .isEqualTo("DENIED");
    }

    @Test
    void aPersonWhoHasTheKeyboardIsNotTypedOverByTheirOwnAgent() throws Exception {
        Mcp agent = mcp(ADMIN).begin();
        agent.result("unified_exec", "{\"cmd\":\"stty -echo; echo up; cat\",\"session_id\":\"s\","
                + "\"wait_for\":{\"match\":\"up\"}}");
        api.post(ADMIN, "/api/sessions/s/lease", "{\"action\":\"take\",\"private\":true}");
        assertThat(agent.result("write_stdin", "{\"session_id\":\"s\",\"chars\":\"x\"}").at("/error/code").asString())
                .isEqualTo("DENIED");
        api.post(ADMIN, "/api/sessions/s/input?newline=true", "secret");
        api.post(ADMIN, "/api/sessions/s/wait", "{\"match\":\"secret\"}");
        api.post(ADMIN, "/api/sessions/s/lease", "{\"action\":\"give_back\"}");
        assertThat(agent.result("read_output", "{\"session_id\":\"s\"}").get("output").asString())
                .contains("up").doesNotContain("secret");
        assertThat(
                agent.result("write_stdin", "{\"session_id\":\"s\",\"chars\":\"y\\n\",\"wait_for\":{\"match\":\"y\"}}")
                        .get("wait_result").asString())
                .isEqualTo("match");
    }

    @Test
    void aConversationThatNobodyUsesIsForgotten() throws Exception {
        String ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
        Mcp left = mcp(ALICE).begin();
        Mcp listening = mcp(ALICE).begin();
        try (Mcp.Stream _ = listening.stream(null)) {
            server.reload(settings(Duration.ofNanos(1)));
            assertThat(left.post(ping).statusCode()).isEqualTo(404);
            assertThat(listening.post(ping).statusCode()).as("a stream is a use").isEqualTo(200);
            listening.send("DELETE");
        }
        byte[] initialize = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}".getBytes(StandardCharsets.UTF_8);
        assertThat(api.send(BOB, "POST", "/mcp", initialize).status()).isEqualTo(200);
        // That it is forgotten tells nobody, and a look at itself would be a use.
        while (!api.get(ADMIN, "/metrics").text().contains("belay_mcp_conversations 0.0")) {
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    @Test
    void whatAgentsAndPeopleTypeIsCountedTogether() throws Exception {
        Mcp agent = mcp(ALICE).begin();
        agent.call("unified_exec", "{\"cmd\":\"cat\",\"session_id\":\"cat\"}");
        agent.call("write_stdin", "{\"session_id\":\"cat\",\"chars\":\"agent\\n\"}");
        assertThat(api.post(ALICE, "/api/sessions/cat/input", "person\n").status()).isEqualTo(200);
        assertThat(api.get(ADMIN, "/metrics").text()).contains("belay_input_bytes_total 13.0");
    }

    @Test
    void conversationsAreCounted() throws Exception {
        mcp(ALICE).begin();
        mcp(BOB).begin().send("DELETE");
        assertThat(api.get(ADMIN, "/metrics").text())
                .contains("belay_mcp_conversations 1.0", "belay_mcp_conversations_begun_total 2.0");
        assertThat(sessions.list()).map(Session::id).isEmpty();
    }
}
