package dev.belay.screen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What each group of functions does, in small pictures. That it is xterm.js's doing is [XtermFuzzTest]'s.
class ScreenTest {
    private final Screen screen = new Screen(10, 4, ScreenLimits.defaults());

    private void feed(String text) {
        screen.feed(text.getBytes(StandardCharsets.UTF_8));
    }

    private List<String> rows() {
        return screen.snapshot(Sight.ALL, 0).rows().stream().map(Row::text).toList();
    }

    private Row row(int number) {
        return screen.snapshot(Sight.ALL, 0).rows().get(number);
    }

    /// The example of README.md.
    @Test
    void theReadmesExampleWorks() {
        Screen screen = new Screen(80, 24, ScreenLimits.defaults());
        screen.feed("\033[2J\033[1;1H\033[7m Menu \033[0m\r\n> start\r\n  stop".getBytes(StandardCharsets.UTF_8));

        Snapshot seen = screen.snapshot(Sight.ALL, 0);
        assertThat(seen.text()).isEqualTo(" Menu \n> start\n  stop");
        assertThat(seen.rows().get(0).spans().get(0).style().inverse()).isTrue();

        Screen later = Screen.at(screen.checkpoint());
        byte[] repaint = later.repaint(Sight.ALL, 100);
        assertThat(repaint).hasSizeLessThan(200);
    }

    @Test
    void longLinesWrapAndRowsThatLeaveAreKept() {
        feed("0123456789abc\r\none\r\ntwo\r\nthree");
        assertThat(rows()).containsExactly("abc", "one", "two", "three");
        Snapshot seen = screen.snapshot(Sight.ALL, 9);
        assertThat(seen.history()).extracting(Row::text).containsExactly("0123456789");
        assertThat(seen.rows().getFirst().wrapped()).isTrue();
        assertThat(seen.rows().getFirst().number()).isEqualTo(1);
    }

    @Test
    void aRowThatScrollsKeepsItsNumberAndItsOffsets() {
        feed("one\r\ntwo");
        Row before = row(1);
        feed("\r\n\r\n\r\n");
        Row after = row(0);
        assertThat(after).isEqualTo(before);
        assertThat(after.number()).isEqualTo(1);
        assertThat(after.began()).isEqualTo(5);
        assertThat(after.changed()).isEqualTo(8);
        feed("\033[1;1HT");
        assertThat(row(0).changed()).isEqualTo(screen.offset());
        assertThat(row(0).began()).isEqualTo(5);
    }

    @Test
    void styledTextHasSpans() {
        feed("a\033[1;31mb\033[38;2;1;2;3;48;5;7mc\033[0;4:3md\033]8;;http://x\033\\e\033]8;;\033\\f");
        Row row = row(0);
        assertThat(row.text()).isEqualTo("abcdef");
        assertThat(row.spans()).extracting(Span::from).containsExactly(1, 2, 3, 4, 5);
        assertThat(row.spans().get(0).style().foreground()).isEqualTo(1);
        assertThat(row.spans().get(0).style().bold()).isTrue();
        assertThat(row.spans().get(1).style().foreground()).isEqualTo(Style.RGB | 0x010203);
        assertThat(row.spans().get(1).style().background()).isEqualTo(7);
        assertThat(row.spans().get(2).style().underline()).isEqualTo(Style.Underline.CURLY);
        assertThat(row.spans().get(3).style().link()).isEqualTo(Optional.of("http://x"));
    }

    @Test
    void wideCharactersAndMarksTakeTheirCells() {
        feed("中e\u0301x\033[2G!");
        assertThat(rows().getFirst()).isEqualTo(" !e\u0301x");
        feed("\r12345678中");
        assertThat(rows()).startsWith("12345678中");
        assertThat(screen.snapshot(Sight.ALL, 0).cursor().column()).isEqualTo(10);
    }

    @Test
    void theAlternateScreenIsBlankAndLeavesTheMainOneAlone() {
        feed("main\033[?1049h\033[2;2Halt");
        assertThat(rows()).containsExactly("", " alt", "", "");
        assertThat(screen.snapshot(Sight.ALL, 0).alternate()).isTrue();
        feed("\033[?1049l");
        assertThat(rows()).containsExactly("main", "", "", "");
        assertThat(screen.snapshot(Sight.ALL, 0).cursor()).extracting(Cursor::row, Cursor::column).containsExactly(0,
                4);
        assertThat(row(0).changed()).isEqualTo(screen.offset());
    }

    @Test
    void marginsScrollAPartOfTheScreen() {
        feed("a\r\nb\r\nc\r\nd\033[2;3r\033[3;1H\n\033[3;1HX");
        assertThat(rows()).containsExactly("a", "c", "X", "d");
    }

