package dev.belay.screen;

import java.util.List;

/// The colours of a terminal, as `0xrrggbb`.
///
/// @param foreground of text
/// @param background behind it
/// @param cursor     of the cursor
/// @param palette    the first 16 of the 256 colours; the others are the same everywhere
public record Colours(int foreground, int background, int cursor, List<Integer> palette) {
    private static final int[] STEPS = {0, 0x5f, 0x87, 0xaf, 0xd7, 0xff};
    private static final Colours DEFAULTS = new Colours(0xffffff, 0x000000, 0xffffff,
            List.of(0x2e3436, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b, 0x06989a, 0xd3d7cf, 0x555753, 0xef2929,
                    0x8ae234,
                    0xfce94f, 0x729fcf, 0xad7fa8, 0x34e2e2, 0xeeeeec));

    /// Checks that there are 16.
    public Colours {
        palette = List.copyOf(palette);
        if (palette.size() != 16) {
            throw new IllegalArgumentException("A palette has 16 colours, not " + palette.size());
        }
    }

    /// White on black, with xterm.js's palette.
    public static Colours defaults() {
        return DEFAULTS;
    }

    /// One of the 256.
    int indexed(int index) {
        if (index < 16) {
            return palette.get(index);
        }
        if (index >= 232) {
            return (8 + (index - 232) * 10) * 0x010101;
        }
        int cube = index - 16;
        return STEPS[cube / 36] << 16 | STEPS[cube / 6 % 6] << 8 | STEPS[cube % 6];
    }
}
