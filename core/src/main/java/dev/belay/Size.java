package dev.belay;

/// The size of a terminal in characters and, where known, in pixels (0: unknown).
public record Size(int cols, int rows, int xpixel, int ypixel) {
    /// 80 columns, 24 rows.
    public static final Size DEFAULT = new Size(80, 24);

    private static final int MAX_CELLS = 1000;
    private static final int MAX_PIXELS = 0xFFFF;

    public Size {
        if (cols < 1 || cols > MAX_CELLS || rows < 1 || rows > MAX_CELLS) {
            throw SessionException.invalid(
                    "A terminal must have 1 to " + MAX_CELLS + " columns and rows, not " + cols + "x" + rows + ".");
        }
        if (xpixel < 0 || xpixel > MAX_PIXELS || ypixel < 0 || ypixel > MAX_PIXELS) {
            throw SessionException.invalid("A terminal must have 0 to " + MAX_PIXELS + " pixels each way, not "
                    + xpixel + "x" + ypixel + ".");
        }
    }

    public Size(int cols, int rows) {
        this(cols, rows, 0, 0);
    }
}
