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
    void longTextIsCutBetweenCharacters() {
        assertThat(Quoted.of("x".repeat(200))).isEqualTo("'" + "x".repeat(200) + "'");
        assertThat(Quoted.of("😀".repeat(201))).isEqualTo("'" + "😀".repeat(200) + "...'");
    }
}
