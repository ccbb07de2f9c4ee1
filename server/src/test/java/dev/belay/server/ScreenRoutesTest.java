package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Until;
import dev.belay.screen.Screen;
import dev.belay.screen.ScreenLimits;
import dev.belay.screen.Sight;
import dev.belay.server.Api.Answer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// Screens and searches over REST.
class ScreenRoutesTest extends WithServer {
    private String open(String token, String script, String until) throws Exception {
        String id = api.open(token, script);
        sessions.get(id).cursor().await(Until.match(until), PATIENCE);
        return id;
    }

    private JsonNode json(String token, String path) throws Exception {
        Answer answer = api.get(token, path);
        assertThat(answer.status()).as("%s: %s", path, answer).isEqualTo(200);
        return answer.json();
    }

    private static List<String> texts(JsonNode screen) {
        List<String> texts = new ArrayList<>();
        screen.get("lines").forEach(line -> texts.add(line.get("text").asString()));
        return texts;
    }

    @Test
    void theScreenIsWhatAPersonWouldSee() throws Exception {
        String id = open(ALICE, "stty -echo; printf '\\033]2;a title\\007one\\r\\n\\033[1;31mtwo\\033[0m three'; "
                + "printf '\\033[5;3H#up'; cat", "#up");
        String path = "/api/sessions/" + id + "/screen";
        JsonNode screen = json(ALICE, path);
        assertThat(screen.get("text").asString()).isEqualTo("one\ntwo three\n\n\n  #up");
        assertThat(List.of(screen.get("cols").asInt(), screen.get("rows").asInt())).isEqualTo(List.of(80, 24));
        assertThat(screen.get("title").asString()).isEqualTo("a title");
        assertThat(screen.get("alternate").asBoolean()).isFalse();
        assertThat(screen.at("/cursor/row").asInt()).isEqualTo(4);
        assertThat(screen.at("/cursor/column").asInt()).isEqualTo(5);
        assertThat(screen.get("offset").asLong()).isEqualTo(sessions.get(id).output().end());
        assertThat(screen.get("lines")).hasSize(24);
        assertThat(screen.at("/lines/1/spans").isMissingNode()).isTrue();

        JsonNode span = json(ALICE, path + "?format=spans").at("/lines/1/spans/0");
        assertThat(span.toString()).isEqualTo("{\"from\":0,\"to\":3,\"foreground\":1,\"bold\":true}");

        Answer painted = api.get(ALICE, path + "?format=repaint");
        assertThat(painted.header("Belay-Screen-Size")).isEqualTo("80x24");
        assertThat(painted.header("Belay-Output-Next")).isEqualTo(screen.get("offset").asString());
        Screen copy = new Screen(80, 24, ScreenLimits.defaults());
        copy.feed(painted.bytes());
        assertThat(copy.snapshot(Sight.ALL, 0).text()).isEqualTo(screen.get("text").asString());
    }

    @Test
    void onlyWhatHasChangedSinceAnOffsetIsSent() throws Exception {
        String id = open(ALICE, "stty raw -echo; printf 'one\\r\\ntwo\\r\\n#up'; head -c 1 >/dev/null; "
                + "printf '\\033[2HTWO#'; cat", "#up");
        String path = "/api/sessions/" + id + "/screen";
        long seen = json(ALICE, path).get("offset").asLong();
        assertThat(json(ALICE, path + "?since=" + seen).get("lines")).isEmpty();
        api.post(ALICE, "/api/sessions/" + id + "/input", "x");
        sessions.get(id).cursor(seen).await(Until.match("TWO#"), PATIENCE);
        JsonNode changed = json(ALICE, path + "?since=" + seen);
        assertThat(texts(changed)).containsExactly("TWO#");
        assertThat(changed.at("/lines/0/row").asInt()).isEqualTo(1);
        assertThat(changed.has("text")).isFalse();
        assertThat(json(ALICE, path + "?at=" + seen).get("text").asString()).as("as it was").isEqualTo("one\ntwo\n#up");
    }

    @Test
    void rowsAboveTheScreenHaveNegativePlaces() throws Exception {
        String id = open(ALICE, "stty -echo; seq 1 100; printf '#up'; cat", "#up");
        JsonNode screen = json(ALICE, "/api/sessions/" + id + "/screen?history=3");
        assertThat(screen.get("lines")).hasSize(27);
        assertThat(screen.at("/lines/0/row").asInt()).isEqualTo(-3);
        assertThat(screen.at("/lines/0/text").asString()).isEqualTo("75");
        assertThat(screen.at("/lines/3/text").asString()).isEqualTo("78");
    }

