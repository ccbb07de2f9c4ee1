package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RenderedTextTest {
    private static final String[] NUMBERS = {"", "0", "1", "2", "4", "9", "10", "11", "?1049", "65535", "999999999"};

    /// However the bytes are cut.
    private static String render(String printed) {
        byte[] bytes = printed.getBytes(StandardCharsets.UTF_8);
        StringBuilder whole = new StringBuilder();
        RenderedText once = new RenderedText(10, 4, 0, false, (point, _, _) -> whole.appendCodePoint(point));
        once.feed(bytes);
        once.flush();
        StringBuilder cut = new StringBuilder();
        RenderedText pieces = new RenderedText(10, 4, 0, false, (point, _, _) -> cut.appendCodePoint(point));
        for (byte each : bytes) {
            pieces.feed(new byte[] {each});
        }
        pieces.flush();
        assertThat(cut.toString()).isEqualTo(whole.toString());
        return whole.toString();
    }

    @Test
    void linesAreAsTheyEndedUp() {
        assertThat(render("one\r\ntwo\r\n> ")).isEqualTo("one\ntwo\n> ");
        assertThat(render("10%\r50%\r100%\r\ndone")).isEqualTo("100%\ndone");
        assertThat(render("long text\r\u001b[Kx")).isEqualTo("x");
        assertThat(render("abc\b\bX\r\n")).isEqualTo("aXc\n");
        assertThat(render("\u001b[1mbold\u001b[0m \u001b]0;title\u0007x")).isEqualTo("bold x");
    }

    @Test
    void barsThatMoveTheCursorUpShowTheirLastState() {
        assertThat(render("a 1\r\nb 1\r\n\u001b[2Aa 2\r\nb 2\r\n")).isEqualTo("a 2\nb 2\n");
        assertThat(render("1\r\n2\r\n3\r\n4\r\n5\r\n6\u001b[9Atop")).isEqualTo("1\n2\n3top\n4\n5\n6");
    }

    @Test
    void wrappedRowsAreJoinedAndTabsStay() {
        assertThat(render("0123456789abcdefghijKLM\r\nx")).isEqualTo("0123456789abcdefghijKLM\nx");
        assertThat(render("0123456789\r\nx")).isEqualTo("0123456789\nx");
        assertThat(render("日本語日本語\r\nx")).isEqualTo("日本語日本語\nx");
        assertThat(render("a\tb\r\n")).isEqualTo("a\tb\n");
    }

    @Test
    void combiningCharactersStayWithTheOneBeforeThem() {
        assertThat(render("e\u0301x")).isEqualTo("e\u0301x");
        assertThat(render("👩\u200D💻!")).isEqualTo("👩\u200D💻!");
        assertThat(render("か\u3099\r\n")).isEqualTo("か\u3099\n");
    }

    @Test
    void theAlternateScreenLeavesNothingBehind() {
        assertThat(render("before\r\n\u001b[?1049hdrawn\u001b[5;1Hmore\u001b[?1049lafter")).isEqualTo("before\nafter");
    }

    @Test
    void charactersAreInsertedAndDeletedAtTheEdges() {
        assertThat(render("abcdef\r\u001b[9Px")).isEqualTo("x");
        assertThat(render("abcdefghij\u001b[Gx\u001b[65535P")).isEqualTo("x");
        assertThat(render("abcdefghij\u001b[9G\u001b[200Px")).isEqualTo("abcdefghx");
        assertThat(render("abcdef\u001b[3G\u001b[2@x")).isEqualTo("abx cdef");
        assertThat(render("abcdefghij\u001b[9G\u001b[65535@x").stripTrailing()).isEqualTo("abcdefghx");
    }

    @Test
    void noSequenceIsTooMuch() {
        Random random = new Random(4);
        for (int run = 0; run < 2000; run++) {
            StringBuilder printed = new StringBuilder();
            for (int i = 0; i < 30; i++) {
                switch (random.nextInt(4)) {
                    case 0 -> printed.append("abc日e\u0301".repeat(random.nextInt(4)));
                    case 1 -> printed.append("\r\n\t\b".charAt(random.nextInt(4)));
                    case 2 -> printed.append('\u001b').append((char) ('0' + random.nextInt(75)));
                    default -> printed.append("\u001b[").append(NUMBERS[random.nextInt(NUMBERS.length)]).append(';')
                            .append(NUMBERS[random.nextInt(NUMBERS.length)])
                            .append((char) ('@' + random.nextInt(63)));
                }
            }
            assertThatCode(() -> render(printed.toString())).as(printed.toString()).doesNotThrowAnyException();
        }
    }
}
