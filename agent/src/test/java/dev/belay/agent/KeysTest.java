package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.SessionException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What keys and pastes send.
class KeysTest {
    private static final String ESC = "\u001b";

    private static String press(String... names) {
        return Keys.sequence(List.of(names), false);
    }

    @Test
    void everyNamedKeySendsWhatXtermSends() {
        Map<String, String> keys = Map.ofEntries(
                Map.entry("enter", "\r"), Map.entry("tab", "\t"), Map.entry("esc", ESC),
                Map.entry("backspace", "\u007f"), Map.entry("delete", ESC + "[3~"), Map.entry("up", ESC + "[A"),
                Map.entry("down", ESC + "[B"), Map.entry("right", ESC + "[C"), Map.entry("left", ESC + "[D"),
                Map.entry("home", ESC + "[H"), Map.entry("end", ESC + "[F"), Map.entry("pgup", ESC + "[5~"),
                Map.entry("pgdn", ESC + "[6~"), Map.entry("f1", ESC + "OP"), Map.entry("f2", ESC + "OQ"),
                Map.entry("f3", ESC + "OR"), Map.entry("f4", ESC + "OS"), Map.entry("f5", ESC + "[15~"),
                Map.entry("f6", ESC + "[17~"), Map.entry("f7", ESC + "[18~"), Map.entry("f8", ESC + "[19~"),
                Map.entry("f9", ESC + "[20~"), Map.entry("f10", ESC + "[21~"), Map.entry("f11", ESC + "[23~"),
                Map.entry("f12", ESC + "[24~"), Map.entry("alt-x", ESC + "x"), Map.entry("alt-X", ESC + "X"),
                Map.entry("alt-é", ESC + "é"), Map.entry("alt-😀", ESC + "😀"));
        keys.forEach((name, sent) -> assertThat(press(name)).as(name).isEqualTo(sent));
        for (char letter = 'a'; letter <= 'z'; letter++) {
            assertThat(press("ctrl-" + letter)).isEqualTo(String.valueOf((char) (letter - 'a' + 1)));
        }
    }

    @Test
    void caseDoesNotMatterAndKeysFollowEachOther() {
        assertThat(press("Ctrl-C", "ENTER", "PgUp")).isEqualTo("\u0003\r" + ESC + "[5~");
    }

    @Test
    void keysAreUnderstoodAsPeopleWriteThem() {
        for (String name : List.of("C-c", "c-c", "ctrl+c", "Ctrl+C", "control-c", "^C", "^c")) {
            assertThat(press(name)).as(name).isEqualTo("\u0003");
        }
        assertThat(press("Return", "Escape", "page_up", "PageDown", "ArrowUp", "M-x", "alt+x", "space", "BTab"))
                .isEqualTo("\r" + ESC + ESC + "[5~" + ESC + "[6~" + ESC + "[A" + ESC + "x" + ESC + "x " + ESC + "[Z");
        assertThat(press("q", "Q", "-", "+", "^", "é", "😀")).isEqualTo("qQ-+^é😀");
        assertThat(press("ctrl-[", "ctrl-\\", "ctrl-space", "ctrl-?")).isEqualTo(ESC + "\u001c\0\u007f");
        assertThat(Keys.anyCursorKey(List.of("Arrow-Up"))).isTrue();
    }

    @Test
    void cursorKeysFollowTheModeOfTheTerminal() {
        assertThat(Keys.sequence(List.of("up", "end", "delete"), true))
                .isEqualTo(ESC + "OA" + ESC + "OF" + ESC + "[3~");
        assertThat(Keys.anyCursorKey(List.of("enter", "Home"))).isTrue();
        assertThat(Keys.anyCursorKey(List.of("enter", "delete"))).isFalse();
    }

    @Test
    void aKeyThatIsNoneIsNamed() {
        for (String name : List.of("f13", "ctrl-1", "alt-", "alt-xy", "", "ctrl-", "hyper-x")) {
            assertThatThrownBy(() -> press(name)).isInstanceOf(SessionException.class)
                    .hasMessageContaining("'" + name + "'")
                    .hasMessageContaining("pgup");
        }
    }

    @Test
    void aPasteCannotEndItself() {
        String end = ESC + "[201~";
        assertThat(Keys.pasted("a\nb")).isEqualTo(ESC + "[200~a\nb" + end);
        assertThat(Keys.pasted("a" + end + "rm x\n")).isEqualTo(ESC + "[200~arm x\n" + end);
        assertThat(Keys.pasted(ESC + "[20" + end + "1~!")).isEqualTo(ESC + "[200~!" + end);
        assertThat(Keys.pasted("~" + ESC + "[201")).isEqualTo(ESC + "[200~~" + ESC + "[201" + end);
    }

    @Test
    @Timeout(30)
    void aPasteOfNestedEndMarksCostsNoMoreThanItsLength() {
        int many = 100_000;
        assertThat(Keys.pasted((ESC + "[20").repeat(many) + "1~".repeat(many)))
                .isEqualTo(ESC + "[200~" + ESC + "[201~");
    }
}
