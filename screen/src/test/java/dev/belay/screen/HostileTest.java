package dev.belay.screen;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/// Input that wants memory or time gets neither: what a screen holds stays bounded, and twice the bytes are not much
/// more than twice the work. Time is not measured here; a quadratic loop would run into the test's time limit.
class HostileTest {
    private static final int MEGABYTE = 1 << 20;
    private static final long ENOUGH = 4 * MEGABYTE;

    private final Screen screen = new Screen(80, 24, ScreenLimits.defaults());

    private void repeat(String text, int bytes) {
        byte[] piece = text.repeat(Math.max(1, 65_536 / text.length())).getBytes(UTF_8);
        for (long fed = 0; fed < bytes; fed += piece.length) {
            screen.feed(piece);
        }
        assertThat(screen.heldBytes()).isLessThan(ENOUGH);
    }

    @Test
    void stringsWithoutAnEndHoldNoMemory() {
        screen.feed("\033]0;".getBytes(UTF_8));
        repeat("x", 64 * MEGABYTE);
        screen.feed("\007\033Pq".getBytes(UTF_8));
        repeat("~", 64 * MEGABYTE);
        assertThat(screen.checkpoint().size()).isLessThan(20_000);
        screen.feed("\033\\\033cshown".getBytes(UTF_8));
        assertThat(screen.snapshot(Sight.ALL, 0).text()).isEqualTo("shown");
    }

    @Test
    void hugeNumbersDoNoHugeWork() {
        repeat("\033[99999999999S\033[999999999L\033[2147483647P\033[99999I\033[65535T\033[4294967296@\033[9999999X",
                8 * MEGABYTE);
        repeat("x\033[65535b", 64 * 1024);
    }

    @Test
    void marksWithoutEndStayInBounds() {
        repeat("a" + "\u0301".repeat(1000), 16 * MEGABYTE);
        Random random = new Random(1);
        for (int i = 0; i < 200_000; i++) {
            screen.feed(("a" + Character.toString(0x300 + random.nextInt(0x6f))
                    + Character.toString(0x300 + random.nextInt(0x6f)))
                    .getBytes(UTF_8));
        }
        assertThat(screen.heldBytes()).isLessThan(ENOUGH);
    }

    @Test
    void stylesAndLinksWithoutEndStayInBounds() {
        for (int i = 0; i < 300_000; i++) {
            screen.feed(("\033[38;2;" + i % 256 + ";" + i / 256 % 256 + ";" + i / 65_536 + "m\033]8;;http://x/" + i
                    + "\033\\x").getBytes(UTF_8));
        }
        assertThat(screen.heldBytes()).isLessThan(ENOUGH);
    }

    @Test
    void moreThan65535StylesAtOnceAreRounded() {
        Screen large = new Screen(1000, 200, ScreenLimits.defaults().withKeptRows(0));
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 100_000; i++) {
            text.append("\033[38;2;").append(i & 255).append(';').append(i >> 8 & 255).append(';').append(i >> 16)
                    .append("mx");
        }
        large.feed(text.toString().getBytes(UTF_8));
        Row last = large.snapshot(Sight.ALL, 0).rows().get(99);
        assertThat(last.text()).hasSize(1000);
        int colour = last.spans().getLast().style().foreground();
        assertThat(colour & 0xf8f8f8).isEqualTo(((99_999 & 0xf8) << 16) | (((99_999 >> 8) & 0xf8) << 8));
    }

    @Test
    void randomBytesBreakNothing() {
        Random random = new Random(3);
        byte[] bytes = new byte[65_536];
        for (int i = 0; i < 200; i++) {
            random.nextBytes(bytes);
            screen.feed(bytes);
            screen.resize(2 + random.nextInt(200), 1 + random.nextInt(60));
        }
        assertThat(screen.snapshot(Sight.ALL, 0).rows()).hasSize(screen.rows());
        assertThat(Screen.at(screen.checkpoint()).snapshot(Sight.ALL, 200)).isEqualTo(screen.snapshot(Sight.ALL, 200));
    }
}
