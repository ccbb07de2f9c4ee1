package dev.belay.server.logs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.testkit.MovedClock;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Lines of the log that strangers have a say in.
class EventLogTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final MovedClock clock = new MovedClock();
    private final EventLog log = EventLog.json(new PrintStream(out, true, StandardCharsets.UTF_8), clock);

    private List<String> lines() {
        return out.toString(StandardCharsets.UTF_8).lines().map(line -> line.replaceFirst("\"time\":[^,]+,", ""))
                .toList();
    }

    @Test
    void theFirstOfAKindIsWrittenAtOnceAndThenACount() {
        for (int i = 0; i < 1000; i++) {
            log.seldom("refused", "one", Map.of("n", i));
        }
        log.seldom("refused", "two", Map.of("n", 0));
        assertThat(lines()).containsExactly("{\"event\":\"refused\",\"n\":0}", "{\"event\":\"refused\",\"n\":0}");
        clock.pass(RepeatedEvents.INTERVAL);
        log.flush();
        assertThat(lines()).last().isEqualTo("{\"event\":\"refused\",\"n\":999,\"more\":999}");
        clock.pass(RepeatedEvents.INTERVAL);
        log.flush();
        assertThat(lines()).as("nothing more happened").hasSize(3);
        log.seldom("refused", "one", Map.of("n", 1));
        assertThat(lines()).as("at once again").hasSize(4);
    }

    @Test
    void kindsWithoutEndWriteLinesWithAnEnd() {
        for (int i = 0; i < 100_000; i++) {
            log.seldom("refused", "address " + i, Map.of("n", i));
        }
        assertThat(lines()).hasSizeLessThan(50);
        log.seldom("another", "address", Map.of());
        assertThat(lines()).last().isEqualTo("{\"event\":\"another\"}");
        log.flushAll();
        assertThat(lines()).last().asString().contains("\"more\":99");
    }

    @Test
    void whatIsNotWrittenAtTheEndIsWrittenThen() {
        log.seldom("refused", "one", Map.of());
        log.seldom("refused", "one", Map.of());
        log.flushAll();
        assertThat(lines()).last().isEqualTo("{\"event\":\"refused\",\"more\":1}");
    }

    @Test
    void controlCharactersAreEscapedAndTextsAreCut() {
        log.log("odd", Map.of("text", "\r\n\u001b[31m\u0085\u009b\u007f\u202e" + "x".repeat(10_000)));
        String line = out.toString(StandardCharsets.UTF_8).strip();
        assertThat(line).matches("[ -~]+").contains("\\r\\n\\u001B", "\\u0085", "\\u007f").hasSizeLessThan(700);
    }
}
