package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.access.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// What happened lately, and how much of it.
class EventsTest extends WithServer {
    private JsonNode get(String token, String path) throws Exception {
        Api.Answer answer = api.get(token, path);
        assertThat(answer.status()).as("%s: %s", path, answer).isEqualTo(200);
        return answer.json();
    }

    /// Asks as a client does, until there are events of some kinds in this order.
    private List<JsonNode> until(String token, String query, Predicate<List<JsonNode>> wanted) throws Exception {
        List<JsonNode> all = new ArrayList<>();
        String since = "";
        while (!wanted.test(all)) {
            JsonNode more = get(token, "/api/events?" + query + since);
            more.get("events").forEach(all::add);
            since = "&wait_ms=60000&since=" + more.get("version").asLong();
        }
        return all;
    }

    private static List<String> kinds(List<JsonNode> events) {
        return events.stream().map(one -> one.get("event").asString()).toList();
    }

    @Test
    void theLifeOfASessionIsTold() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; read x; echo secret-output; exit 4");
        try (Socket eve = Socket.attach(http, server.address(), EVE, id, "")) {
            eve.until("up");
            api.post(ALICE, "/api/sessions/" + id + "/lease", "{\"action\":\"take\"}");
            api.post(ALICE, "/api/sessions/" + id + "/input", "secret-input\n");
            eve.next(5);
        }
        until(ALICE, "session=" + id, all -> kinds(all).contains("left"));
        api.delete(ALICE, "/api/sessions/" + id);
        List<JsonNode> all = until(ALICE, "session=" + id, one -> kinds(one).contains("closed"));
        assertThat(kinds(all)).containsSubsequence("opened", "attached", "keyboard", "exited", "closed");
        assertThat(kinds(all)).contains("typed", "left");
        assertThat(all.toString()).doesNotContain("secret");
        for (JsonNode one : all) {
            assertThat(one.get("session").asString()).isEqualTo(id);
            assertThat(one.get("owner").asString()).isEqualTo("alice");
            switch (one.get("event").asString()) {
                case "attached" -> assertThat(one.toString()).contains("\"by\":\"eve\"", "\"mode\":\"watch\"");
                case "typed" -> assertThat(one.toString()).contains("\"by\":\"alice\"", "\"bytes\":13");
                case "exited" -> assertThat(one.get("exit_code").asInt()).isEqualTo(4);
                default -> assertThat(one.get("number").asLong()).isPositive();
            }
        }
        assertThat(get(BOB, "/api/events").get("events")).as("nothing of it for others").isEmpty();
        assertThat(get(EVE, "/api/events").get("events")).as("all of it for watchers").hasSizeGreaterThan(5);
    }

    @Test
    void refusalsAreToldWithTheirReasons() throws Exception {
        server.reload(settings().quota(new Quota(1, 1, 1, 100, Duration.ofHours(1), 1 << 20)));
        api.open(BOB, "read x");
        assertThat(api.post(BOB, "/api/sessions", "{\"cmd\":\"true\"}").code()).isEqualTo("LIMIT_REACHED");
        assertThat(api.post(ALICE, "/api/sessions", "{\"command\":[\"/no/such\"]}").code()).isEqualTo("SPAWN_FAILED");
        List<JsonNode> all = until(EVE, "", one -> kinds(one).stream().filter("refused"::equals).count() == 2);
        assertThat(all.toString()).contains("\"code\":\"LIMIT_REACHED\"", "\"code\":\"SPAWN_FAILED\"");
        List<JsonNode> bobs = until(BOB, "", one -> kinds(one).contains("refused"));
        assertThat(bobs.getLast().get("message").asString()).contains("the limit on sessions of bob");

        // Each second is told once; users see their own.
        long refused = 0;
        String since = "";
        while (refused < 1) {
            for (JsonNode second : get(BOB, "/api/stats" + since).get("seconds")) {
                refused += second.get("refused").asLong();
                since = "?since=" + second.get("at").asLong();
                assertThat(second.get("limit").asInt()).isEqualTo(1);
            }
        }
        assertThat(refused).isEqualTo(1);
    }

    @Test
    void secondsAddUpToWhatSessionsDid() throws Exception {
        String id = api.open(ALICE, "stty -echo raw; printf up; head -c 100 >/dev/null; printf '%01000d' 1; cat");
        api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"match\":\"up\"}");
        api.post(ALICE, "/api/sessions/" + id + "/input", "x".repeat(100));
        api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"match\":\"0001\"}");
        long out = 0;
        long in = 0;
        long opened = 0;
        JsonNode last = null;
        String since = "";
        while (out < 1002 || in < 100 || opened < 1 || last == null || last.get("live").asInt() < 1) {
            for (JsonNode second : get(EVE, "/api/stats" + since).get("seconds")) {
                out += second.get("bytes_out").asLong();
                in += second.get("bytes_in").asLong();
                opened += second.get("opened").asLong();
                since = "?since=" + second.get("at").asLong();
                last = second;
            }
        }
        assertThat(List.of(out, in, opened)).isEqualTo(List.of(1002L, 100L, 1L));
        assertThat(last.get("terminals").asInt()).isEqualTo(1);
        for (JsonNode second : get(BOB, "/api/stats").get("seconds")) {
            assertThat(second.get("live").asInt()).isZero();
            assertThat(second.get("bytes_out").asLong()).isZero();
        }
        assertThat(api.get(ALICE, "/api/stats?since=-1").code()).isEqualTo("INVALID_REQUEST");
    }

    @Test
    void versionsOfOtherRunsGetAllEvents() throws Exception {
        api.open(ALICE, "read x");
        until(ALICE, "", one -> !one.isEmpty());
        JsonNode now = get(ALICE, "/api/events");
        assertThat(now.get("all").asBoolean()).isTrue();
        long version = now.get("version").asLong();
        assertThat(get(ALICE, "/api/events?since=" + version).get("all").asBoolean()).isFalse();
        assertThat(get(ALICE, "/api/events?since=5").get("all").asBoolean()).isTrue();
        assertThat(get(ALICE, "/api/events?since=" + (version + 9)).get("all").asBoolean()).isTrue();
        assertThat(api.get(ALICE, "/api/events?wait_ms=5").code()).isEqualTo("INVALID_REQUEST");
    }

    @Test
    @Tag("source-tree")
    void aPageIsToldOfEventsAndSeconds() throws Exception {
        Node.run("lists.js", server.address(), ALICE, "events");
    }
}
