package dev.belay.screen;

import java.util.List;
import java.util.Optional;

/// How characters look. A colour is [#DEFAULT], a number from 0 to 255, or `RGB | 0xrrggbb`.
///
/// @param link where the characters lead
public record Style(int foreground, int background, int underlineColour, Underline underline, boolean bold, boolean dim,
        boolean italic, boolean blink, boolean inverse, boolean invisible, boolean struck, boolean overline,
        Optional<String> link) {
    /// The terminal's own colour.
    public static final int DEFAULT = -1;
    /// Set in a colour of 24 bits.
    public static final int RGB = 0x100_0000;
    /// Nothing but the default.
    public static final Style PLAIN =
            new Style(DEFAULT, DEFAULT, DEFAULT, Underline.NONE, false, false, false, false, false,
                    false, false, false, Optional.empty());

    /// SGR 4:0 to 4:5.
    public enum Underline {
        NONE,
        SINGLE,
        DOUBLE,
        CURLY,
        DOTTED,
        DASHED
    }

    static Style of(int fg, int bg, int under, Optional<String> link) {
        return new Style(colour(fg), colour(bg), colour(under),
                List.of(Underline.values()).get((under >>> Pen.UNDERLINE_SHIFT) & 7),
                (fg & Pen.BOLD) != 0, (bg & Pen.DIM) != 0, (bg & Pen.ITALIC) != 0, (fg & Pen.BLINK) != 0,
                (fg & Pen.INVERSE) != 0, (fg & Pen.INVISIBLE) != 0, (fg & Pen.STRUCK) != 0, (bg & Pen.OVERLINE) != 0,
                link);
    }

    private static int colour(int word) {
        return switch (word & Pen.KIND) {
            case 0 -> DEFAULT;
            case Pen.RGB -> RGB | (word & 0xff_ffff);
            default -> word & 0xff;
        };
    }
}
