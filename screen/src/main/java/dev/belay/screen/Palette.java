package dev.belay.screen;

import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/// The colours that a program has given the terminal: 0 to 255, and the foreground, background and cursor.
final class Palette {
    static final int FOREGROUND = 256;
    static final int BACKGROUND = 257;
    static final int CURSOR = 258;

    /// RGB by number, only what was set.
    final Map<Integer, Integer> set = new TreeMap<>();

    OptionalInt colour(int number) {
        Integer rgb = set.get(number);
        return rgb == null ? OptionalInt.empty() : OptionalInt.of(rgb);
    }

    void reset() {
        set.clear();
    }

    /// OSC 4, 10 to 12, 104 and 110 to 112. What asks or is unknown is passed over.
    void command(String number, String rest) {
        switch (number) {
            case "4" -> {
                String[] words = rest.split(";", -1);
                for (int i = 0; i + 1 < words.length; i += 2) {
                    int index = index(words[i]);
                    if (index >= 0) {
                        give(index, words[i + 1]);
                    }
                }
            }
            case "10", "11", "12" -> {
                int place = FOREGROUND + Integer.parseInt(number) - 10;
                for (String word : rest.split(";", -1)) {
                    if (place <= CURSOR) {
                        give(place++, word);
                    }
                }
            }
            case "104" -> {
                if (rest.isEmpty()) {
                    set.keySet().removeIf(index -> index < FOREGROUND);
                }
                for (String word : rest.split(";", -1)) {
                    set.remove(index(word));
                }
            }
            case "110", "111", "112" -> set.remove(FOREGROUND + Integer.parseInt(number) - 110);
            default -> {
            }
        }
    }

    /// A number from 0 to 255, or -1.
    static int index(String word) {
        return word.matches("\\d{1,3}") && Integer.parseInt(word) < 256 ? Integer.parseInt(word) : -1;
    }

    private void give(int index, String word) {
        parse(word).ifPresent(rgb -> set.put(index, rgb));
    }

    /// `rgb:R/G/B` with one to four digits each, which are scaled, or `#RGB` with one to four, which are the high bits.
    static OptionalInt parse(String word) {
        boolean high = word.matches("#([0-9a-fA-F]{3}){1,4}");
        String[] channels;
        if (high) {
            int digits = (word.length() - 1) / 3;
            channels = new String[] {word.substring(1, 1 + digits), word.substring(1 + digits, 1 + 2 * digits),
                    word.substring(1 + 2 * digits)};
        } else if (word.regionMatches(true, 0, "rgb:", 0, 4)) {
            channels = word.substring(4).split("/", -1);
        } else {
            return OptionalInt.empty();
        }
        int rgb = 0;
        for (String channel : channels) {
            if (channels.length != 3 || channel.length() != channels[0].length()
                    || !channel.matches("[0-9a-fA-F]{1,4}")) {
                return OptionalInt.empty();
            }
            int value = Integer.parseInt(channel, 16);
            int bits = 4 * channel.length();
            int most = (1 << bits) - 1;
            rgb = rgb << 8 | (high ? value << 8 >> bits : (value * 255 + most / 2) / most);
        }
        return OptionalInt.of(rgb);
    }
}
