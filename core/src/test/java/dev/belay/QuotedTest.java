package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuotedTest {
    @Test
    void ordinaryTextIsOnlyQuoted() {
        assertThat(Quoted.of("")).isEqualTo("''");
        assertThat(Quoted.of("a b é 漢 😀 עברית")).isEqualTo("'a b é 漢 😀 עברית'");
    }

    @Test
    void controlAndBidirectionalCharactersAreEscaped() {
        assertThat(Quoted.of("a\u001b[31m\r\n\0\u007f\u009b"))
                .isEqualTo("'a\\u001b[31m\\u000d\\u000a\\u0000\\u007f\\u009b'");
        assertThat(Quoted.of("\u202e\u2066\u2069\u200f\u061c")).isEqualTo("'\\u202e\\u2066\\u2069\\u200f\\u061c'");
        assertThat(Quoted.of("\u2028\u2029\ufeff\ud800")).isEqualTo("'\\u2028\\u2029\\ufeff\\ud800'");
    }

    @Test
    void blanksThatLookLikeASpaceOrLikeNothingAreEscaped() {
        assertThat(Quoted.of("a\u00a0\u3000\u2800\u3164\ufe0f\u200bb"))
                .isEqualTo("'a\\u00a0\\u3000\\u2800\\u3164\\ufe0f\\u200bb'");
        assertThat(Quoted.of("\udb40\udc41")).isEqualTo("'\\U000e0041'");
        assertThat(Quoted.of("a  b\t\t\t")).isEqualTo("'a⟦␠×2⟧b⟦\\u0009×3⟧'");
    }

    @Test
    void textCannotLeaveItsQuotesNorPretendToBeAnEscapeOrAFold() {
        assertThat(Quoted.of("a' in '/safe")).isEqualTo("'a\\' in \\'/safe'");
        assertThat(Quoted.of("\\u001b")).isEqualTo("'\\\\u001b'");
        assertThat(Quoted.of("⟦␠×2⟧")).isEqualTo("'\\u27e6\\u2420×2\\u27e7'");
    }

    @Test
    void longTextIsFoldedBetweenCharactersAndKeepsItsEnd() {
        assertThat(Quoted.of("x".repeat(200))).isEqualTo("'" + "x".repeat(200) + "'");
        String folded = Quoted.of("😀".repeat(500) + "end");
        assertThat(folded).startsWith("'" + "😀".repeat(133) + "⟦… 503 characters, sha256 ").endsWith("😀end'");
        assertThat(Quoted.of("😀".repeat(250) + "." + "😀".repeat(249) + "end")).isNotEqualTo(folded)
                .hasSameSizeAs(folded);
    }

    @Test
    void jsonSaysTheSameWithoutHiddenCharacters() {
        assertThat(Visible.json("{\"a\": \"\u202e \u007f \udb40\udc41\"}"))
                .isEqualTo("{\"a\": \"\\u202e \\u007f \\udb40\\udc41\"}");
    }
}
