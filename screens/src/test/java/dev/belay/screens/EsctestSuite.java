package dev.belay.screens;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// esctest2, the conformance suite of xterm's author, in a real session whose questions Belay's screens answer. It
/// fails where `esctest-expected-failures.txt` says that it fails, and why; nowhere else.
///
/// Not among the tests that run by themselves: it needs a checkout of ThomasDickey/esctest2. `screens/esctest DIR` runs
/// it, in about two minutes, most of which are timeouts of questions that get no answer.
class EsctestSuite extends ScreensFixture {
    private static final Duration BOUND = Duration.ofMinutes(40);

    /// What became of the suite's tests.
    private record Results(SortedSet<String> passed, SortedSet<String> failed, SortedSet<String> leftOut) {
        static Results of(List<String> log) {
            Results results = new Results(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
            String current = "";
            for (String line : log) {
                if (line.startsWith("Run test: ")) {
                    current = line.substring("Run test: ".length());
                } else if (line.equals("Passed.")) {
                    results.passed.add(current);
                } else if (line.startsWith("Fails as expected: ") || line.startsWith("Skipped because")) {
                    results.leftOut.add(current);
                } else if (line.startsWith("*** TEST ") && line.endsWith(" FAILED:")) {
                    results.failed.add(current);
                }
            }
            return results;
        }

        int size() {
            return passed.size() + failed.size();
        }
    }

    @Test
    @Timeout(3600)
    void failsOnlyWhereItIsExpectedTo() throws Exception {
        String checkout = System.getenv("ESCTEST_CHECKOUT");
        assertThat(checkout).as("ESCTEST_CHECKOUT: a checkout of ThomasDickey/esctest2").isNotNull();
        Path suite = Path.of(checkout, "esctest", "esctest.py").toAbsolutePath();
        assertThat(suite).isRegularFile();
        Path log = folder.resolve("esctest.log");
        run(suite, log);

        List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
        Path kept = Path.of("target", "esctest.log");
        Files.write(kept, lines);
        Results results = Results.of(lines);
        Map<String, String> expected = expected();
        System.out.printf("esctest2: %d passed of %d run, %d left out by the suite; see %s%n", results.passed.size(),
                results.size(), results.leftOut.size(), kept.toAbsolutePath());
        assertThat(lines).as("the last lines of the suite").anyMatch(line -> line.startsWith("*** "));
        assertThat(results.size()).as("tests that ran").isGreaterThan(400);
        assertThat(results.failed).as("tests of the suite that fail").isEqualTo(new TreeSet<>(expected.keySet()));
    }

    private void run(Path suite, Path log) throws InterruptedException {
        Sessions sessions = sessions();
        Screens screens = closing(new Screens(sessions, PATIENT.repliesPerSecond(1_000_000)));
        Session session = sessions.open(SessionSpec.of("python3", suite.toString(), "--expected-terminal=xterm",
                "--no-print-logs", "--timeout=2", "--logfile=" + log)
                .size(80, 25).owner("alice"));
        new Checksums(screens, session).run();
        assertThat(session.awaitExit(BOUND)).as("end of the suite").isPresent();
    }

    /// The tests that fail, each with the reason: a line `# REASON`, then the names of the tests.
    private static Map<String, String> expected() throws IOException {
        Map<String, String> expected = new LinkedHashMap<>();
        try (InputStream in = EsctestSuite.class.getResourceAsStream("esctest-expected-failures.txt")) {
            String reason = "";
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
                if (line.startsWith("# ")) {
                    reason = line.substring(2);
                } else if (!line.isBlank()) {
                    assertThat(expected.put(line, reason)).as("the second reason of " + line).isNull();
                    assertThat(reason).as("the reason of " + line).isNotEmpty();
                }
            }
        }
        return expected;
    }
}
