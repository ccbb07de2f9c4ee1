package dev.belay.screen;

import java.util.Arrays;

/// One row of cells. Cells are edited as xterm.js edits them, so that no half of a wide character stays alone.
final class Line {
    private static final int FIRM = Integer.MAX_VALUE;
    private static final long[] BLANKS = new long[ScreenLimits.MOST_COLS];

    static {
        Arrays.fill(BLANKS, Cell.BLANK);
    }

    long[] cells;
    /// Does it go on where the row above ended?
    boolean wrapped;
    /// Where in the stream the first character printed on it stands, or -1.
    long began = -1;
    /// The offset after the byte that changed it last.
    long changed;
    /// The columns before this one were written since the last gap.
    int firm = FIRM;

    Line(int cols, long fill) {
        cells = new long[cols];
        fill(0, cols, fill);
    }

    /// Copying blanks is faster than filling with them while only the first compiler is at work.
    private void fill(int from, int to, long fill) {
        if (fill == Cell.BLANK) {
            System.arraycopy(BLANKS, 0, cells, from, to - from);
        } else {
            Arrays.fill(cells, from, to, fill);
        }
    }

    boolean certain() {
        return firm == FIRM;
    }

    /// What it shows was there before a gap.
    void doubt() {
        firm = 0;
    }

    /// Columns were written by the bytes from one offset to another.
    void wrote(int from, int to, long start, long end) {
        if (began < 0) {
            began = start;
        }
        changed = end;
        if (firm != FIRM) {
            firmUp(from, to);
        }
    }

    /// Columns are as they should be, whatever was lost in a gap.
    void firmUp(int from, int to) {
        if (from <= firm && to > firm) {
            firm = to >= cells.length ? FIRM : to;
        }
    }

    /// A row like new.
    void reset(long fill, boolean wraps, long end) {
        fill(0, cells.length, fill);
        wrapped = wraps;
        began = -1;
        changed = end;
        firm = FIRM;
    }

    int width(int x) {
        return Cell.width(cells[x]);
    }

    /// The columns up to the last character, blanks that were printed included.
    int trimmed() {
        for (int x = cells.length - 1; x >= 0; x--) {
            if (Cell.code(cells[x]) != 0) {
                return x + Cell.width(cells[x]);
            }
        }
        return 0;
    }

    void insert(int at, int count, long fill) {
        int x = at % cells.length;
        unpairBefore(x, fill);
        int moved = Math.max(0, cells.length - x - count);
        System.arraycopy(cells, x, cells, cells.length - moved, moved);
        Arrays.fill(cells, x, cells.length - moved, fill);
        if (moved > 0 && Cell.isTail(cells[cells.length - moved])) {
            cells[cells.length - moved] = fill;
        }
        if (Cell.isWide(cells[cells.length - 1])) {
            cells[cells.length - 1] = fill;
        }
    }

    void delete(int at, int count, long fill) {
        int x = at % cells.length;
        int moved = Math.max(0, cells.length - x - count);
        System.arraycopy(cells, cells.length - moved, cells, x, moved);
        Arrays.fill(cells, x + moved, cells.length, fill);
        unpairBefore(x, fill);
        if (Cell.isTail(cells[x])) {
            cells[x] = fill;
        }
    }

    void erase(int from, int end, long fill) {
        int to = Math.min(end, cells.length);
        unpairBefore(from, fill);
        if (end < cells.length && Cell.isWide(cells[end - 1])) {
            cells[end] = fill;
        }
        if (from < to) {
            fill(from, to, fill);
        }
        firmUp(from, to);
    }

    /// Erases what is not protected.
    void eraseSelected(int from, int end, long fill) {
        int to = Math.min(end, cells.length);
        if (from > 0 && Cell.isWide(cells[from - 1]) && !Cell.isProtected(cells[from - 1])) {
            cells[from - 1] = fill;
        }
        if (end < cells.length && Cell.isWide(cells[end - 1]) && !Cell.isProtected(cells[end])) {
            cells[end] = fill;
        }
        for (int x = from; x < to; x++) {
            if (!Cell.isProtected(cells[x])) {
                cells[x] = fill;
            }
        }
    }

    /// A wide character that begins left of a column becomes a blank.
    void unpairBefore(int x, long fill) {
        if (x > 0 && Cell.isWide(cells[x - 1])) {
            cells[x - 1] = fill;
        }
    }

    /// Cuts or fills up to a number of columns; a wide character that no longer fits becomes a blank.
    void resize(int cols) {
        int old = cells.length;
        if (cols != old) {
            cells = Arrays.copyOf(cells, cols);
            if (cols > old) {
                Arrays.fill(cells, old, cols, Cell.BLANK);
            }
        }
        blankIfWide(cols - 1);
    }

    /// A wide character that has lost its second half becomes a blank in its style.
    void blankIfWide(int x) {
        if (Cell.isWide(cells[x])) {
            cells[x] = (cells[x] & ~(Cell.CODE | Cell.WIDTH | Cell.PRIVATE)) | Cell.NARROW;
        }
    }
}
