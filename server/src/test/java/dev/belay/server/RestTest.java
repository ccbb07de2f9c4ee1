package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.server.Api.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// What the REST interface does for somebody who may.
class RestTest extends WithServer {
    @Test
    void aSessionIsOpenedReadAndClosed() throws Exception {
        Answer opened = api.post(ALICE, "/api/sessions", """
                {"command": ["/bin/sh", "-c", "printf 'a b\\\\n'; exit 3"], "id": "one", "cols": 100, "rows": 30,
                 "env": {"X": "1"}, "labels": {"team": "blue"}, "timeout_ms": 60000, "idle_timeout_ms": 60000}""");
        assertThat(opened.status()).as(opened.toString()).isEqualTo(201);
        JsonNode record = opened.json();
        assertThat(record.propertyNames()).containsExactly(
                "id", "backend", "command", "args", "workdir", "cols", "rows", "pid", "owner", "labels", "origin",
                "keep", "started_at",
                "ended_at", "state", "exit_code", "signal", "survivors", "output_start", "output_end",
                "last_activity_at", "end_reason", "title", "input", "viewers", "typed", "keyboard", "keyboard_private",
                "env_names", "version");
        assertThat(record.get("owner").asString()).isEqualTo("alice");
        assertThat(record.get("cols").asInt()).isEqualTo(100);
        assertThat(record.at("/labels/team").asString()).isEqualTo("blue");
        assertThat(record.at("/origin").asString()).isEqualTo("api");

        assertThat(api.all(ALICE, "one")).isEqualTo("a b\r\n");
        Answer shown = api.get(ALICE, "/api/sessions/one");
        assertThat(shown.json().get("state").asString()).isEqualTo("exited");
        assertThat(shown.json().get("exit_code").asInt()).isEqualTo(3);
        assertThat(api.get(ALICE, "/api/sessions").json().at("/sessions/0/id").asString()).isEqualTo("one");

        Answer closed = api.delete(ALICE, "/api/sessions/one");
        assertThat(closed.json().get("exit_code").asInt()).isEqualTo(3);
        assertThat(closed.json().get("ended").asInt()).as("it had ended by itself").isZero();
        assertThat(api.get(ALICE, "/api/sessions/one").code()).isEqualTo("NOT_FOUND");
    }

    @Test
    void aSessionIsLimitedAsItsClientAsks() throws Exception {
        Answer opened = api.post(ALICE, "/api/sessions",
                """
                        {"cmd": "ulimit -n; ulimit -t; ulimit -v; dd if=/dev/zero of=large bs=1000 count=100; exit $?",
                         "id": "one",
                         "mode": "pipe", "resources": {"open_files": 60, "cpu_ms": 90000, "memory_bytes": 4294967296,
                         "file_bytes": 5000, "processes": 10000, "core_bytes": 0}}""");
        assertThat(opened.status()).as(opened.toString()).isEqualTo(201);
        assertThat(api.all(ALICE, "one")).startsWith("60\n90\n4194304\n");
        assertThat(api.get(ALICE, "/api/sessions/one").json().get("end_reason").asString())
                .isEqualTo("file_size_limit");
        for (String wrong : List.of(
                "{\"open_file\":1}", "{\"cpu_ms\":10}", "{\"open_files\":\"1\"}", "[]",
                "{\"together\":{\"cores\":\"1\"}}")) {
            assertThat(api.post(ALICE, "/api/sessions", "{\"cmd\":\"true\",\"resources\":" + wrong + "}").code())
                    .as(wrong).isEqualTo("INVALID_REQUEST");
        }
    }

