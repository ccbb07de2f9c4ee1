package dev.belay.cli.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// What `belay top` shows and what its keys do.
@Tag("any-user")
class TopTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final Top top = new Top("127.0.0.1:10000", true);
    private final KeyReader reader = new KeyReader();

    private static JsonNode session(String id, String more) {
        return JSON.readTree("""
                {"id": "%s", "owner": "ann", "state": "running", "command": "bash", "args": ["-l"], "backend": "pty",
                 "started_at": "2026-01-01T11:00:00Z", "last_activity_at": "2026-01-01T11:59:30Z", "output_end": 0%s}
                """.formatted(id, more.isEmpty() ? "" : ", " + more));
    }

    private Top.Action type(String keys) {
        Top.Action last = new Top.Draw();
        List<Key> all = new ArrayList<>(reader.read(keys.getBytes(StandardCharsets.UTF_8)));
        all.addAll(reader.settle());
        for (Key key : all) {
            last = top.press(key);
        }
        return last;
    }

    private String picture(int cols, int rows) {
        Canvas canvas = top.draw(cols, rows, NOW);
        StringBuilder text = new StringBuilder();
        for (int row = 0; row < rows; row++) {
            text.append(canvas.text(row)).append('\n');
        }
        return text.toString();
    }

    private void three() {
        top.sessions(List.of(
                session("build", ""),
                session("login", "\"input\": {\"waiting\": true, \"echo_off\": true}"),
                session("done", "\"state\": \"exited\", \"exit_code\": 1")), 0);
    }

    @Test
    void whoeverNeedsAPersonComesFirst() {
        three();
        assertThat(picture(80, 24)).matches("""
                (?s)belay top  2 running  1 waits  1 ended  0/s +127\\.0\\.0\\.1:10000
                ID +STATE +RATE +IDLE +AGE +OUTPUT +COMMAND.*
                login +secret +30s +1h +0 bash -l
                build +running +30s +1h +0 bash -l
                done +exit 1 +30s +1h +0 bash -l
                ── screen of login ─+
                .*""");
        assertThat(top.selected()).isEqualTo(new Top.Target("login", "ann"));
        assertThat(top.draw(80, 24, NOW).styleAt(2, 0)).as("the selected row").isEqualTo("7");
        assertThat(top.draw(80, 24, NOW).styleAt(3, 9)).isEqualTo("32");
    }

    @Test
    void ratesAreBytesPerSecond() {
        top.sessions(List.of(session("a", "\"output_end\": 1000")), 0);
        top.count(SECOND);
        assertThat(picture(80, 24)).contains("  0/s");
        top.sessions(List.of(session("a", "\"output_end\": 9192")), 2 * SECOND);
        top.count(3 * SECOND);
        assertThat(picture(80, 24)).contains("  4.0K/s").containsPattern("a +running +4\\.0K ");
        top.count(4 * SECOND);
        assertThat(picture(80, 24)).as("it has stopped").contains("  0/s");
    }

    @Test
    void keysSelectSortFilterAndAsk() {
        three();
        type("j");
        assertThat(top.selected()).isEqualTo(new Top.Target("build", "ann"));
        type("\033[B\033[B\033[B");
        assertThat(top.selected()).as("the end").isEqualTo(new Top.Target("done", "ann"));
        type("g");
        assertThat(top.selected()).isEqualTo(new Top.Target("login", "ann"));
        assertThat(type("\r")).isEqualTo(new Top.Attach(new Top.Target("login", "ann"), false));
        assertThat(type("w")).isEqualTo(new Top.Attach(new Top.Target("login", "ann"), true));
        assertThat(type("q")).isEqualTo(new Top.Quit());
        assertThat(type("\003")).isEqualTo(new Top.Quit());
        assertThat(type("\f")).isEqualTo(new Top.Repaint());
        type("ssssss");
        assertThat(picture(80, 24)).contains("by id").matches("(?s).*\nbuild .*\ndone .*\nlogin .*");
        type("r");
        assertThat(picture(80, 24)).contains("by id, reversed").matches("(?s).*\nlogin .*\ndone .*\nbuild .*");
        type("/exit DO");
        assertThat(picture(80, 24)).contains("Filter: exit DO").doesNotContain("\nlogin");
        type("\177\177nothing");
        assertThat(picture(80, 24)).contains("No session matches the filter.");
        type("\033");
        assertThat(picture(80, 24)).contains("\nlogin ", "q quit");
        type("%");
        assertThat(picture(80, 24)).contains("No key '%'; ? shows the keys.");
        type("?");
        assertThat(picture(80, 24)).contains("asks first", "Any key returns.").doesNotContain("\nlogin");
        type("x");
        assertThat(picture(80, 24)).as("the key only left the help").contains("\nlogin ").doesNotContain("Close");
    }

    @Test
    void closingAsksAndShowsWhatWouldEnd() {
        three();
        type("jx");
        assertThat(top.wantsProcesses()).isTrue();
        assertThat(top.wantsScreen()).isFalse();
        top.processes(JSON.readTree("""
                [{"pid": 7, "parent": 1, "command": "bash -l", "state": "sleeping", "cpu_ms": 1500,
                  "memory_bytes": 4096},
                 {"pid": 8, "parent": 7, "command": "make", "state": "sleeping", "cpu_ms": 12000, "memory_bytes": 4096},
                 {"pid": 10, "parent": 8, "command": "cc\\u001b[2J", "state": "running", "cpu_ms": 0,
                  "memory_bytes": 2097152, "foreground": true},
                 {"pid": 9, "parent": 7, "command": "tail", "state": "sleeping", "cpu_ms": 0, "memory_bytes": 0}]
                """));
        assertThat(picture(80, 24)).contains("Close build and its 4 processes? y or n")
                .contains("       7  sleeping    1.5s   4.0K bash -l\n")
                .contains("       8  sleeping     12s   4.0K ├─ make\n")
                .contains("      10 *running     0.0s   2.0M │  └─ cc\\u001b[2J\n")
                .contains("       9  sleeping    0.0s      0 └─ tail\n");
        assertThat(type("n")).isEqualTo(new Top.Draw());
        assertThat(picture(80, 24)).contains("Nothing closed.", "screen of build");
        type("x");
        assertThat(type("y")).isEqualTo(new Top.Close(new Top.Target("build", "ann")));
    }

    @Test
    void aQuestionIsNotAnsweredForAnotherSession() {
        three();
        type("jx");
        top.sessions(List.of(session("login", ""), session("other", "")), 0);
        assertThat(picture(80, 24)).as("build is gone").doesNotContain("Close ");
        assertThat(type("y")).isEqualTo(new Top.Draw());
    }

    @Test
    void theSelectionStaysWithItsSession() {
        three();
        type("j");
        Preview before = top.preview();
        top.sessions(List.of(session("aaa", ""), session("build", "\"output_end\": 5")), 0);
        assertThat(top.selected()).isEqualTo(new Top.Target("build", "ann"));
        assertThat(top.preview()).isSameAs(before);
        top.sessions(List.of(session("aaa", ""), session("build", "\"started_at\": \"2026-01-01T11:59:00Z\"")), 0);
        assertThat(top.preview()).as("a new session with the same id").isNotSameAs(before);
        top.sessions(List.of(), 0);
        assertThat(top.selected()).isNull();
        assertThat(picture(80, 24)).contains("There are no sessions; 'belay open' opens one.");
        assertThat(type("\rwxj")).isEqualTo(new Top.Draw());
    }

    @Test
    void theScreenOfTheSelectedOneIsShownWithItsColours() {
        three();
        top.preview().update(JSON.readTree("""
                {"offset": 50, "cursor": {"row": 1}, "numbers": [4, 5], "lines": [
                  {"number": 4, "text": "$ make", "spans": [{"from": 0, "to": 1, "foreground": 2, "bold": true}]},
                  {"number": 5, "text": "ok", "spans": [{"from": 0, "to": 2, "foreground": "#ff8000"}]}]}"""));
        assertThat(top.preview().offset()).isEqualTo(50);
        assertThat(picture(80, 24)).contains("\n$ make\nok\n");
        Canvas canvas = top.draw(80, 24, NOW);
        assertThat(canvas.styleAt(6, 0)).isEqualTo("1;38;5;2");
        assertThat(canvas.styleAt(7, 0)).isEqualTo("38;2;255;128;0");
        top.preview().update(JSON.readTree("""
                {"offset": 60, "cursor": {"row": 1}, "numbers": [5, 6],
                 "lines": [{"number": 6, "text": "next", "spans": []}]}"""));
        assertThat(picture(80, 24)).as("a row scrolled out").contains("\nok\nnext\n").doesNotContain("$ make");
        type("\t");
        assertThat(top.wantsProcesses()).isTrue();
        type("\t");
        assertThat(top.wantsScreen() || top.wantsProcesses()).isFalse();
    }

    @Test
    void withoutColoursNoneAreUsed() {
        Top plain = new Top("here", false);
        plain.sessions(List.of(session("a", ""), session("b", "\"input\": {\"waiting\": true}")), 0);
        plain.preview().update(JSON.readTree("""
                {"offset": 5, "numbers": [0], "lines": [
                  {"number": 0, "text": "x", "spans": [{"from": 0, "to": 1, "background": 4, "inverse": true}]}]}"""));
        assertThat(plain.draw(80, 24, NOW).after(null).replaceAll("\033\\[0?(;[1279])*m", ""))
                .doesNotContainPattern("\033\\[[\\d;]*m");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 39, 40, 58, 80, 93, 107, 200, 500})
    void anyWidthAndHeightCanBeDrawn(int cols) {
        List<JsonNode> many = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            many.add(session("session-" + i, "\"title\": \"漢字 " + i + "\", \"output_end\": " + i));
        }
        top.sessions(many, 0);
        for (int rows : new int[] {1, 2, 3, 5, 11, 12, 24, 100}) {
            for (String keys : new String[] {"", "G", "/9\r", "\033", "x", "n", "\t", "?"}) {
                type(keys);
                Canvas canvas = top.draw(cols, rows, NOW);
                for (int row = 0; row < rows; row++) {
                    assertThat(Canvas.width(canvas.text(row))).isLessThanOrEqualTo(cols);
                }
            }
            type("q");
        }
        type("G");
        if (cols >= 40) {
            assertThat(picture(cols, 24)).contains("session-99"); // the last one by name
        }
    }

    @Test
    void atFortyColumnsTheMostImportantIsThere() {
        three();
        assertThat(picture(40, 14)).matches("""
                (?s)belay top  2 running  1 waits  1 ended.*
                ID +STATE +RATE +COMMAND
                login +secret +bash -l
                build +running +bash -l
                done +exit 1 +bash -l
                ── screen of login ─+
                .*""");
    }
}
