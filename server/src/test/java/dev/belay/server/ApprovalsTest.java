package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Actor;
import dev.belay.Approvals;
import dev.belay.ExecPolicy.Action;
import dev.belay.Origin;
import dev.belay.access.Role;
import dev.belay.agent.ExecRules;
import dev.belay.agent.Rule;
import dev.belay.server.logs.EventLog;
import dev.belay.server.settings.Account;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.TokenHash;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// Approvals over REST, with rules, real processes and four principals.
class ApprovalsTest extends WithServer {
    private final ByteArrayOutputStream log = new ByteArrayOutputStream();

    @Override
    ServerSettings settings() {
        List<Account> accounts = List.of(
                account("admin", Role.ADMIN, ADMIN),
                new Account("alice", Role.USER, List.of(TokenHash.of(ALICE)), null, dev.belay.Isolation.NONE,
                        List.of("bob")),
                account("bob", Role.USER, BOB),
                account("eve", Role.WATCH, EVE));
        return super.settings().accounts(accounts);
    }

    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.events(EventLog.json(new PrintStream(log, true, StandardCharsets.UTF_8)));
    }

    @BeforeEach
    void watch() {
        List<Rule> rules = List.of(
                Rule.of("machine", Action.ASK, List.of("uname"), null),
                Rule.of("never", Action.DENY, List.of("arch"), null));
        sessions.approvals().settings(new Approvals.Settings(
                Set.of(Origin.API), new ExecRules(rules, Action.ALLOW), Duration.ofMinutes(5), 32));
    }

    private JsonNode pending(String token) throws Exception {
        JsonNode list = api.get(token, "/api/approvals").json();
        while (list.get("approvals").isEmpty()) {
            list = api.get(token, "/api/approvals?wait_ms=60000&after=" + list.get("revision")).json();
        }
        return list.get("approvals").get(0);
    }

    private String output(String token, String id) throws Exception {
        assertThat(api.post(token, "/api/sessions/" + id + "/wait", "{\"exit\": true, \"timeout_ms\": 60000}").json()
                .get("wait_result").asString()).isEqualTo("exit");
        return api.get(token, "/api/sessions/" + id + "/output").text();
    }

    @Test
    void anAdminSeesWhatIsAskedAndAnswers() throws Exception {
        String id = api.open(ALICE, "uname -s; echo end");
        JsonNode asked = pending(ADMIN);
        assertThat(asked.get("session").asString()).isEqualTo(id);
        assertThat(asked.get("owner").asString()).isEqualTo("alice");
        assertThat(asked.get("program").asString()).endsWith("/uname");
        assertThat(asked.get("words").toString()).isEqualTo("[\"uname\",\"-s\"]");
        assertThat(asked.get("workdir").asString()).isEqualTo(folder.resolve("workspace").toString());
        assertThat(asked.get("rule").asString()).isEqualTo("machine");
        assertThat(asked.get("ancestors")).isNotEmpty();
        JsonNode record = api.get(ALICE, "/api/sessions/" + id).json();
        assertThat(record.at("/guard/watched").asBoolean()).isTrue();
        assertThat(record.at("/guard/approvals").asInt()).isEqualTo(1);
        String path = "/api/approvals/" + asked.get("id").asString();
        Api.Answer done = api.post(ADMIN, path, "{\"answer\": \"allow\", \"scope\": \"session\"}");
        assertThat(done.status()).isEqualTo(200);
        assertThat(done.json().get("state").asString()).isEqualTo("allowed");
        assertThat(done.json().get("by").asString()).isEqualTo("admin");
        assertThat(output(ALICE, id)).contains("Linux").contains("end");
        Api.Answer late = api.post(ADMIN, path, "{\"answer\": \"deny\"}");
        assertThat(late.status()).isEqualTo(404);
        assertThat(late.json().at("/error/state").asString("")).isEqualTo("allowed");
    }

    @Test
    void onlyAdminsAndApproversAnswer() throws Exception {
        String id = api.open(ALICE, "uname -s || echo refused");
        String path = "/api/approvals/" + pending(ALICE).get("id").asString();
        assertThat(api.post(ALICE, path, "{\"answer\": \"allow\"}").code()).isEqualTo("DENIED");
        assertThat(api.post(EVE, path, "{\"answer\": \"allow\"}").code()).isEqualTo("DENIED");
        assertThat(api.post(null, path, "{\"answer\": \"allow\"}").status()).isEqualTo(401);
        assertThat(pending(BOB).get("id")).isNotNull();
        assertThat(api.post(BOB, path, "{\"answer\": \"deny\"}").json().get("by").asString()).isEqualTo("bob");
        assertThat(output(ALICE, id)).contains("refused");
    }

    @Test
    void strangersDoNotSeeOthersQuestions() throws Exception {
        String id = api.open(BOB, "uname -s");
        String path = "/api/approvals/" + pending(ADMIN).get("id").asString();
        assertThat(api.get(ALICE, "/api/approvals").json().get("approvals")).isEmpty();
        assertThat(api.post(ALICE, path, "{\"answer\": \"allow\"}").code()).isEqualTo("NOT_FOUND");
        assertThat(api.delete(BOB, "/api/sessions/" + id).status()).isEqualTo(200);
        assertThat(api.get(ADMIN, "/api/approvals").json().get("approvals")).isEmpty();
    }

    /// Bob is an approver of Alice, not of himself.
    @Test
    void anAnswerForOnePrincipalCountsForNobodyElse() throws Exception {
        String first = api.open(ALICE, "uname -s");
        String path = "/api/approvals/" + pending(BOB).get("id").asString();
        api.post(BOB, path, "{\"answer\": \"allow\", \"scope\": \"workspace\", \"words\": 1}");
        assertThat(output(ALICE, first)).contains("Linux");
        assertThat(output(ALICE, api.open(ALICE, "uname -m || echo no"))).doesNotContain("no");
        String second = api.open(BOB, "uname -s || echo no");
        JsonNode asked = pending(ADMIN);
        assertThat(asked.get("owner").asString()).isEqualTo("bob");
        api.post(ADMIN, "/api/approvals/" + asked.get("id").asString(), "{\"answer\": \"deny\"}");
        assertThat(output(BOB, second)).contains("no");
    }

    /// Bob is an approver, Eve watches. Neither may read what Alice types privately.
    @Test
    void whatIsTypedPrivatelyIsNotShownToOthers() throws Exception {
        String id = api.post(ALICE, "/api/sessions", "{\"command\": [\"sh\"]}").json().get("id").asString();
        String lease = "/api/sessions/" + id + "/lease";
        api.post(ALICE, lease, "{\"action\": \"take\", \"private\": true}");
        api.post(ALICE, "/api/sessions/" + id + "/input", "cd /usr; uname secret-word\n");
        String path = "/api/approvals/" + pending(ALICE).get("id").asString();
        assertThat(pending(ALICE).at("/shown/command").asString()).isEqualTo("uname secret-word");
        assertThat(pending(ADMIN).at("/shown/command").asString()).isEqualTo("uname secret-word");
        assertThat(pending(ADMIN).get("scopes").toString()).isEqualTo("[\"once\",\"session\"]");
        for (String token : List.of(BOB, EVE)) {
            JsonNode seen = pending(token);
            assertThat(seen.at("/shown/command").asString()).isEqualTo("⟦typed privately by alice⟧");
            assertThat(seen.get("private_to").asString()).isEqualTo("alice");
            assertThat(seen.toString()).doesNotContain("secret").doesNotContain("uname").doesNotContain("/usr");
        }
        assertThat(sessions.get(id).as(new Actor("alice").asAgent()).approvals().toString()).doesNotContain("uname");
        api.post(ALICE, lease, "{\"action\": \"give_back\"}");
        try (Socket viewer = Socket.attach(http, server.address(), EVE, id, "?from=0")) {
            assertThat(next(viewer, 0x0a).json().toString()).contains("privately").doesNotContain("uname");
        }
        assertThat(api.post(BOB, path, "{\"answer\": \"allow\"}").code()).isEqualTo("DENIED");
        assertThat(api.post(BOB, path, "{\"answer\": \"deny\"}").text()).doesNotContain("uname");
        assertThat(log.toString(StandardCharsets.UTF_8)).contains("exec_answered").doesNotContain("uname");
        assertThat(api.get(ALICE, "/api/events").text()).contains("answered").doesNotContain("uname");
        api.post(ALICE, "/api/sessions/" + id + "/input", "uname open-word\n");
        assertThat(pending(EVE).at("/shown/command").asString()).isEqualTo("uname open-word");
    }

    @Test
    void badAnswersAreRefusedAndTheQuestionStaysOpen() throws Exception {
        api.open(ALICE, "uname -s");
        String path = "/api/approvals/" + pending(ADMIN).get("id").asString();
        for (String body : List.of("{}", "{\"answer\": \"yes\"}", "{\"answer\": \"allow\", \"scope\": \"ever\"}",
                "{\"answer\": \"allow\", \"words\": 0}", "{\"answer\": \"allow\", \"more\": 1}")) {
            assertThat(api.post(ADMIN, path, body).code()).as(body).isEqualTo("INVALID_REQUEST");
        }
        assertThat(api.post(ADMIN, "/api/approvals/nothing", "{\"answer\": \"allow\"}").code()).isEqualTo("NOT_FOUND");
        assertThat(pending(ADMIN).get("state").asString()).isEqualTo("pending");
    }

    @Test
    void eachDecisionIsOneLineOfTheLogWithoutArguments() throws Exception {
        String id = api.open(ALICE, "arch secret-word; uname -s");
        String path = "/api/approvals/" + pending(ADMIN).get("id").asString();
        api.post(ADMIN, path, "{\"answer\": \"allow\"}");
        output(ALICE, id);
        api.delete(ALICE, "/api/sessions/" + id);
        String lines = log.toString(StandardCharsets.UTF_8);
        assertThat(lines).containsOnlyOnce("\"exec_denied\"").containsOnlyOnce("\"exec_asked\"")
                .containsOnlyOnce("\"exec_answered\"").contains("\"rule\":\"never\"").contains("\"by\":\"admin\"")
                .doesNotContain("secret-word");
        assertThat(api.get(ADMIN, "/metrics").text())
                .contains("belay_approvals_total{state=\"allowed\"} 1.0")
                .contains("belay_approvals_total{state=\"denied\"} 1.0")
                .contains("belay_approvals_pending 0.0");
    }

    @Test
    void aSessionIsWatchedIfItsSpecAsksForIt() throws Exception {
        sessions.approvals().settings(new Approvals.Settings(
                Set.of(), sessions.approvals().settings().policy(), Duration.ofMinutes(5), 32));
        Api.Answer opened = api.post(ALICE, "/api/sessions",
                "{\"cmd\": \"arch 2>/dev/null || echo refused\", \"mode\": \"pipe\", \"guard\": {\"watched\": true}}");
        assertThat(opened.json().at("/guard/tier").asString()).isEqualTo("none");
        assertThat(opened.json().at("/guard/watched").asBoolean()).isTrue();
        assertThat(output(ALICE, opened.json().get("id").asString())).contains("refused");
        assertThat(api.post(ALICE, "/api/sessions", "{\"cmd\": \"arch\"}").json().at("/guard").isMissingNode())
                .isTrue();
    }

    private static Socket.Message next(Socket viewer, int kind) throws Exception {
        Socket.Message message = viewer.next();
        while (message.kind() != kind) {
            message = viewer.next();
        }
        return message;
    }

    @Test
    void aViewerIsToldAndAnswersOverWebSocket() throws Exception {
        String id = api.open(ALICE, "uname -s; echo end");
        try (Socket viewer = Socket.attach(http, server.address(), ADMIN, id, "?from=0")) {
            JsonNode asked = next(viewer, 0x0a).json();
            assertThat(asked.get("words").toString()).isEqualTo("[\"uname\",\"-s\"]");
            viewer.send(0x17, "{\"approval\": \"none\", \"answer\": \"allow\"}".getBytes(StandardCharsets.UTF_8));
            assertThat(next(viewer, 0x06).json().at("/error/code").asString()).isEqualTo("NOT_FOUND");
            String answer = "{\"approval\": \"" + asked.get("id").asString() + "\", \"answer\": \"allow\"}";
            viewer.send(0x17, answer.getBytes(StandardCharsets.UTF_8));
            JsonNode closed = next(viewer, 0x0b).json();
            assertThat(closed.get("approval").asString()).isEqualTo(asked.get("id").asString());
            assertThat(closed.get("how").asString()).isEqualTo("allowed");
            assertThat(closed.get("by").asString()).isEqualTo("admin");
            next(viewer, 0x05);
        }
    }

    @Test
    @Tag("source-tree")
    void aTerminalIsToldAndAnswersOverSocketIo() throws Exception {
        sessions.approvals().settings(new Approvals.Settings(
                Set.of(Origin.TERMINAL), sessions.approvals().settings().policy(), Duration.ofMinutes(5), 32));
        Node.run("terminals.js", server.address(), ADMIN, "approval");
    }

    // --- events ---

    /// The events that somebody sees of a session, as soon as there is one of each of these kinds.
    private Map<String, JsonNode> events(String token, String session, String... kinds) throws Exception {
        String path = "/api/events?session=" + session;
        JsonNode now = api.get(token, path).json();
        Map<String, JsonNode> seen = new LinkedHashMap<>();
        while (true) {
            now.get("events").forEach(event -> seen.put(event.get("event").asString(), event));
            if (seen.keySet().containsAll(List.of(kinds))) {
                return seen;
            }
            now = api.get(token, path + "&wait_ms=60000&since=" + now.get("version").asLong()).json();
        }
    }

    private static void assertFacts(JsonNode event, Map<String, String> facts) {
        facts.forEach((name, value) -> assertThat(event.at("/" + name).asString("")).as(name).isEqualTo(value));
        assertThat(event.has("words")).isFalse();
    }

    @Test
    void everyDecisionIsAnEventWithWhoWhatAndWhy() throws Exception {
        String id = api.open(ALICE, "uname -s; arch; arch; echo end");
        api.post(BOB, "/api/approvals/" + pending(BOB).get("id").asString(),
                "{\"answer\": \"allow\", \"scope\": \"session\"}");
        assertThat(output(ALICE, id)).contains("end");
        Map<String, JsonNode> seen = events(ALICE, id, "asked", "answered", "denied", "checked");
        assertFacts(seen.get("asked"), Map.of("rule", "machine", "owner", "alice"));
        assertThat(seen.get("asked").get("program").asString()).endsWith("/uname");
        assertFacts(seen.get("answered"), Map.of("by", "bob", "rule", "machine", "state", "allowed", "reason", "answer",
                "scope", "session", "count", "1"));
        assertFacts(seen.get("denied"), Map.of("rule", "never", "state", "denied", "reason", "rule"));
        assertThat(seen.get("denied").get("program").asString()).endsWith("/arch");
        assertFacts(seen.get("checked"), Map.of("by", "bob", "rule", "machine", "reason", "answer"));
        assertThat(events(BOB, id, "answered", "checked")).as("who answered").containsOnlyKeys("answered", "checked");
        assertThat(log.toString(StandardCharsets.UTF_8)).contains("\"reason\":\"rule\"")
                .contains("\"reason\":\"answer\",\"by\":\"bob\",\"check\"");
    }

    @Test
    void whatNobodyAnswersIsAnEvent() throws Exception {
        sessions.approvals().settings(new Approvals.Settings(
                Set.of(Origin.API), sessions.approvals().settings().policy(), Duration.ofMillis(200), 1));
        String id = api.open(ALICE, "uname -s & uname -m & wait; echo end");
        assertThat(output(ALICE, id)).contains("end");
        Map<String, JsonNode> seen = events(ALICE, id, "answered", "denied");
        assertFacts(seen.get("answered"), Map.of("state", "expired", "reason", "timeout", "by", ""));
        assertFacts(seen.get("denied"), Map.of("state", "refused", "reason", "questions"));
    }
}
