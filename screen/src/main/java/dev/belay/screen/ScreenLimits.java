package dev.belay.screen;

/// What a screen holds at most.
///
/// @param keptRows    rows that left the screen at the top and stay, for a terminal that grows again
/// @param oscBytes    an operating system command; a longer one is passed over
/// @param titleLength characters of a title; the rest is cut off
/// @param linkBytes   a link's target; a longer one is no link
/// @param links       links on the screen at a time; further ones are no links
/// @param cellCodes   code points in a cell: a character and its marks; further marks are dropped
/// @param stringBytes a string that may ask something is given up after so many bytes without its end
public record ScreenLimits(int keptRows, int oscBytes, int titleLength, int linkBytes, int links, int cellCodes,
        int stringBytes) {
    /// The largest terminal.
    public static final int MOST_COLS = 1000;
    public static final int MOST_ROWS = 1000;
    static final int LEAST_COLS = 2;

    private static final ScreenLimits DEFAULTS = new ScreenLimits(200, 4096, 256, 2048, 1024, 16, 65_536);

    /// Checks that each is in range.
    public ScreenLimits {
        inRange("keptRows", keptRows, 0, 100_000);
        inRange("oscBytes", oscBytes, 16, 1 << 20);
        inRange("titleLength", titleLength, 0, 8192);
        inRange("linkBytes", linkBytes, 0, 8192);
        inRange("links", links, 0, 65_535);
        inRange("cellCodes", cellCodes, 1, 64);
        inRange("stringBytes", stringBytes, 1024, 1 << 24);
    }

    /// 200 rows kept, OSC of 4 KiB, titles of 256 characters, 1,024 links of 2 KiB, 16 code points in a cell, strings
    /// of 64 KiB.
    public static ScreenLimits defaults() {
        return DEFAULTS;
    }

    /// The same with another number of kept rows.
    public ScreenLimits withKeptRows(int rows) {
        return new ScreenLimits(rows, oscBytes, titleLength, linkBytes, links, cellCodes, stringBytes);
    }

    static int cols(int cols) {
        return Math.clamp(cols, LEAST_COLS, MOST_COLS);
    }

    static int rows(int rows) {
        return Math.clamp(rows, 1, MOST_ROWS);
    }

    private static void inRange(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must be from " + least + " to " + most + ", not " + value);
        }
    }
}
