package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.access.Quota;
import dev.belay.agent.AgentSettings;
import dev.belay.mcp.Results;
import dev.belay.server.Api.Answer;
import dev.belay.server.mcp.McpDoor;
import dev.belay.server.settings.ServerSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// Ids are per principal. A client that sees several sessions with one id has to name the owner.
class OwnedSessionsTest extends WithServer {
    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.mount(McpDoor.PATH,
                one -> new McpDoor(one, () -> AgentSettings.DEFAULT, () -> Results.TEXT, "test"));
    }

    private void open(String token, String id, String says) throws Exception {
        Answer opened = api.post(token, "/api/sessions",
                "{\"id\":\"" + id + "\",\"cmd\":\"stty -echo; echo " + says + "; cat\"}");
        assertThat(opened.status()).as(opened.toString()).isEqualTo(201);
        String path = "/api/sessions/" + id + "/wait";
        assertThat(api.post(token, path, "{\"match\":\"" + says + "\"}").json().get("wait_result").asString())
                .isEqualTo("match");
    }

    private static List<String> owners(JsonNode list) {
        List<String> owners = new ArrayList<>();
        list.get("sessions").forEach(session -> owners.add(session.get("owner").asString()));
        return owners;
    }

    @Test
    void anIdThatSomebodyElseHasIsFree() throws Exception {
        open(ALICE, "x", "hers");
        open(BOB, "x", "his");
        assertThat(api.post(BOB, "/api/sessions", "{\"id\":\"x\",\"cmd\":\"true\"}").code())
                .isEqualTo("ALREADY_EXISTS");
        assertThat(api.get(ALICE, "/api/sessions/x/output?from=0").text()).contains("hers");
        assertThat(api.get(BOB, "/api/sessions/x/output?from=0").text()).contains("his");
        assertThat(api.get(BOB, "/api/sessions/x?owner=alice").code()).isEqualTo("NOT_FOUND");
        assertThat(owners(api.get(ADMIN, "/api/sessions").json())).containsExactly("alice", "bob");
        assertThat(api.delete(ALICE, "/api/sessions/x?force=true").status()).isEqualTo(200);
        assertThat(api.get(ALICE, "/api/sessions/x").status()).isEqualTo(404);
        assertThat(api.get(BOB, "/api/sessions/x").json().get("state").asString()).isEqualTo("running");
    }

    @Test
    void anAdminSaysWhoseSessionIsMeantWhereSeveralHaveOne() throws Exception {
        open(ALICE, "x", "hers");
        assertThat(api.get(ADMIN, "/api/sessions/x").json().get("owner").asString()).isEqualTo("alice");
        open(BOB, "x", "his");
        for (String token : List.of(ADMIN, EVE)) {
            Answer which = api.get(token, "/api/sessions/x/output?from=0");
            assertThat(which.code()).isEqualTo("INVALID_REQUEST");
            assertThat(which.text()).contains("alice, bob", "owner=NAME");
            assertThat(api.get(token, "/api/sessions/x/output?from=0&owner=bob").text()).contains("his");
            try (Socket viewer = Socket.attach(http, server.address(), token, "x", "?from=0&owner=alice")) {
                viewer.until("hers");
            }
        }
        open(ADMIN, "x", "mine");
        assertThat(api.get(ADMIN, "/api/sessions/x").json().get("owner").asString()).isEqualTo("admin");
        assertThat(api.post(ADMIN, "/api/sessions/x/input?owner=bob&newline=true", "to bob").status()).isEqualTo(200);
        assertThat(api.post(BOB, "/api/sessions/x/wait", "{\"match\":\"to bob\"}").json().get("wait_result").asString())
                .isEqualTo("match");
        assertThat(api.get(ALICE, "/api/sessions/x/output?from=0").text()).doesNotContain("to bob");
        assertThat(api.delete(ADMIN, "/api/sessions/x?owner=bob&force=true").status()).isEqualTo(200);
        assertThat(owners(api.get(ADMIN, "/api/sessions").json())).containsExactly("admin", "alice");
    }

    @Test
    @Tag("source-tree")
    void overSocketIoTheOwnerStandsInEvents() throws Exception {
        open(ALICE, "x", "hers");
        open(BOB, "x", "his");
        Node.run("terminals.js", server.address(), ADMIN, "owners");
        Node.run("library.js", server.address(), ADMIN, "owners");
    }

    @Test
    void anAgentNamesTheOwnerBeforeTheId() throws Exception {
        open(ALICE, "x", "hers");
        open(BOB, "x", "his");
        Mcp admin = new Mcp(http, server.address(), ADMIN).begin();
        assertThat(admin.result("read_output", "{\"session_id\":\"x\"}").at("/error/message").asString())
                .contains("alice/x, bob/x");
        assertThat(admin.result("read_output", "{\"session_id\":\"bob/x\"}").get("output").asString()).contains("his");
        assertThat(admin.result("write_stdin",
                "{\"session_id\":\"alice/x\",\"chars\":\"hi\\n\",\"wait_for\":{\"match\":\"hi\"}}")
                .get("wait_result").asString()).isEqualTo("match");
        Mcp alice = new Mcp(http, server.address(), ALICE).begin();
        assertThat(alice.result("read_output", "{\"session_id\":\"x\"}").get("output").asString()).contains("hers");
        assertThat(alice.result("read_output", "{\"session_id\":\"bob/x\"}").at("/error/code").asString())
                .isEqualTo("NOT_FOUND");
    }

    @Test
    void overMcpAWatcherSeesEverythingAndChangesNothing() throws Exception {
        open(ALICE, "x", "hers");
        Mcp eve = new Mcp(http, server.address(), EVE).begin();
        assertThat(owners(eve.result("list_pty_sessions", "{}"))).containsExactly("alice");
        assertThat(eve.result("read_output", "{\"session_id\":\"x\"}").get("output").asString()).contains("hers");
        for (String call : List.of(
                "unified_exec {\"cmd\":\"true\"}",
                "write_stdin {\"session_id\":\"x\",\"chars\":\"no\\n\"}",
                "write_stdin {\"session_id\":\"x\"}",
                "close_pty_session {\"session_id\":\"x\"}")) {
            String[] parts = call.split(" ", 2);
            assertThat(eve.result(parts[0], parts[1]).at("/error/code").asString()).as(call).isEqualTo("DENIED");
        }
        assertThat(sessions.get("x").exit()).isEmpty();
        assertThat(sessions.get("x").undrained()).as("nothing was drained").isPositive();
    }

    @Test
    void anAttachedWatcherDoesNotKeepAnIdleSessionAlive() throws Exception {
        String body = "{\"cmd\":\"echo up; read x\",\"idle_timeout_ms\":500}";
        String watched = api.post(ALICE, "/api/sessions", body).json().get("id").asString();
        try (Socket eve = Socket.attach(http, server.address(), EVE, watched, "?from=0");
                Socket mine = Socket.attach(http, server.address(), ALICE, watched, "?from=0&mode=watch")) {
            eve.next(5);
            mine.next(5);
        }
        assertThat(api.get(ALICE, "/api/sessions/" + watched).json().get("end_reason").asString())
                .isEqualTo("idle_timeout");
    }

    @Test
    void aWatcherThatWaitsOrReadsDoesNotKeepAnIdleSessionAlive() throws Exception {
        String body = "{\"cmd\":\"echo up; read x\",\"idle_timeout_ms\":500}";
        String awaited = api.post(ALICE, "/api/sessions", body).json().get("id").asString();
        assertThat(api.post(EVE, "/api/sessions/" + awaited + "/wait", "{\"exit\":true,\"timeout_ms\":60000}").json()
                .get("wait_result").asString()).isEqualTo("exit");
        String read = api.post(ALICE, "/api/sessions", body).json().get("id").asString();
        String output = "/api/sessions/" + read + "/output?wait_ms=60000&from=";
        Answer answer = api.get(EVE, output + "0");
        while (answer.header("Belay-End").isEmpty()) {
            answer = api.get(EVE, output + answer.header("Belay-Output-Next"));
        }
        for (String id : List.of(awaited, read)) {
            assertThat(api.get(ALICE, "/api/sessions/" + id).json().get("end_reason").asString())
                    .isEqualTo("idle_timeout");
        }
    }

    @Test
    @Tag("source-tree")
    void labelsAreOnlyLabels() throws Exception {
        server.reload(settings().doors(new ServerSettings.DoorSettings(null, Duration.ZERO, 3, Duration.ZERO)));
        JsonNode gone = Node.run("terminals.js", server.address(), ALICE, "leaveLabelled");
        String id = gone.get("id").asString();
        while (api.get(ALICE, "/api/sessions/" + id).status() == 200) {
            api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"exit\":true,\"timeout_ms\":1000}");
        }
        JsonNode labelled = api.post(ALICE, "/api/sessions",
                "{\"cmd\":\"read x\",\"labels\":{\"door\":\"agent\",\"keep\":\"true\",\"tool\":\"mvn\"}}").json();
        assertThat(labelled.at("/labels/door").asString()).isEqualTo("agent");
        assertThat(labelled.get("origin").asString()).isEqualTo("api");
        assertThat(labelled.get("keep").booleanValue()).isFalse();
        String many = "{\"cmd\":\"true\",\"labels\":{\"k\":\"" + "v".repeat(1025) + "\"}}";
        assertThat(api.post(ALICE, "/api/sessions", many).code()).isEqualTo("INVALID_REQUEST");
    }

    @Test
    void whenToTryAgainIsANumberOverMcpToo() throws Exception {
        server.reload(settings().quota(new Quota(500, 10, 5, 1, Duration.ofMinutes(10), 1L << 30)));
        Mcp alice = new Mcp(http, server.address(), ALICE).begin();
        alice.result("unified_exec", "{\"cmd\":\"true\"}");
        JsonNode refused = alice.result("unified_exec", "{\"cmd\":\"true\"}");
        assertThat(refused.at("/error/code").asString()).isEqualTo("RATE_LIMITED");
        assertThat(refused.at("/error/retry_after_ms").isIntegralNumber()).as(refused.toString()).isTrue();
        Answer rest = api.post(ALICE, "/api/sessions", "{\"cmd\":\"true\"}");
        assertThat(rest.json().at("/error/retry_after_ms").isIntegralNumber()).isTrue();
        assertThat(rest.header("Retry-After")).matches("\\d+");
    }

    @Test
    void jsonIsStrictUtf8() throws Exception {
        byte[] broken = "{\"cmd\":\"echo ?\"}".getBytes(StandardCharsets.US_ASCII);
        for (byte[] bad : List.of(new byte[] {(byte) 0xFF}, new byte[] {(byte) 0xC0, (byte) 0xAF},
                new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80}, new byte[] {(byte) 0xE2, (byte) 0x82})) {
            String text = new String(broken, StandardCharsets.ISO_8859_1)
                    .replace("?", new String(bad, StandardCharsets.ISO_8859_1));
            byte[] body = text.getBytes(StandardCharsets.ISO_8859_1);
            Answer answer = api.send(ALICE, "POST", "/api/sessions", body);
            assertThat(answer.code()).isEqualTo("INVALID_REQUEST");
            assertThat(answer.text()).contains("not valid UTF-8");
            Answer mcp = api.send(ALICE, "POST", "/mcp", body);
            assertThat(mcp.status()).isEqualTo(400);
            assertThat(mcp.text()).contains("not valid UTF-8");
        }
        byte[] wide = "{\"cmd\":\"true\"}".getBytes(StandardCharsets.UTF_16BE);
        assertThat(api.send(ALICE, "POST", "/api/sessions", wide).code()).isEqualTo("INVALID_REQUEST");
        assertThat(sessions.list()).isEmpty();
    }
}
