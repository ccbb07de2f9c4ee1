package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ScreenModesTest {
    private final ScreenModes modes = new ScreenModes();

    private String undoAfter(String... printed) {
        for (String part : printed) {
            modes.feed(part.getBytes(StandardCharsets.UTF_8));
        }
        return new String(modes.undo(), StandardCharsets.US_ASCII).replace("\033", "^");
    }

    @Test
    void plainTextLeavesNothingToUndo() {
        assertThat(undoAfter("hello [?1049h ünïcode\r\n", "\033]0;a title\007")).isEmpty();
    }

    @Test
    void whatWasSwitchedOnIsSwitchedOff() {
        assertThat(undoAfter("\033[?1049h\033[?25l\033[?1002;1006h\033[?2004h"))
                .isEqualTo("^[?1002l^[?1006l^[?2004l^[?1049l^[?25h");
    }

    @Test
    void whatTheProgramSwitchedOffItselfIsLeftAlone() {
        assertThat(undoAfter("\033[?1049h\033[?25l\033[1m", "text", "\033[0m\033[?25h\033[?1049l")).isEmpty();
    }

    @Test
    void aSequenceMayComeInPieces() {
        assertThat(undoAfter("\033", "[?", "10", "49", "h")).isEqualTo("^[?1049l");
    }

    @Test
    void theKeyboardsModesAreUndoneToo() {
        assertThat(undoAfter("\033[?1h\033=\033[>4;2m\033[>1u")).isEqualTo("^[?1l^>^[>4m^[<u");
    }

    @Test
    void coloursAndTheScrollingRegionAreUndone() {
        assertThat(undoAfter("\033[2;10r\033[31m")).isEqualTo("^7^[r^8^[m");
    }

    @Test
    void aResetOfTheTerminalForgetsEverything() {
        assertThat(undoAfter("\033[?1049h\033[?25l\033c")).isEmpty();
    }

    @Test
    void undoingTwiceWritesOnce() {
        assertThat(undoAfter("\033[?1049h")).isNotEmpty();
        assertThat(undoAfter()).isEmpty();
    }

    @Test
    void nonsenseIsSurvived() {
        String nonsense = "\033[" + ";".repeat(100) + "9".repeat(100) + "h\033[?" + "1;".repeat(50) + "\033[\033[m";
        assertThat(undoAfter(nonsense)).isEmpty();
    }
}
