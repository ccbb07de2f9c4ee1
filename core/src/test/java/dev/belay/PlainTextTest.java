package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlainTextTest {
    private static final String ESC = "\u001b";

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String plain(byte[]... parts) {
        StringBuilder text = new StringBuilder();
        PlainText plain = new PlainText();
        for (byte[] part : parts) {
            int[] last = {0};
            plain.feed(part, (codePoint, end) -> {
                assertThat(end).isBetween(last[0], part.length);
                last[0] = end;
                text.appendCodePoint(codePoint);
            });
        }
        return text.toString();
    }

    private static String plain(String text) {
        return plain(utf8(text));
    }

    /// Feeds the text in two parts, cut at every byte: it always reads the same.
    private static void reads(String text, String expected) {
        byte[] bytes = utf8(text);
        for (int cut = 0; cut <= bytes.length; cut++) {
            assertThat(plain(Arrays.copyOf(bytes, cut), Arrays.copyOfRange(bytes, cut, bytes.length)))
                    .as("cut at %d", cut)
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @CsvSource({
            "colour, a^[[31mb^[[0mc, abc",
            "private mode, a^[[?2004hb, ab",
            "colons and many parameters, a^[[38:2::1:2:3;4;5mb, ab",
            "intermediates, a^[[1 qb, ab",
            "title ended by BEL, a^]0;some title^Gb, ab",
            "title ended by ST, a^]0;some title^[\\b, ab",
            "hyperlink, ^]8;;http://x/y^[\\link^]8;;^[\\!, link!",
            "device control string, a^[P1$r0m^[\\b, ab",
            "application command, a^[_Gi=1;AAAA^[\\b, ab",
            "privacy message, a^[^secret^[\\b, ab",
            "start of string, a^[Xsecret^[\\b, ab",
            "charset, a^[(Bb^[)0c, abc",
            "keypad, a^[=b^[>c, abc",
            "save and restore, a^[7b^[8c, abc",
            "aligned test, a^[#8b, ab",
            "sequence in a string, a^]0;x^[[31mb, ab",
            "escape twice, a^[^[[31mb, ab",
            "cancelled, a^[[31^Xb, ab",
            "bells and backspaces, a^Gb^Hc, abc"
    })
    void escapeSequencesAreRemovedWhereverTheyAreCut(String name, String text, String expected) {
        assertThat(name).isNotEmpty();
        String raw = text.replace("^]", ESC + "]").replace("^[^secret", ESC + "^secret").replace("^[", ESC)
                .replace("^G", "\u0007").replace("^H", "\b").replace("^X", "\u0018");
        reads(raw, expected);
    }

    @Test
    void tabsAndLineEndsStayAlsoWithinAControlSequence() {
        reads("a\tb\r\nc", "a\tb\r\nc");
        reads("a" + ESC + "[3\n1mb", "a\nb");
    }

    @Test
    void charactersOfEveryLengthSurviveEveryCut() {
        String text = "aé€漢😀 עברית русский ไทย 한국어\n";
        reads(text, text);
        reads("é" + ESC + "[31m€" + ESC + "]0;漢字\u0007😀", "é€😀");
    }

    @Test
    void controlCharactersOfTheSecondSetAreControlCharactersToo() {
        reads("a\u0085b", "ab");
        reads("a\u009b31mb", "ab");
        reads("a\u009d0;title\u0007b", "ab");
        reads("a\u00a0b", "a\u00a0b");
        assertThat(plain(new byte[] {(byte) 0xE0, (byte) 0x82, (byte) 0x9B, 'm'})).as("written too long")
                .isEqualTo("\uFFFDm");
    }

    @Test
    void aLineEndOrACharacterAfterALoneEscapeIsNotSwallowed() {
        reads("a" + ESC + "\n[31mb", "a\nb");
        reads("a" + ESC + "éb", "aéb");
        reads("a" + ESC + "[31éb", "aéb");
        reads("a" + ESC + "(\nBb", "a\nb");
    }

    @Test
    void eachInvalidByteIsAtMostOneReplacement() {
        assertThat(plain(new byte[] {'a', (byte) 0xFF, (byte) 0xC0, (byte) 0x80, 'b'}))
                .isEqualTo("a\uFFFD\uFFFD\uFFFDb");
        assertThat(plain(new byte[] {(byte) 0xE2, (byte) 0x82, 'b'})).isEqualTo("\uFFFDb");
        assertThat(plain(new byte[] {(byte) 0xE2, (byte) 0x82, (byte) 0xE2, (byte) 0x82, (byte) 0xAC}))
                .isEqualTo("\uFFFD€");
        assertThat(plain(new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80, 'b'})).matches("\uFFFD{1,3}b");
        assertThat(plain(new byte[] {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80, 'b'})).matches("\uFFFD{1,4}b");
        assertThat(plain(new byte[] {(byte) 0xE0, (byte) 0x80, (byte) 0x80, 'b'})).matches("\uFFFD{1,3}b");
    }

    @Test
    void aStringThatNeverEndsHidesABoundedPartOfWhatFollows() {
        String text = plain(ESC + "]0;" + "x".repeat(200_000));
        assertThat(text).matches("x*").hasSizeBetween(200_000 - (64 << 10) - 10, 200_000 - (64 << 10) + 10);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14})
    void anyBytesGiveAtMostAsManyCharactersHoweverTheyAreCut(long seed) {
        Random random = new Random(seed);
        byte[] likely = utf8(ESC + ESC + ESC + "[]P_^X\\()#;?0123mhl\u0007\u0018\n\r\tabcé€😀\u009b");
        for (int round = 0; round < 3000; round++) {
            byte[] bytes = new byte[random.nextInt(60)];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = random.nextInt(4) == 0 ? (byte) random.nextInt() : likely[random.nextInt(likely.length)];
            }
            String whole = plain(bytes);
            assertThat(whole.length()).isLessThanOrEqualTo(bytes.length);
            assertThat(whole.codePoints().allMatch(c -> c >= 0x20 || c == '\n' || c == '\r' || c == '\t')).isTrue();
            int cut = random.nextInt(bytes.length + 1);
            assertThat(plain(Arrays.copyOf(bytes, cut), Arrays.copyOfRange(bytes, cut, bytes.length))).isEqualTo(whole);
        }
    }
}
