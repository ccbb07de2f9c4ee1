package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class Utf8Test {
    private static int tail(int... bytes) {
        return Utf8.incompleteTail(bytes(bytes), bytes.length);
    }

    private static int head(int... bytes) {
        return Utf8.continuationHead(bytes(bytes), bytes.length);
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    @Test
    void everyCutOfEveryKindOfCharacterIsSeen() {
        for (String character : new String[] {"a", "é", "€", "漢", "😀", "\uFFFD", "\u0800", "\uD800\uDC00",
                "\uDBFF\uDFFF"}) {
            byte[] whole = character.getBytes(StandardCharsets.UTF_8);
            for (int cut = 0; cut <= whole.length; cut++) {
                int expected = cut == whole.length ? 0 : cut;
                assertThat(Utf8.incompleteTail(whole, cut)).as("%s cut at %d", character, cut).isEqualTo(expected);
                byte[] rest = Arrays.copyOfRange(whole, cut, whole.length);
                assertThat(Utf8.continuationHead(rest, rest.length)).isEqualTo(cut == 0 ? 0 : rest.length);
            }
        }
    }

    @Test
    void whatCanNeverBeCompletedIsNotHeldBack() {
        assertThat(tail()).isZero();
        assertThat(tail(0xC0)).isZero();
        assertThat(tail(0xC1)).isZero();
        assertThat(tail(0xF5)).isZero();
        assertThat(tail(0xFF)).isZero();
        assertThat(tail(0x80)).isZero();
        assertThat(tail(0x80, 0x80, 0x80)).isZero();
        assertThat(tail('a', 0x80, 0x80)).isZero();
        assertThat(tail(0xC3, 0xA9, 0xA9)).isZero();
        assertThat(tail(0xC3, 0xC3)).isEqualTo(1);
        assertThat(tail(0xF0, 0x9F, 0x98)).isEqualTo(3);
    }

    @Test
    void atMostThreeBytesContinueACharacter() {
        assertThat(head()).isZero();
        assertThat(head('a', 0x80)).isZero();
        assertThat(head(0xC3, 0xA9)).isZero();
        assertThat(head(0x80, 0xBF, 'a')).isEqualTo(2);
        assertThat(head(0x80, 0x80, 0x80, 0x80)).isEqualTo(3);
    }
}
