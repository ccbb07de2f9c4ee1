package dev.belay.cli.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.screen.Screen;
import dev.belay.screen.ScreenLimits;
import dev.belay.screen.Sight;
import dev.belay.screen.Snapshot;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What is sent to a terminal, drawn by our own emulator.
@Tag("any-user")
class CanvasTest {
    private static final String[] GLYPHS = {"a", "B", " ", "é", "─", "漢", "字", "e\u0301", "…", "  "};
    private static final String[] STYLES = {"", "1", "7", "32", "33;1", "38;5;200", "48;2;1;2;3"};

    private static void send(Screen screen, String text) {
        screen.feed(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Canvas random(Random random, int cols, int rows) {
        Canvas canvas = new Canvas(cols, rows);
        for (int row = 0; row < rows; row++) {
            int col = 0;
            for (int i = random.nextInt(cols); i > 0 && col < cols; i--) {
                col = canvas.put(row, col, GLYPHS[random.nextInt(GLYPHS.length)],
                        STYLES[random.nextInt(STYLES.length)]);
            }
            if (random.nextInt(4) == 0) {
                canvas.put(row, random.nextInt(cols), "漢over", STYLES[random.nextInt(STYLES.length)]);
            }
        }
        return canvas;
    }

    private static void assertShows(Screen screen, Canvas canvas) {
        Snapshot seen = screen.snapshot(Sight.ALL, 0);
        for (int row = 0; row < canvas.rows(); row++) {
            assertThat(seen.rows().get(row).text().stripTrailing()).as("row %d", row).isEqualTo(canvas.text(row));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void changesTurnOnePictureIntoTheNext(long seed) {
        Random random = new Random(seed);
        for (int size = 0; size < 8; size++) {
            int cols = 2 + random.nextInt(60);
            int rows = 1 + random.nextInt(12);
            Screen changed = new Screen(cols, rows, ScreenLimits.defaults());
            Canvas shown = null;
            for (int i = 0; i < 25; i++) {
                Canvas next = random(random, cols, rows);
                send(changed, next.after(shown));
                assertShows(changed, next);
                Screen fresh = new Screen(cols, rows, ScreenLimits.defaults());
                send(fresh, next.after(null));
                for (int row = 0; row < rows; row++) {
                    // Styles too: blanks at the end of a row may differ in nothing that is seen.
                    assertThat(changed.snapshot(Sight.ALL, 0).rows().get(row).spans())
                            .as("row %d of %d x %d", row, cols, rows)
                            .isEqualTo(fresh.snapshot(Sight.ALL, 0).rows().get(row).spans());
                }
                shown = next;
            }
        }
    }

    @Test
    void nothingIsSentForTheSamePicture() {
        Canvas one = random(new Random(7), 40, 10);
        Canvas same = random(new Random(7), 40, 10);
        assertThat(same.after(one)).isEmpty();
        assertThat(same).isEqualTo(one).hasSameHashCodeAs(one);
    }

    @Test
    void onlyTheCellsThatDifferAreSent() {
        Canvas before = new Canvas(80, 24);
        Canvas after = new Canvas(80, 24);
        for (int row = 0; row < 24; row++) {
            before.put(row, 0, "the same text in every row " + row, "32");
            after.put(row, 0, "the same text in every row " + row, "32");
        }
        before.put(5, 40, "3s", "");
        after.put(5, 40, "4s", "");
        assertThat(after.after(before)).isEqualTo("\033[?2026h\033[6;41H\033[0m4\033[?2026l");
    }

    @Test
    void textIsCutAtTheEdgeAndHalfOfAWideCharacterIsNeverLeft() {
        Canvas canvas = new Canvas(6, 1);
        assertThat(canvas.put(0, 0, "abc漢字", "")).isEqualTo(5);
        assertThat(canvas.text(0)).isEqualTo("abc漢");
        canvas.put(0, 4, "x", "");
        assertThat(canvas.text(0)).isEqualTo("abc x");
        assertThat(canvas.put(0, 0, 2, "wide", "")).isEqualTo(2);
        assertThat(canvas.text(0)).isEqualTo("wic x");
        assertThat(Canvas.width("a漢e\u0301")).isEqualTo(4);
    }

    @Test
    void controlCharactersNeverReachTheTerminal() {
        Canvas canvas = new Canvas(20, 1);
        canvas.put(0, 0, "a\033[31mb\u009b2Jc\007", "");
        assertThat(canvas.after(null)).doesNotContain("\033[31m", "\u009b", "\007");
        assertThat(canvas.text(0)).isEqualTo("a[31mb2Jc");
    }
}