    @Test
    void aSearchFindsLinesAsTheyWereShown() throws Exception {
        String id = open(ALICE, "stty -echo; "
                + "for i in 1 2 3; do printf \"\\033[31mer\\033[0mror $i\\n\"; seq 1 200; done; "
                + "printf '#up'; cat", "#up");
        String path = "/api/sessions/" + id + "/search?match=";
        JsonNode found = json(ALICE, path + "error+%5B0-9%5D").get("matches");
        assertThat(found).extracting(one -> one.get("text").asString())
                .containsExactly("error 1", "error 2", "error 3");
        JsonNode first = found.get(0);
        assertThat(List.of(first.get("from").asInt(), first.get("to").asInt())).isEqualTo(List.of(0, 7));
        assertThat(first.get("certain").asBoolean()).isTrue();
        long offset = first.get("offset").asLong();
        assertThat(api.get(ALICE, "/api/sessions/" + id + "/output?from=" + offset + "&max=30").text()).contains("er");
        assertThat(json(ALICE, path + "error&most=2").get("matches"))
                .extracting(one -> one.get("text").asString()).containsExactly("error 2", "error 3");
        assertThat(json(ALICE, path + "(.*a)%7B20%7Db").get("matches")).as("in linear time").isEmpty();
    }

    @Test
    void theCommandsThatAShellMarksAreListed() throws Exception {
        String id = open(ALICE, "stty -echo; m() { printf '\\033]%s\\007' \"$1\"; }; "
                + "m '7;file://host/tmp/a%20b'; m '633;E;make \\x3b all'; m '133;C'; echo out; m '133;D;2'; m '133;A'; "
                + "m '133;C'; printf '#up'; cat", "#up");
        JsonNode commands = json(ALICE, "/api/sessions/" + id + "/commands").get("commands");
        assertThat(commands).hasSize(2);
        JsonNode first = commands.get(0);
        assertThat(first.get("command").asString()).isEqualTo("make ; all");
        assertThat(first.get("cwd").asString()).isEqualTo("/tmp/a b");
        assertThat(first.get("exit_code").asInt()).isEqualTo(2);
        assertThat(first.get("signed").asBoolean()).isFalse();
        assertThat(Instant.parse(first.get("began_at").asString()))
                .isBeforeOrEqualTo(Instant.parse(first.get("ended_at").asString()));
        long start = first.get("start").asLong();
        assertThat(api.get(ALICE, "/api/sessions/" + id + "/output?from=" + start + "&max="
                + (first.get("end").asLong() - start)).text()).isEqualTo("out\r\n");
        JsonNode running = commands.get(1);
        assertThat(List.of(running.get("exit_code").isNull(), running.get("end").isNull(),
                running.get("ended_at").isNull(), running.get("command").isNull())).containsOnly(true);
        String plain = open(ALICE, "printf '#up'; cat", "#up");
        assertThat(json(ALICE, "/api/sessions/" + plain + "/commands").get("commands")).isEmpty();
    }

    @Test
    void aSearchInAllSessionsBeginsWithTheNewestAndFindsWhatOneMaySee() throws Exception {
        String old = open(ALICE, "stty -echo; echo needle old; printf '#up'; cat", "#up");
        String young = open(ALICE, "stty -echo; echo needle new; printf '#up'; cat", "#up");
        open(BOB, "stty -echo; echo needle of bob; printf '#up'; cat", "#up");
        JsonNode found = json(ALICE, "/api/search?match=needle");
        assertThat(found.get("incomplete").asBoolean()).isFalse();
        assertThat(found.get("results")).extracting(one -> one.get("id").asString()).containsExactly(young, old);
        assertThat(found.at("/results/0/matches/0/text").asString()).isEqualTo("needle new");
        assertThat(json(BOB, "/api/search?match=needle").get("results")).hasSize(1);
        assertThat(json(EVE, "/api/search?match=needle").get("results")).hasSize(3);
        JsonNode cut = json(EVE, "/api/search?match=needle&most=2");
        assertThat(cut.get("results")).hasSize(2);
        assertThat(cut.get("incomplete").asBoolean()).isTrue();
    }

