package dev.belay.screen;

/// Writes a style as the parameters of SGR.
final class Sgr {
    private Sgr() {}

    /// All that turns the default into a style: `0;1;38;5;9`.
    static String parameters(int fg, int bg, int under) {
        StringBuilder out = new StringBuilder("0");
        flag(out, fg, Pen.BOLD, ";1");
        flag(out, bg, Pen.DIM, ";2");
        flag(out, bg, Pen.ITALIC, ";3");
        int line = under >>> Pen.UNDERLINE_SHIFT & 7;
        if (line == 1) {
            out.append(";4");
        } else if (line > 1) {
            out.append(";4:").append(line);
        }
        flag(out, fg, Pen.BLINK, ";5");
        flag(out, fg, Pen.INVERSE, ";7");
        flag(out, fg, Pen.INVISIBLE, ";8");
        flag(out, fg, Pen.STRUCK, ";9");
        flag(out, bg, Pen.OVERLINE, ";53");
        colour(out, fg, 30);
        colour(out, bg, 40);
        colour(out, under, 50);
        return out.toString();
    }

    private static void flag(StringBuilder out, int word, int flag, String parameter) {
        if ((word & flag) != 0) {
            out.append(parameter);
        }
    }

    private static void colour(StringBuilder out, int word, int first) {
        int value = word & 0xff;
        switch (word & Pen.KIND) {
            case Pen.SIXTEEN -> out.append(';').append(value < 8 ? first + value : first + 60 + value - 8);
            case Pen.INDEXED -> out.append(';').append(first + 8).append(";5;").append(value);
            case Pen.RGB -> out.append(';').append(first + 8).append(";2;").append(word >> 16 & 0xff).append(';')
                    .append(word >> 8 & 0xff).append(';').append(value);
            default -> {
            }
        }
    }
}
