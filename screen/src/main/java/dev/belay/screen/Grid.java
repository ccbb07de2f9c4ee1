package dev.belay.screen;

import java.util.BitSet;
import java.util.List;

/// One of the two screens: its rows in a ring, the rows kept above it, cursor, margins, tab stops and saved cursor.
///
/// The alternate screen has no rows while it is not shown.
final class Grid {
    private static final int TAB = 8;

    final boolean keeps;
    private final int mostKept;
    int cols;
    int rows;
    private Line[] ring;
    private int head;
    private int size;
    /// How many rows are kept above the screen.
    int above;
    /// The number of the first kept row, counted from the beginning.
    long first;
    int x;
    int y;
    int top;
    int bottom;
    int savedX;
    int savedY;
    final Pen savedPen = new Pen();
    Charset savedCharset = Charset.ASCII;
    final BitSet tabs = new BitSet();

    Grid(int cols, int rows, boolean keeps, int mostKept) {
        this.cols = cols;
        this.rows = rows;
        this.keeps = keeps;
        this.mostKept = keeps ? mostKept : 0;
        this.ring = new Line[rows + this.mostKept];
        clear();
        if (keeps) {
            fill(Cell.BLANK, 0);
        }
    }

    /// Without rows, everything else as in the beginning.
    void clear() {
        first += above;
        ring = new Line[rows + mostKept];
        head = 0;
        size = 0;
        above = 0;
        x = 0;
        y = 0;
        top = 0;
        bottom = rows - 1;
        resetTabs();
    }

    /// Gives an empty grid its rows.
    void fill(long cell, long end) {
        for (int i = size; i < rows; i++) {
            Line line = new Line(cols, cell);
            line.changed = end;
            add(line);
        }
    }

    int size() {
        return size;
    }

    int capacity() {
        return ring.length;
    }

    private int place(int index) {
        int place = head + index;
        return place >= ring.length ? place - ring.length : place;
    }

    /// A row by its index from the first kept one.
    Line line(int index) {
        return ring[place(index)];
    }

    Line row(int row) {
        return ring[place(above + row)];
    }

    private void setRow(int row, Line line) {
        ring[place(above + row)] = line;
    }

    private void add(Line line) {
        ring[place(size)] = line;
        size++;
    }

    /// Replaces all rows, after a change of size.
    void setLines(List<Line> lines, int cols, int rows) {
        this.cols = cols;
        this.rows = rows;
        ring = new Line[Math.max(rows + mostKept, lines.size())];
        head = 0;
        size = 0;
        for (Line line : lines) {
            add(line);
        }
    }

    /// The line feed at the lower margin. With the upper margin at the top, the first row goes to the rows kept above.
    void scroll(long fill, boolean wraps, long end) {
        if (top > 0) {
            Line line = row(top);
            for (int row = top; row < bottom; row++) {
                setRow(row, row(row + 1));
            }
            line.reset(fill, wraps, end);
            setRow(bottom, line);
            touch(top, bottom, end);
            return;
        }
        Line line;
        if (size == ring.length) {
            line = ring[head];
            line.reset(fill, wraps, end);
            head = place(1);
            size--;
            first++;
        } else {
            line = new Line(cols, fill);
            line.wrapped = wraps;
            line.changed = end;
            above++;
        }
        add(line);
        if (bottom < rows - 1) {
            for (int row = rows - 1; row > bottom; row--) {
                setRow(row, row(row - 1));
            }
            setRow(bottom, line);
            touch(bottom + 1, rows - 1, end);
        }
    }

    /// Moves the rows from one to another down by a number of rows; blank ones come in above.
    void pushDown(int from, int to, int count, long fill, long end) {
        for (int i = Math.min(count, to - from + 1); i > 0; i--) {
            Line line = row(to);
            for (int row = to; row > from; row--) {
                setRow(row, row(row - 1));
            }
            line.reset(fill, false, end);
            setRow(from, line);
        }
        touch(from, to, end);
    }

    /// Moves them up; blank ones come in below.
    void pullUp(int from, int to, int count, long fill, long end) {
        for (int i = Math.min(count, to - from + 1); i > 0; i--) {
            Line line = row(from);
            for (int row = from; row < to; row++) {
                setRow(row, row(row + 1));
            }
            line.reset(fill, false, end);
            setRow(to, line);
        }
        touch(from, to, end);
    }

    void touch(int from, int to, long end) {
        for (int row = from; row <= to; row++) {
            row(row).changed = end;
        }
    }

    /// Forgets the rows above the screen.
    void forgetAbove() {
        Line[] left = new Line[ring.length];
        for (int row = 0; row < size - above; row++) {
            left[row] = row(row);
        }
        ring = left;
        head = 0;
        size -= above;
        first += above;
        above = 0;
    }

    private void resetTabs() {
        tabs.clear();
        for (int stop = 0; stop < cols; stop += TAB) {
            tabs.set(stop);
        }
    }

    /// Stops for new columns, from the last one that there is.
    void extendTabs() {
        tabs.clear(cols, Math.max(cols, tabs.length()));
        for (int stop = Math.max(0, tabs.previousSetBit(cols - 1)); stop < cols; stop += TAB) {
            tabs.set(stop);
        }
    }

    void tabForward() {
        int stop = tabs.nextSetBit(x + 1);
        x = stop < 0 || stop >= cols ? cols - 1 : stop;
    }

    void tabBack() {
        x = x == 0 ? 0 : Math.max(0, tabs.previousSetBit(x - 1));
    }

    int heldBytes() {
        int bytes = 0;
        for (int i = 0; i < size; i++) {
            bytes += 64 + line(i).cells.length * Long.BYTES;
        }
        return bytes;
    }
}
