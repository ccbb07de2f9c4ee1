package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommandLineTest {
    private static String text(String... words) {
        return CommandLine.of(List.of(words)).text();
    }

    @Test
    void wordsStayApart() {
        assertThat(text("git", "push", "-f", "a b", "", "it's")).isEqualTo("git push -f \"a b\" \"\" \"it\\'s\"");
        assertThat(text("git", "push origin")).isNotEqualTo(text("git", "push", "origin"));
        assertThat(text("x", "a\" \"b")).isEqualTo("x \"a\\\" \\\"b\"");
        assertThat(text("true", ";", "rm")).isEqualTo("true \";\" rm");
    }

    @Test
    void runsOfBlanksDoNotPushTheEndOutOfSight() {
        assertThat(text("git", "-c", "x.y=" + " ".repeat(190), "push", "--force", "https://evil/"))
                .isEqualTo("git -c \"x.y=⟦␠×190⟧\" push --force https://evil/");
    }

    @Test
    void aLongWordIsFoldedInItsMiddle() {
        CommandLine line = CommandLine.of(List.of("echo", "a" + "b".repeat(5000) + "c", "end"));
        assertThat(line.text()).matches("echo ab+⟦… 5002 characters, sha256 [0-9a-f]{12} …⟧b+c end");
        assertThat(line.words()).hasSize(3).element(1).asString().hasSizeLessThan(1100).endsWith("bc");
        assertThat(line.folded()).isZero();
    }

    @Test
    void ofManyWordsTheMiddleIsFoldedAndNeverTheEnd() {
        List<String> all = new ArrayList<>(Collections.nCopies(5000, "word"));
        all.set(0, "rm");
        all.add("/precious");
        CommandLine line = CommandLine.of(all);
        assertThat(line.text()).startsWith("rm word ").endsWith(" word /precious")
                .containsPattern(" ⟦… 4801 of 5001 words, sha256 of all [0-9a-f]{12} …⟧ ");
        assertThat(line.words()).hasSize(201).startsWith("rm").endsWith("/precious");
        assertThat(line.folded()).isEqualTo(4801);
        all.set(2500, "other");
        assertThat(CommandLine.of(all).text()).isNotEqualTo(line.text());
    }

    @Test
    void whatIsShownIsBounded() {
        CommandLine line = CommandLine.of(Collections.nCopies(100, "x".repeat(100_000)));
        assertThat(line.text()).hasSizeLessThan(10_000);
        assertThat(CommandLine.brief(Collections.nCopies(100, "x".repeat(100_000)))).hasSizeLessThan(1500);
    }
}
