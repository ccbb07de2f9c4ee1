package dev.belay.cli;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/// Tracks which terminal modes a program has switched on, to switch them off if it is killed and cannot do so itself.
/// Used by one thread at a time.
final class ScreenModes {
    private static final int CURSOR = 25;
    private static final Set<Integer> ALTERNATE_SCREENS = Set.of(47, 1047, 1049);
    /// Application cursor keys, the mouse in its protocols, focus reports, bracketed paste, synchronized output.
    private static final Set<Integer> OTHERS =
            Set.of(1, 9, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026);
    private static final int MAX_NUMBERS = 16;
    private static final byte ESCAPE = 0x1b;

    /// How far an escape sequence has been read.
    private enum Reading {
        TEXT,
        ESCAPE,
        SEQUENCE
    }

    private Reading reading = Reading.TEXT;
    private char prefix;
    private final int[] numbers = new int[MAX_NUMBERS];
    private int count;

    /// DEC private modes that differ from their initial value.
    private final Set<Integer> changed = new TreeSet<>();
    private boolean keypad;
    private boolean modifiedKeys;
    private int keyboardFlags;
    private boolean scrollRegion;
    private boolean styled;

    void feed(byte[] bytes) {
        for (byte b : bytes) {
            if (b == ESCAPE) {
                reading = Reading.ESCAPE;
            } else if (reading != Reading.TEXT) {
                step((char) (b & 0xff));
            }
        }
    }

    private void step(char c) {
        if (reading == Reading.ESCAPE) {
            reading = c == '[' ? Reading.SEQUENCE : Reading.TEXT;
            prefix = 0;
            count = 0;
            Arrays.fill(numbers, 0);
            switch (c) {
                case '=' -> keypad = true;
                case '>' -> keypad = false;
                case 'c' -> forget();
                default -> {}
            }
        } else if (c >= '0' && c <= '9') {
            count = Math.max(count, 1);
            numbers[count - 1] = Math.min(numbers[count - 1] * 10 + (c - '0'), 1 << 16);
        } else if (c == ';' || c == ':') {
            count = Math.min(Math.max(count, 1) + 1, MAX_NUMBERS);
        } else if (c >= '<' && c <= '?') {
            prefix = c;
        } else if (c >= '@' && c <= '~') {
            reading = Reading.TEXT;
            act(c);
        }
    }

    private void act(char last) {
        switch (last) {
            case 'h', 'l' -> {
                for (int i = 0; prefix == '?' && i < count; i++) {
                    set(numbers[i], last == 'h');
                }
            }
            case 'm' -> {
                if (prefix == '>' && numbers[0] == 4) {
                    modifiedKeys = count > 1 && numbers[1] > 0;
                } else if (prefix == 0) {
                    styled = count > 0 && numbers[count - 1] != 0;
                }
            }
            case 'u' -> keyboardFlags = Math.max(0, keyboardFlags + (prefix == '>' ? 1 : prefix == '<' ? -1 : 0));
            case 'r' -> scrollRegion = prefix == 0 ? count > 0 : scrollRegion;
            default -> {}
        }
    }

    private void set(int mode, boolean on) {
        if (mode == CURSOR ? !on : on && (ALTERNATE_SCREENS.contains(mode) || OTHERS.contains(mode))) {
            changed.add(mode);
        } else {
            changed.remove(mode);
        }
    }

    private void forget() {
        changed.clear();
        keypad = false;
        modifiedKeys = false;
        keyboardFlags = 0;
        scrollRegion = false;
        styled = false;
    }

    /// The bytes that restore the terminal; empty if nothing was changed.
    byte[] undo() {
        StringBuilder text = new StringBuilder();
        for (int mode : changed) {
            if (OTHERS.contains(mode)) {
                text.append("\033[?").append(mode).append('l');
            }
        }
        text.append(keypad ? "\033>" : "")
                .append(modifiedKeys ? "\033[>4m" : "")
                .append("\033[<u".repeat(keyboardFlags));
        for (int mode : changed) {
            if (ALTERNATE_SCREENS.contains(mode)) {
                text.append("\033[?").append(mode).append('l');
            }
        }
        // Setting the region moves the cursor: save and restore it.
        text.append(scrollRegion ? "\0337\033[r\0338" : "")
                .append(styled ? "\033[m" : "")
                .append(changed.contains(CURSOR) ? "\033[?25h" : "");
        forget();
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }
}