    @Test
    void manyScreensComeInOneAnswerAndAChangeEndsTheWait() throws Exception {
        String one = open(ALICE, "stty -echo; printf 'one#up\\n'; cat", "#up");
        String two = open(BOB, "stty -echo; printf 'two#up\\n'; cat", "#up");
        JsonNode all = json(EVE, "/api/screens");
        assertThat(all.get("screens")).extracting(screen -> screen.get("id").asString())
                .containsExactlyInAnyOrder(one, two);
        JsonNode named = json(EVE, "/api/screens?ids=" + one + ",bob/" + two + ",none");
        assertThat(named.get("missing")).extracting(JsonNode::asString).containsExactly("none");
        assertThat(texts(named.at("/screens/0")).getFirst()).isEqualTo("one#up");
        assertThat(named.at("/screens/0/numbers")).hasSize(24);
        long[] seen = {named.at("/screens/0/offset").asLong(), named.at("/screens/1/offset").asLong()};
        String path = "/api/screens?ids=" + one + "," + two + "&since=" + seen[0] + "," + seen[1] + "&wait_ms=";
        assertThat(json(EVE, path + "1").get("screens")).as("nothing has changed").isEmpty();
        CompletableFuture<JsonNode> waits = CompletableFuture.supplyAsync(() -> {
            try {
                return json(EVE, path + "60000");
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        api.post(BOB, "/api/sessions/" + two + "/input?newline=true", "hello");
        JsonNode changed = waits.get().get("screens");
        assertThat(changed).hasSize(1);
        assertThat(changed.at("/0/id").asString()).isEqualTo(two);
        assertThat(texts(changed.get(0))).contains("hello").doesNotContain("two#up");
        assertThat(json(ALICE, "/api/screens?ids=" + two).get("missing")).hasSize(1);
    }

    @Test
    void whatWasPrivateIsInNoPublicView() throws Exception {
        String id = open(ALICE, "stty -echo; printf '#up\\n'; cat", "#up");
        api.post(ALICE, "/api/sessions/" + id + "/lease", "{\"action\":\"take\",\"private\":true}");
        api.post(ALICE, "/api/sessions/" + id + "/input?newline=true", "secret");
        sessions.get(id).cursor().await(Until.match("secret"), PATIENCE);
        for (int i = 0; i < 2; i++) {
            String path = "/api/sessions/" + id;
            for (String view : List.of(path + "/screen", path + "/screen?format=spans", path + "/screen?format=repaint",
                    "/api/screens", path + "/search?match=s.c", "/api/search?match=s.c")) {
                assertThat(api.get(EVE, view).text()).as(view).doesNotContain("secret");
                assertThat(api.get(ALICE, view).text()).as(view).contains("secret");
            }
            api.post(ALICE, path + "/lease", "{\"action\":\"give_back\"}");
        }
    }

    @Test
    void mistakesAreAnsweredWell() throws Exception {
        String id = open(ALICE, "stty -echo; printf '#up'; cat", "#up");
        String pipe = api.post(ALICE, "/api/sessions", "{\"cmd\":\"cat\",\"mode\":\"pipe\"}")
                .json().get("id").asString();
        String path = "/api/sessions/" + id;
        for (String wrong : List.of(
                path + "/screen?format=html", path + "/screen?at=99999", path + "/screen?at=-1",
                path + "/screen?rows=3",
                path + "/screen?format=repaint&since=0", path + "/search", path + "/search?match=",
                path + "/search?match=" + URLEncoder.encode("(", StandardCharsets.UTF_8),
                path + "/search?match=" + URLEncoder.encode("(?=a)", StandardCharsets.UTF_8),
                path + "/search?match=x&most=0", path + "/search?match=x&most=5000", path + "/search?regex=x",
                "/api/search", "/api/search?match=%28", "/api/screens?since=1,2", "/api/screens?since=x",
                "/api/screens?ids=" + id + "&since=1,2", "/api/screens?id=" + id,
                "/api/sessions/" + pipe + "/screen", "/api/sessions/" + pipe + "/search?match=x")) {
            Answer answer = api.get(ALICE, wrong);
            assertThat(answer.status()).as("%s: %s", wrong, answer).isEqualTo(400);
            assertThat(answer.code()).isEqualTo("INVALID_REQUEST");
            assertThat(answer.json().at("/error/message").asString()).isNotBlank();
        }
        for (String hidden : List.of("/screen", "/search?match=x")) {
            assertThat(api.get(BOB, path + hidden).code()).isEqualTo("NOT_FOUND");
            assertThat(api.get(null, path + hidden).code()).isEqualTo("UNAUTHENTICATED");
        }
        for (String closed : List.of("/api/screens", "/api/search?match=x")) {
            assertThat(api.get(null, closed).code()).isEqualTo("UNAUTHENTICATED");
        }
    }
}
