package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Until;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// The feed over REST, on real sessions.
class FeedTest extends WithServer {
    private JsonNode get(String token, String path) throws Exception {
        Api.Answer answer = api.get(token, path);
        assertThat(answer.status()).as("%s: %s", path, answer).isEqualTo(200);
        return answer.json();
    }

    private static List<String> ids(JsonNode list) {
        List<String> ids = new ArrayList<>();
        list.forEach(one -> ids.add(one.get("id").asString()));
        return ids;
    }

    /// Asks as a client does, again and again, until an answer has something.
    private JsonNode until(String token, long since, Predicate<JsonNode> wanted) throws Exception {
        while (true) {
            JsonNode changes = get(token, "/api/sessions?wait_ms=60000&since=" + since);
            if (wanted.test(changes)) {
                return changes;
            }
            since = changes.get("version").asLong();
        }
    }

    /// The record of a session, once it is so.
    private JsonNode shows(String token, String id, Predicate<JsonNode> wanted) throws Exception {
        JsonNode all = get(token, "/api/sessions");
        for (JsonNode one : all.get("sessions")) {
            if (one.get("id").asString().equals(id) && wanted.test(one)) {
                return one;
            }
        }
        JsonNode[] found = new JsonNode[1];
        until(token, all.get("version").asLong(), changes -> {
            for (JsonNode one : changes.get("sessions")) {
                if (one.get("id").asString().equals(id) && one.has("state") && wanted.test(one)) {
                    found[0] = one;
                }
            }
            return found[0] != null;
        });
        return found[0];
    }