    @Test
    void inputIsWrittenAndALongPollGetsTheAnswer() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo ready; read line; echo \"got $line\"");
        assertThat(api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"match\":\"ready\"}").json()
                .get("wait_result").asString()).isEqualTo("match");
        Answer written = api.post(ALICE, "/api/sessions/" + id + "/input?newline=true", "hello");
        assertThat(written.json().get("taken").asInt()).isEqualTo(6);
        assertThat(api.all(ALICE, id)).contains("got hello");
    }

    @Test
    void theSameInputIdIsExecutedOnceHoweverOftenItIsSentAtOnce() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        assertThat(waitFor(id, "up")).as("no echo from here on").isEqualTo("match");
        List<CompletableFuture<Integer>> answers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            answers.add(answer);
            Thread.ofVirtual().start(() -> {
                try {
                    answer.complete(api.post(
                            ALICE, "/api/sessions/" + id + "/input?newline=true&input_id=k1", "once")
                            .json().get("taken").asInt());
                } catch (Exception e) {
                    answer.completeExceptionally(e);
                }
            });
        }
        for (CompletableFuture<Integer> answer : answers) {
            assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(5);
        }
        api.post(ALICE, "/api/sessions/" + id + "/input?newline=true&input_id=k2", "last");
        JsonNode waited = api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"match\":\"last\"}").json();
        assertThat(waited.get("wait_result").asString()).isEqualTo("match");
        String printed = api.get(ALICE, "/api/sessions/" + id + "/output?from=0").text();
        assertThat(printed.split("once", -1)).as(printed).hasSize(2);
        assertThat(sessions.stats().inputsRepeated()).isEqualTo(7);
    }

    @Test
    void onlyTheLast1024InputIdsAreRemembered() throws Exception {
        String id = api.open(ALICE, "stty raw -echo; cat >/dev/null");
        for (int i = 0; i <= 1024; i++) {
            assertThat(api.post(ALICE, "/api/sessions/" + id + "/input?input_id=" + i, "x").status()).isEqualTo(200);
        }
        api.post(ALICE, "/api/sessions/" + id + "/input?input_id=1", "x");
        assertThat(sessions.stats().inputsRepeated()).isEqualTo(1);
        api.post(ALICE, "/api/sessions/" + id + "/input?input_id=0", "x");
        assertThat(sessions.stats().inputsRepeated()).as("0 was forgotten, and written again").isEqualTo(1);
    }

    @Test
    void resizeSignalAndLeaseDoWhatTheySay() throws Exception {
        String id = api.open(ALICE, "trap 'stty size' WINCH; trap 'echo got INT' INT; echo up; "
                + "while :; do read x || :; done");
        assertThat(waitFor(id, "up")).isEqualTo("match");
        assertThat(api.post(ALICE, "/api/sessions/" + id + "/resize", "{\"cols\":91,\"rows\":33}").status())
                .isEqualTo(200);
        assertThat(waitFor(id, "33 91")).isEqualTo("match");
        assertThat(api.post(ALICE, "/api/sessions/" + id + "/signal", "{\"signal\":\"int\"}").json()
                .get("signal").asString()).isEqualTo("SIGINT");
        // A signal just before the shell's read(2) does not interrupt it; its trap runs after the next line.
        api.post(ALICE, "/api/sessions/" + id + "/input", "\n");
        assertThat(waitFor(id, "got INT")).isEqualTo("match");

        assertThat(api.post(ALICE, "/api/sessions/" + id + "/lease", "{\"action\":\"take\",\"private\":true}").json()
                .get("holder").asString()).isEqualTo("alice");
        Answer denied = api.post(ADMIN, "/api/sessions/" + id + "/input", "x");
        assertThat(denied.code()).isEqualTo("DENIED");
        assertThat(denied.text()).contains("has the keyboard");
        assertThat(api.get(ADMIN, "/api/sessions/" + id).json().get("keyboard").asString()).isEqualTo("alice");
        assertThat(api.post(ALICE, "/api/sessions/" + id + "/lease", "{\"action\":\"give_back\"}").json()
                .get("holder").isNull()).isTrue();
        assertThat(api.post(ADMIN, "/api/sessions/" + id + "/input", "x").status()).isEqualTo(200);
    }

    @Test
    void aWaitThatRunsOutIsAResult() throws Exception {
        String id = api.open(ALICE, "read x");
        JsonNode waited = api.post(
                ALICE, "/api/sessions/" + id + "/wait", "{\"exit\":true,\"timeout_ms\":20}").json();
        assertThat(waited.get("wait_result").asString()).isEqualTo("timeout");
    }

    @Test
    void pipesAreSessionsToo() throws Exception {
        Answer opened = api.post(ALICE, "/api/sessions", "{\"cmd\":\"tr a b\",\"mode\":\"pipe\"}");
        String id = opened.json().get("id").asString();
        assertThat(opened.json().get("backend").asString()).isEqualTo("pipe");
        assertThat(opened.json().get("cols").isNull()).isTrue();
        assertThat(api.post(ALICE, "/api/sessions/" + id + "/resize", "{\"cols\":80,\"rows\":24}").code())
                .isEqualTo("INVALID_REQUEST");
    }

    @Test
    void outputThatIsNoLongerKeptIsAGap() throws Exception {
        String id = api.open(ALICE, "head -c 20000000 /dev/zero | tr '\\0' x");
        api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"exit\":true}");
        Answer gap = api.get(ALICE, "/api/sessions/" + id + "/output?from=0");
        assertThat(gap.header("Belay-Gap")).matches("\\d+ dropped");
        assertThat(gap.header("Belay-Output-Next")).isEqualTo(gap.header("Belay-Output-Start"));
        assertThat(gap.bytes()).isEmpty();
    }

    private String waitFor(String id, String match) throws Exception {
        return api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"match\":\"" + match + "\"}").json()
                .get("wait_result").asString();
    }
}
