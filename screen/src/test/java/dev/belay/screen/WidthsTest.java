package dev.belay.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class WidthsTest {
    @Test
    void charactersUpToUnicode11AreAsWideAsInXtermJs() throws IOException {
        BitSet newer = new BitSet();
        try (InputStream list = Objects.requireNonNull(getClass().getResourceAsStream("newer-than-unicode-11.txt"))) {
            new String(list.readAllBytes(), StandardCharsets.US_ASCII).lines().map(range -> range.split("-", -1))
                    .forEach(range -> newer.set(Integer.parseInt(range[0], 16), Integer.parseInt(range[1], 16) + 1));
        }
        String theirs;
        try (Xterm xterm = new Xterm()) {
            theirs = xterm.say("new 80 24 0\nwidths\n", 1).getFirst();
        }
        for (int code = 0xa0; code <= 0x10ffff; code++) {
            if (!newer.get(code)) {
                assertThat(Widths.of(code)).as("U+%04X", code).isEqualTo(theirs.charAt(code - 0xa0) - '0');
            }
        }
    }

    @Test
    void newerCharactersHaveTheirWidthsFromUnicode16() {
        assertThat(Widths.of(0x1fae9)).as("face with bags under eyes, Unicode 16").isEqualTo(2);
        assertThat(Widths.of(0x0897)).as("Arabic pepet, Unicode 16").isZero();
        assertThat(Widths.of(0x1ccd6)).as("outlined Latin capital A, Unicode 16").isEqualTo(1);
    }
}
