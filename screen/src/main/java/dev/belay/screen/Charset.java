package dev.belay.screen;

/// A set that G0 to G3 may hold: what a printable ASCII character stands for.
enum Charset {
    ASCII('B'),
    UK('A'),
    GRAPHICS('0');

    private static final String DRAWN = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

    /// How the set is designated: `ESC ( 0`.
    final char designator;

    Charset(char designator) {
        this.designator = designator;
    }

    int map(int code) {
        return switch (this) {
            case ASCII -> code;
            case UK -> code == '#' ? '£' : code;
            case GRAPHICS -> code >= '`' && code <= '~' ? DRAWN.charAt(code - '`') : code;
        };
    }
}
