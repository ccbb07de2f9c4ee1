package dev.belay.screen;

/// The style that characters are printed in. Colours are `kind << 24 | value`: 0 default, 1 one of 16, 2 one of 256, 3
/// RGB.
final class Pen {
    static final int COLOUR = 0x3ff_ffff;
    static final int KIND = 0x300_0000;
    static final int SIXTEEN = 0x100_0000;
    static final int INDEXED = 0x200_0000;
    static final int RGB = 0x300_0000;
    static final int UNDERLINE_SHIFT = 26;
    // with the foreground
    static final int INVERSE = 0x400_0000;
    static final int BOLD = 0x800_0000;
    static final int BLINK = 0x2000_0000;
    static final int INVISIBLE = 0x4000_0000;
    static final int STRUCK = 0x8000_0000;
    // with the background
    static final int ITALIC = 0x400_0000;
    static final int DIM = 0x800_0000;
    static final int PROTECTED = 0x2000_0000;
    static final int OVERLINE = 0x4000_0000;

    int fg;
    int bg;
    /// The underline's style and colour.
    int under;
    int link;

    void clear() {
        resetRendition();
        link = 0;
    }

    private void resetRendition() {
        fg = 0;
        bg = 0;
        under = 0;
    }

    /// Takes all but the link from another pen.
    void take(Pen other) {
        fg = other.fg;
        bg = other.bg;
        under = other.under;
    }

    /// SGR. What is unknown is passed over.
    void select(Params params) {
        for (int i = 0; i < params.count; i++) {
            int number = params.get(i);
            switch (number) {
                case 0 -> resetRendition();
                case 1 -> fg |= BOLD;
                case 2 -> bg |= DIM;
                case 3 -> bg |= ITALIC;
                case 4 -> underline(params.parts(i) > 0 ? params.part(i, 0) : 1);
                case 5 -> fg |= BLINK;
                case 7 -> fg |= INVERSE;
                case 8 -> fg |= INVISIBLE;
                case 9 -> fg |= STRUCK;
                case 21 -> underline(2);
                case 22 -> {
                    fg &= ~BOLD;
                    bg &= ~DIM;
                }
                case 23 -> bg &= ~ITALIC;
                case 24 -> underline(0);
                case 25 -> fg &= ~BLINK;
                case 27 -> fg &= ~INVERSE;
                case 28 -> fg &= ~INVISIBLE;
                case 29 -> fg &= ~STRUCK;
                case 30, 31, 32, 33, 34, 35, 36, 37 -> fg = (fg & ~COLOUR) | SIXTEEN | number - 30;
                case 38, 48, 58 -> i += colour(params, i);
                case 39 -> fg &= ~COLOUR;
                case 40, 41, 42, 43, 44, 45, 46, 47 -> bg = (bg & ~COLOUR) | SIXTEEN | number - 40;
                case 49 -> bg &= ~COLOUR;
                case 53 -> bg |= OVERLINE;
                case 55 -> bg &= ~OVERLINE;
                case 59 -> under &= ~COLOUR;
                case 90, 91, 92, 93, 94, 95, 96, 97 -> fg = (fg & ~COLOUR) | SIXTEEN | number - 90 + 8;
                case 100, 101, 102, 103, 104, 105, 106, 107 -> bg = (bg & ~COLOUR) | SIXTEEN | number - 100 + 8;
                default -> {
                }
            }
        }
    }

    private void underline(int style) {
        int known = style < 0 || style > 5 ? 1 : style;
        under = (under & COLOUR) | known << UNDERLINE_SHIFT;
    }

    /// 38, 48 or 58 with what follows, as `;` or `:` give it; with colons a colour space may stand before RGB. Gives
    /// how many parameters were used besides the first. The slots are the target, the kind, the colour space and three
    /// values.
    private int colour(Params params, int first) {
        if (params.simple() && params.count > first + 4 && params.get(first + 1) == 2) {
            give(params.get(first), RGB | (params.get(first + 2) & 0xff) << 16 | (params.get(first + 3) & 0xff) << 8
                    | (params.get(first + 4) & 0xff));
            return 4;
        }
        if (params.simple() && params.count > first + 2 && params.get(first + 1) == 5) {
            give(params.get(first), INDEXED | (params.get(first + 2) & 0xff));
            return 2;
        }
        int[] slots = {0, 0, -1, 0, 0, 0};
        int space = 0;
        int used = 0;
        do {
            slots[used + space] = params.get(first + used);
            int parts = params.parts(first + used);
            if (parts > 0) {
                for (int part = 0; part < parts; part++) {
                    if (slots[1] == 5) {
                        space = 1;
                    }
                    if (used + part + 1 + space >= slots.length) {
                        break;
                    }
                    slots[used + part + 1 + space] = params.part(first + used, part);
                }
                break;
            }
            if ((slots[1] == 5 && used + space >= 2) || (slots[1] == 2 && used + space >= 5)) {
                break;
            }
            if (slots[1] != 0) {
                space = 1;
            }
            used++;
        } while (first + used < params.count && used + space < slots.length);
        int values = channel(slots[3]) << 16 | channel(slots[4]) << 8 | channel(slots[5]);
        if (slots[1] == 2) {
            give(slots[0], RGB | values);
        } else if (slots[1] == 5) {
            give(slots[0], INDEXED | channel(slots[3]));
        }
        return used;
    }

    private void give(int target, int colour) {
        switch (target) {
            case 38 -> fg = (fg & ~COLOUR) | colour;
            case 48 -> bg = (bg & ~COLOUR) | colour;
            default -> under = (under & ~COLOUR) | colour;
        }
    }

    private static int channel(int value) {
        return value == -1 ? 0 : value & 0xff;
    }
}
