package dev.belay.screen;

/// How a cell is packed into a `long`: code point or cluster (22 bits), width (2), protected, private, style (16).
///
/// A cell that was never printed on has code 0. The second half of a wide character has code 0 and width 0.
final class Cell {
    static final int CODE = 0x3f_ffff;
    static final int CLUSTER = 0x20_0000;
    static final int INDEX = CLUSTER - 1;
    static final int WIDTH_SHIFT = 22;
    static final long WIDTH = 3L << WIDTH_SHIFT;
    static final long NARROW = 1L << WIDTH_SHIFT;
    static final long WIDE = 2L << WIDTH_SHIFT;
    static final long PROTECTED = 1L << 24;
    static final long PRIVATE = 1L << 25;
    static final int STYLE_SHIFT = 32;

    /// Not printed on, in the default style.
    static final long BLANK = NARROW;

    private Cell() {}

    static int code(long cell) {
        return (int) cell & CODE;
    }

    static int width(long cell) {
        return (int) (cell >>> WIDTH_SHIFT) & 3;
    }

    static int style(long cell) {
        return (int) (cell >>> STYLE_SHIFT) & 0xffff;
    }

    static boolean isPrivate(long cell) {
        return (cell & PRIVATE) != 0;
    }

    static boolean isProtected(long cell) {
        return (cell & PROTECTED) != 0;
    }

    static boolean isCluster(long cell) {
        return (cell & CLUSTER) != 0;
    }

    /// Is this the second half of a wide character?
    static boolean isTail(long cell) {
        return (cell & (WIDTH | CODE)) == 0;
    }

    static boolean isWide(long cell) {
        return (cell & WIDTH) == WIDE;
    }
}
