package dev.belay.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What real programs print on a terminal, recorded by `script`, ends in xterm.js's state at each step.
class RealProgramsTest {
    private static final int STEP = 700;

    @TempDir
    private Path folder;

    private byte[] record(String command, String keys) throws IOException, InterruptedException {
        Path typed = Files.writeString(folder.resolve("keys"), keys);
        Path printed = folder.resolve("printed");
        ProcessBuilder script = new ProcessBuilder("script", "-qfec", "stty cols 80 rows 24; " + command, "/dev/null");
        script.environment()
                .putAll(java.util.Map.of("TERM", "xterm-256color", "LANG", "C.UTF-8", "HOME", folder.toString()));
        Process process = script.redirectInput(typed.toFile()).redirectOutput(printed.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(command + " has ended").isTrue();
        return Files.readAllBytes(printed);
    }

    private static void assertSameAsXtermJs(byte[] bytes) {
        assertThat(bytes).hasSizeGreaterThan(500);
        List<Scenario.Step> steps = new ArrayList<>();
        for (int from = 0; from < bytes.length; from += STEP) {
            steps.add(new Scenario.Feed(Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + STEP))));
        }
        Scenario scenario = new Scenario(80, 24, 200, steps);
        try (Xterm xterm = new Xterm()) {
            List<String> theirs = xterm.run(scenario);
            List<String> ours = scenario.run(new Random(1));
            for (int i = 0; i < ours.size(); i++) {
                assertThat(withoutReplies(ours.get(i))).as("step %d: %s", i, steps.get(i))
                        .isEqualTo(withoutReplies(theirs.get(i)));
            }
        }
    }

    /// xterm.js gives fixed answers to DECRQSS where Belay gives true ones.
    private static String withoutReplies(String state) {
        return state.replaceFirst(" replies=.*", "");
    }

    @Test
    void vim() throws IOException, InterruptedException {
        Path text = Files.writeString(folder.resolve("text.py"), "def f(x):\n    return '中文' + x  # é\n".repeat(60),
                StandardCharsets.UTF_8);
        assertSameAsXtermJs(record("vim -u NONE -N -c 'syntax on' " + text,
                "\006\006jjIhello \033:split\r\027jdd:%s/x/yy/g\r:qa!\r"));
    }

    @Test
    void less() throws IOException, InterruptedException {
        Path text = Files.writeString(folder.resolve("text"),
                "some words that are long enough to wrap when the terminal is narrow. ".repeat(40).replace(". ", ".\n")
                        .repeat(5));
        assertSameAsXtermJs(record("less -N " + text, "   b/words\rnq"));
    }

    @Test
    void aListingWithColoursAndAProgressBar() throws IOException, InterruptedException {
        assertSameAsXtermJs(record(
                "ls -la --color=always /usr/bin | head -n 60; "
                        + "for i in 1 2 3 4 5; do printf '\\r\\033[K[%s0%%]' $i; done; echo",
                ""));
    }
}
