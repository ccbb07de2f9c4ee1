package dev.belay.cli.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("any-user")
class KeyReaderTest {
    private final KeyReader reader = new KeyReader();

    private List<String> read(String text) {
        return reader.read(text.getBytes(StandardCharsets.UTF_8)).stream().map(Key::label).toList();
    }

    @Test
    void lettersSequencesAndControlsAreKeys() {
        assertThat(read("jé漢\r\t\177\003\f"))
                .containsExactly("j", "é", "漢", "enter", "tab", "backspace", "ctrl-c", "ctrl-l");
        assertThat(read("\033[A\033OB\033[5~\033[6~\033[H\033[4~\033[Z"))
                .containsExactly("up", "down", "page-up", "page-down", "home", "end", "back-tab");
        assertThat(reader.unsettled()).isFalse();
    }

    @Test
    void aSequenceMayArriveInParts() {
        assertThat(read("\033")).isEmpty();
        assertThat(reader.unsettled()).isTrue();
        assertThat(read("[")).isEmpty();
        assertThat(read("B")).containsExactly("down");
        byte[] wide = "漢".getBytes(StandardCharsets.UTF_8);
        assertThat(reader.read(new byte[] {wide[0]})).isEmpty();
        assertThat(reader.read(new byte[] {wide[1], wide[2], 'x'}).stream().map(Key::label))
                .containsExactly("漢", "x");
    }

    @Test
    void escapeIsAKeyIfNothingFollows() {
        assertThat(read("\033")).isEmpty();
        assertThat(reader.settle()).containsExactly(Key.ESCAPE);
        assertThat(reader.unsettled()).isFalse();
        assertThat(read("\033\033[A")).containsExactly("escape", "up");
        assertThat(read("\033[")).isEmpty();
        assertThat(reader.settle()).as("the rest of a sequence that never came").isEmpty();
    }

    @Test
    void whatNobodyAsksForIsDropped() {
        assertThat(read("\033[200~\033[1;5A\033x\033[<0;1;2Mq")).containsExactly("q");
        assertThat(read("\033[" + "1".repeat(200))).isEmpty();
        assertThat(reader.unsettled()).as("an endless sequence is not kept").isFalse();
    }
}