    @Test
    void linesAndCharactersAreInsertedDeletedAndErased() {
        feed("abcdef\r\nsecond\033[1;2H\033[2P\033[1@\033[2;1H\033[L");
        assertThat(rows()).containsExactly("a def", "", "second", "");
        feed("\033[3;3H\033[K\033[1;1H\033[2X");
        assertThat(rows()).containsExactly("  def", "", "se", "");
    }

    @Test
    void protectedCharactersSurviveASelectiveErase() {
        feed("\033[1\"qkeep\033[0\"q lose\033[1;1H\033[?2K");
        assertThat(rows().getFirst()).isEqualTo("keep");
    }

    @Test
    void drawingCharactersAreMapped() {
        feed("\033(0lqk\033(B ok");
        assertThat(rows().getFirst()).isEqualTo("┌─┐ ok");
    }

    @Test
    void titlesAreCutAndCleaned() {
        feed("\033]0;a\u202eb" + "x".repeat(400) + "\007");
        assertThat(screen.snapshot(Sight.ALL, 0).title()).startsWith("abxx").hasSize(256);
    }

    @Test
    void aNarrowerTerminalWrapsItsLinesAnewAndAWiderOneJoinsThem() {
        feed("0123456789abc\r\n$ ");
        screen.resize(5, 4);
        assertThat(rows()).containsExactly("01234", "56789", "abc", "$ ".strip());
        screen.resize(20, 4);
        assertThat(rows()).startsWith("0123456789abc", "$");
    }

    @Test
    void aWideCharacterThatDoesNotFitTakesItsMarksAlong() {
        feed("\033[?7l\033[1;10H👩\u200d\u0301");
        assertThat(rows().getFirst()).isEmpty();
    }

    @Test
    void afterAGapRowsAreUncertainUntilTheyAreWrittenOrErased() {
        feed("one\r\ntwo\r\nthree");
        screen.skip(1000);
        assertThat(screen.offset()).isEqualTo(1000);
        assertThat(screen.snapshot(Sight.ALL, 0).rows()).noneMatch(Row::certain);
        feed("\033[1;1Hnew\033[K\033[2;3Hx");
        assertThat(screen.snapshot(Sight.ALL, 0).rows()).extracting(Row::certain).containsExactly(true, false, false,
                false);
        feed("\033[2J");
        assertThat(screen.snapshot(Sight.ALL, 0).rows()).allMatch(Row::certain);
        assertThatThrownBy(() -> screen.skip(5)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot skip to 5");
    }

    @Test
    void aGapEndsASequence() {
        feed("\033]0;never ends");
        screen.skip(100);
        feed("shown");
        assertThat(rows().getFirst()).isEqualTo("shown");
    }

    @Test
    void whatIsPrintedUnderTheVeilIsBlankInPublic() {
        feed("user: ");
        screen.veil(true);
        feed("pw\033]2;secret\007");
        screen.veil(false);
        feed("\033[b!");
        Snapshot open = screen.snapshot(Sight.PUBLIC, 0);
        assertThat(open.rows().getFirst().text()).isEqualTo("user:   !");
        assertThat(open.title()).isEmpty();
        assertThat(screen.snapshot(Sight.ALL, 0).rows().getFirst().text()).isEqualTo("user: pw!");
        assertThat(screen.snapshot(Sight.ALL, 0).title()).isEqualTo("secret");
        assertThat(Screen.at(screen.checkpoint()).snapshot(Sight.PUBLIC, 0)).isEqualTo(open);
        feed("\033[1;7Hok");
        assertThat(screen.snapshot(Sight.PUBLIC, 0).rows().getFirst().text()).isEqualTo("user: ok!");
    }

    @Test
    void repeatingAPrivateCharacterKeepsItPrivate() {
        screen.veil(true);
        feed("s");
        screen.veil(false);
        feed("\033[3b");
        assertThat(rows().getFirst()).isEqualTo("ssss");
        assertThat(screen.snapshot(Sight.PUBLIC, 0).rows().getFirst().text()).isEmpty();
    }

    @Test
    void aLinkOpenedInPrivateIsNoLinkInPublic() {
        screen.veil(true);
        feed("\033]8;;http://secret\033\\");
        screen.veil(false);
        feed("text");
        assertThat(screen.snapshot(Sight.PUBLIC, 0).rows().getFirst().spans()).isEmpty();
        assertThat(screen.snapshot(Sight.ALL, 0).rows().getFirst().spans()).hasSize(1);
        assertThat(new String(screen.repaint(Sight.PUBLIC, 0), StandardCharsets.UTF_8)).doesNotContain("secret");
    }

    @Test
    void limitsAreChecked() {
        assertThatThrownBy(() -> ScreenLimits.defaults().withKeptRows(-1))
                .hasMessage("keptRows must be from 0 to 100000, not -1");
        assertThat(new Screen(0, 100_000, ScreenLimits.defaults())).extracting(Screen::cols, Screen::rows)
                .containsExactly(2, 1000);
    }
}