    private CompletableFuture<JsonNode> later(String token, String path) {
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                answer.complete(get(token, path));
            } catch (Exception | AssertionError e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    @Test
    void whatChangesAfterAVersionIsTold() throws Exception {
        JsonNode empty = get(ALICE, "/api/sessions");
        assertThat(empty.get("all").asBoolean()).isTrue();
        assertThat(empty.get("sessions")).isEmpty();
        long version = empty.get("version").asLong();

        String id = api.open(ALICE, "echo up; read x; exit 3");
        JsonNode opened = get(ALICE, "/api/sessions?since=" + version);
        assertThat(opened.get("all").asBoolean()).isFalse();
        assertThat(ids(opened.get("sessions"))).containsExactly(id);
        assertThat(opened.at("/sessions/0/command").asString()).isEqualTo("/bin/sh");
        assertThat(opened.at("/sessions/0/version").asLong()).isGreaterThan(version);

        long known = opened.get("version").asLong();
        api.post(ALICE, "/api/sessions/" + id + "/input", "\n");
        JsonNode exited = until(ALICE, known, changes -> changes.at("/sessions/0/state").asString("").equals("exited"));
        assertThat(exited.at("/sessions/0/exit_code").asInt()).isEqualTo(3);

        api.delete(ALICE, "/api/sessions/" + id);
        JsonNode closed = get(ALICE, "/api/sessions?since=" + exited.get("version").asLong());
        assertThat(closed.get("sessions")).isEmpty();
        assertThat(ids(closed.get("gone"))).containsExactly(id);
        assertThat(closed.at("/gone/0/owner").asString()).isEqualTo("alice");
        JsonNode still = get(ALICE, "/api/sessions?since=" + closed.get("version").asLong());
        assertThat(still.get("sessions")).isEmpty();
        assertThat(still.get("gone")).isEmpty();
    }

    @Test
    void aReaderThatWaitsIsToldAtOnce() throws Exception {
        long version = get(ALICE, "/api/sessions").get("version").asLong();
        CompletableFuture<JsonNode> waiting = later(ALICE, "/api/sessions?wait_ms=60000&since=" + version);
        String id = api.open(ALICE, "read x");
        assertThat(ids(waiting.get(60, TimeUnit.SECONDS).get("sessions"))).containsExactly(id);
    }

    @Test
    void usersHearOfTheirOwnSessionsAndOthersOfAll() throws Exception {
        long before = get(BOB, "/api/sessions").get("version").asLong();
        String alices = api.open(ALICE, "read x");
        assertThat(get(BOB, "/api/sessions?since=" + before).get("sessions")).isEmpty();
        assertThat(ids(get(EVE, "/api/sessions?since=" + before).get("sessions"))).containsExactly(alices);
        assertThat(ids(get(ADMIN, "/api/sessions?since=" + before).get("sessions"))).containsExactly(alices);

        CompletableFuture<JsonNode> waiting = later(BOB, "/api/sessions?wait_ms=60000&since=" + before);
        api.delete(ALICE, "/api/sessions/" + alices);
        String bobs = api.open(BOB, "read x");
        JsonNode told = waiting.get(60, TimeUnit.SECONDS);
        assertThat(ids(told.get("sessions"))).containsExactly(bobs);
        assertThat(told.get("gone")).as("nothing of alice").isEmpty();
    }

    @Test
    void aVersionOfAnotherRunGetsEverything() throws Exception {
        String id = api.open(ALICE, "read x");
        long version = get(ALICE, "/api/sessions").get("version").asLong();
        for (String other : List.of("0", "1", Long.toString(version + 1000))) {
            JsonNode all = get(ALICE, "/api/sessions?since=" + other);
            assertThat(all.get("all").asBoolean()).as(other).isTrue();
            assertThat(ids(all.get("sessions"))).containsExactly(id);
        }
        assertThat(version).as("exact in JavaScript").isLessThan(1L << 53);
        assertThat(api.get(ALICE, "/api/sessions?wait_ms=10").code()).isEqualTo("INVALID_REQUEST");
        assertThat(api.get(ALICE, "/api/sessions?since=x").code()).isEqualTo("INVALID_REQUEST");
    }

    @Test
    void aWaitForNothingEndsWithTheSameVersion() throws Exception {
        JsonNode all = get(ALICE, "/api/sessions");
        JsonNode none = get(ALICE, "/api/sessions?wait_ms=20&since=" + all.get("version").asLong());
        assertThat(none.get("sessions")).isEmpty();
        assertThat(none.get("all").asBoolean()).isFalse();
        assertThat(none.get("version").asLong()).isEqualTo(all.get("version").asLong());
    }

    @Test
    void whoIsThereAndWhoTypesIsTold() throws Exception {
        String id = api.open(ALICE, "printf '\\033]2;a title\\007'; stty -echo; echo up; cat");
        sessions.get(id).cursor().await(Until.match("up"), PATIENCE);
        assertThat(shows(ALICE, id, one -> one.get("title").asString("").equals("a title")).get("typed").isNull())
                .isTrue();
        try (Socket eve = Socket.attach(http, server.address(), EVE, id, "")) {
            eve.next(0);
            JsonNode seen = shows(ALICE, id, one -> !one.get("viewers").isEmpty());
            assertThat(seen.at("/viewers/0/name").asString()).isEqualTo("eve");
            assertThat(seen.at("/viewers/0/mode").asString()).isEqualTo("watch");
        }
        shows(ALICE, id, one -> one.get("viewers").isEmpty());

        api.post(ALICE, "/api/sessions/" + id + "/lease", "{\"action\":\"take\",\"private\":true}");
        JsonNode held = shows(EVE, id, one -> one.get("keyboard").asString("").equals("alice"));
        assertThat(held.get("keyboard_private").asBoolean()).isTrue();
        api.post(ALICE, "/api/sessions/" + id + "/input", "\u001b]2;a secret\u0007#\n");
        JsonNode typed = shows(EVE, id, one -> !one.get("typed").isNull());
        assertThat(typed.at("/typed/by").asString()).isEqualTo("alice");
        assertThat(typed.at("/typed/agent").asBoolean()).isFalse();
        // What was printed privately names nothing in public.
        shows(EVE, id, one -> one.get("title").isNull());
        api.post(ALICE, "/api/sessions/" + id + "/lease", "{\"action\":\"give_back\"}");
        JsonNode free = shows(EVE, id, one -> one.get("keyboard").isNull());
        assertThat(free.get("keyboard_private").asBoolean()).isFalse();
        assertThat(free.get("title").isNull()).isTrue();
    }

    @Test
    void whoWaitsForInputIsSeenWhileSomebodyWatches() throws Exception {
        String asks = api.open(ALICE, "printf 'name? '; read x; stty -echo; printf 'password: '; read y; sleep 1000");
        assertThat(get(ALICE, "/api/sessions").at("/sessions/0/input").isNull()).as("nobody has looked").isTrue();
        shows(ALICE, asks, one -> one.at("/input/waiting").asBoolean(false) && !one.at("/input/echo_off").asBoolean());
        api.post(ALICE, "/api/sessions/" + asks + "/input", "ann\n");
        shows(ALICE, asks, one -> one.at("/input/waiting").asBoolean(false) && one.at("/input/echo_off").asBoolean());
        api.post(ALICE, "/api/sessions/" + asks + "/input", "secret\n");
        shows(ALICE, asks, one -> !one.at("/input/waiting").asBoolean(true));
    }

    @Test
    void namesOfVariablesAreShownAndTheirValuesAreNot() throws Exception {
        Api.Answer opened = api.post(ALICE, "/api/sessions",
                "{\"cmd\":\"read x\",\"id\":\"e\",\"env\":{\"TOKEN_B\":\"hidden-value\",\"A\":\"hidden-value\"}}");
        assertThat(opened.status()).isEqualTo(201);
        String record = api.get(ALICE, "/api/sessions/e").text();
        assertThat(record).contains("\"env_names\":[\"A\",\"TOKEN_B\"]").doesNotContain("hidden-value");
        assertThat(api.get(ALICE, "/api/sessions").text()).doesNotContain("hidden-value");
    }

    @Test
    @Tag("source-tree")
    void aPageIsToldOverSocketIo() throws Exception {
        Node.run("lists.js", server.address(), ALICE, "watch");
        assertThat(metric("belay_feed_changes_total")).isPositive();
        awaitNoWatchers();
    }

    @Test
    @Tag("source-tree")
    void pagesOfUsersAreToldOfTheirOwn() throws Exception {
        Node.run("lists.js", server.address(), ALICE, "neighbours", BOB);
        awaitNoWatchers();
    }

    private double metric(String name) throws Exception {
        return api.get(EVE, "/metrics").text().lines().filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1))).findFirst().orElseThrow();
    }

    /// A client that has gone waits for nothing.
    private void awaitNoWatchers() throws Exception {
        while (metric("belay_feed_waiting") > 0) {
            Thread.onSpinWait();
        }
    }

    /// What 20 readers who come at random put together is what there is, with sessions that come, print and go.
    @Test
    void manyReadersAgreeWithTheList() throws Exception {
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            long since = get(ADMIN, "/api/sessions").get("version").asLong();
            CompletableFuture<Void> stop = new CompletableFuture<>();
            List<CompletableFuture<List<String>>> readers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                readers.add(CompletableFuture.supplyAsync(() -> follow(since, stop), executor));
            }
            List<String> stay = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                String id = api.open(ALICE, i % 2 == 0 ? "while :; do echo x; sleep 0.1; done" : "read x");
                if (i % 3 == 0) {
                    api.delete(ALICE, "/api/sessions/" + id + "?force=true");
                } else {
                    stay.add(id);
                }
            }
            stop.complete(null);
            for (CompletableFuture<List<String>> reader : readers) {
                assertThat(reader.get(60, TimeUnit.SECONDS)).containsExactlyInAnyOrderElementsOf(stay);
            }
        }
    }

    private List<String> follow(long from, CompletableFuture<Void> stop) {
        try {
            List<String> known = new ArrayList<>();
            long since = from;
            while (true) {
                boolean last = stop.isDone();
                JsonNode changes = get(ADMIN, "/api/sessions?wait_ms=" + (last ? 0 : 50) + "&since=" + since);
                since = changes.get("version").asLong();
                known.removeAll(ids(changes.get("gone")));
                for (String id : ids(changes.get("sessions"))) {
                    if (!known.contains(id)) {
                        known.add(id);
                    }
                }
                if (last) {
                    return known;
                }
            }
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }

    @Test
    void nobodyWhoWaitsHoldsUpTheEnd() throws Exception {
        api.open(ALICE, "read x");
        long version = get(BOB, "/api/sessions").get("version").asLong();
        CompletableFuture<JsonNode> waiting = later(BOB, "/api/sessions?wait_ms=600000&since=" + version);
        while (server.feed().watchers() == 0) {
            Thread.onSpinWait();
        }
        server.close();
        assertThat(waiting).as("answered, or cut off").satisfiesAnyOf(
                one -> assertThat(one.handle((_, _) -> true).get(60, TimeUnit.SECONDS)).isTrue());
        assertThat(server.feed().watchers()).isZero();
    }

    @Test
    void aReaderThatIsSignedOutHearsNothingMore() throws Exception {
        long version = get(BOB, "/api/sessions").get("version").asLong();
        CompletableFuture<Api.Answer> waiting = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                waiting.complete(api.get(BOB, "/api/sessions?wait_ms=600000&since=" + version));
            } catch (Exception e) {
                waiting.completeExceptionally(e);
            }
        });
        while (server.feed().watchers() == 0) {
            Thread.onSpinWait();
        }
        server.reload(settings().accounts(accounts().stream().filter(one -> !one.name().equals("bob")).toList()));
        assertThat(waiting.get(60, TimeUnit.SECONDS).status()).isEqualTo(401);
    }
}
