package dev.belay.screen;

/// What moves the cursor, erases, inserts and deletes. Where terminals differ, as xterm.js does it.
abstract class Editor extends Printer {
    Editor(int cols, int rows, ScreenLimits limits) {
        super(cols, rows, limits);
    }

    private Line row() {
        return grid.row(grid.y);
    }

    private void changed() {
        row().changed = at;
    }

    /// Brings the cursor back to the columns, or to one beyond them, and to the rows that it may be in.
    final void restrain(int lastColumn) {
        grid.x = Math.clamp(grid.x, 0, lastColumn);
        grid.y = switches.origin ? Math.clamp(grid.y, grid.top, grid.bottom) : Math.clamp(grid.y, 0, grid.rows - 1);
    }

    final void restrain() {
        restrain(grid.cols - 1);
    }

    final void place(int x, int y) {
        grid.x = x;
        grid.y = switches.origin ? grid.top + y : y;
        restrain();
    }

    /// In origin mode the row counts from the upper margin once more, as in xterm.js.
    private void move(int right, int down) {
        restrain();
        place(grid.x + right, grid.y + down);
    }

    final void forward(int columns) {
        move(columns, 0);
    }

    final void down(int rows) {
        move(0, rows);
    }

    /// Up to the upper margin, if the cursor is below it.
    final void up(int rows) {
        int room = grid.y - grid.top;
        move(0, -(room >= 0 ? Math.min(room, rows) : rows));
    }

    final void downInMargins(int rows) {
        int room = grid.bottom - grid.y;
        move(0, room >= 0 ? Math.min(room, rows) : rows);
    }

    final void lineFeed() {
        Grid g = grid;
        if (switches.newLine) {
            g.x = 0;
        }
        g.y++;
        if (g.y == g.bottom + 1) {
            g.y--;
            scroll(false);
        } else if (g.y >= g.rows) {
            g.y = g.rows - 1;
        } else {
            Line line = g.row(g.y);
            if (line.wrapped) {
                line.wrapped = false;
                line.changed = at;
            }
        }
        if (g.x >= g.cols) {
            g.x = g.cols - 1;
        }
    }

    final void index() {
        restrain();
        grid.y++;
        if (grid.y == grid.bottom + 1) {
            grid.y--;
            scroll(false);
        } else if (grid.y >= grid.rows) {
            grid.y = grid.rows - 1;
        }
        restrain();
    }

    final void reverseIndex() {
        restrain();
        if (grid.y == grid.top) {
            grid.pushDown(grid.top, grid.bottom, 1, erased(), at);
        } else {
            grid.y--;
            restrain();
        }
    }

    final void backspace() {
        Grid g = grid;
        if (!switches.reverseWrap) {
            restrain();
            g.x = Math.max(0, g.x - 1);
            return;
        }
        restrain(g.cols);
        if (g.x > 0) {
            g.x--;
        } else if (g.y > g.top && g.y <= g.bottom && row().wrapped) {
            row().wrapped = false;
            changed();
            g.y--;
            g.x = g.cols - 1;
            // a wide character that did not fit left a blank
            if (Cell.code(row().cells[g.x]) == 0 && row().width(g.x) != 0) {
                g.x--;
            }
        }
        restrain();
    }

    final void tabs(int count, boolean forward) {
        if (grid.x >= grid.cols) {
            return;
        }
        for (int i = Math.min(count, grid.cols); i > 0; i--) {
            if (forward) {
                grid.tabForward();
            } else {
                grid.tabBack();
            }
        }
    }

    final void clearTabs(int which) {
        if (which == 0) {
            grid.tabs.clear(grid.x);
        } else if (which == 3) {
            grid.tabs.clear();
        }
    }

    final void setTab() {
        if (grid.x < grid.cols) {
            grid.tabs.set(grid.x);
        }
    }

    final void eraseDisplay(int which, boolean selected) {
        restrain(grid.cols);
        Grid g = grid;
        switch (which) {
            case 0 -> {
                eraseRow(g.x, g.cols, g.x == 0, selected);
                eraseRows(g.y + 1, g.rows - 1, selected);
            }
            case 1 -> {
                eraseRow(0, g.x + 1, true, selected);
                if (g.x + 1 >= g.cols && g.y + 1 < g.rows) {
                    g.row(g.y + 1).wrapped = false;
                }
                eraseRows(0, g.y - 1, selected);
            }
            case 2 -> eraseRows(0, g.rows - 1, selected);
            case 3 -> g.forgetAbove();
            default -> {
            }
        }
    }

    final void eraseLine(int which, boolean selected) {
        restrain(grid.cols);
        switch (which) {
            case 0 -> eraseRow(grid.x, grid.cols, grid.x == 0, selected);
            case 1 -> eraseRow(0, grid.x + 1, false, selected);
            case 2 -> eraseRow(0, grid.cols, true, selected);
            default -> {
            }
        }
    }

    private void eraseRow(int from, int to, boolean unwrap, boolean selected) {
        Line line = row();
        if (selected) {
            line.eraseSelected(from, to, erased());
        } else {
            line.erase(from, to, erased());
        }
        if (unwrap) {
            line.wrapped = false;
        }
        line.changed = at;
    }

    private void eraseRows(int from, int to, boolean selected) {
        for (int y = from; y <= to; y++) {
            Line line = grid.row(y);
            if (selected) {
                line.eraseSelected(0, grid.cols, erased());
                line.wrapped = false;
                line.changed = at;
            } else {
                line.reset(erased(), false, at);
            }
        }
    }

    final void eraseCharacters(int count) {
        restrain();
        row().erase(grid.x, grid.x + count, erased());
        changed();
    }

    final void insertCharacters(int count) {
        restrain();
        row().insert(grid.x, count, erased());
        changed();
    }

    final void deleteCharacters(int count) {
        restrain();
        row().delete(grid.x, count, erased());
        changed();
    }

    final void insertLines(int count) {
        restrain();
        if (inMargins()) {
            grid.pushDown(grid.y, grid.bottom, count, erased(), at);
            grid.x = 0;
        }
    }

    final void deleteLines(int count) {
        restrain();
        if (inMargins()) {
            grid.pullUp(grid.y, grid.bottom, count, erased(), at);
            grid.x = 0;
        }
    }

    private boolean inMargins() {
        return grid.y >= grid.top && grid.y <= grid.bottom;
    }

    final void scrollUp(int count) {
        grid.pullUp(grid.top, grid.bottom, count, erased(), at);
    }

    final void scrollDown(int count) {
        grid.pushDown(grid.top, grid.bottom, count, Cell.BLANK, at);
    }

    /// Shifts the part right of a column of all rows within the margins.
    final void shift(int column, int count, boolean right) {
        if (!inMargins()) {
            return;
        }
        for (int y = grid.top; y <= grid.bottom; y++) {
            Line line = grid.row(y);
            if (right) {
                line.insert(column, count, erased());
            } else {
                line.delete(column, count, erased());
            }
            line.wrapped = false;
            line.changed = at;
        }
    }

    /// Prints the character before the cursor again, if nothing came between; no more often than there are cells.
    final void repeat(int count) {
        int x = grid.x - joinWidth;
        if (joinWidth <= 0 || x < 0 || x >= grid.cols) {
            return;
        }
        long cell = row().cells[x];
        int[] codes = text(cell).codePoints().toArray();
        int times = Math.min(count, grid.cols * grid.rows);
        for (int i = 0; i < times && codes.length > 0; i++) {
            for (int code : codes) {
                put(code, at - 1, Cell.isPrivate(cell));
            }
        }
    }

    /// DECALN.
    final void align() {
        place(0, 0);
        long style = styles.number(pen.fg, pen.bg & ~Pen.PROTECTED, 0, 0);
        long cell = style << Cell.STYLE_SHIFT | (blankInk() & Cell.PROTECTED) | Cell.NARROW | 'E';
        // in origin mode xterm.js fills from the upper margin
        for (int y = grid.y; y < grid.rows; y++) {
            grid.row(y).reset(cell, false, at);
        }
        place(0, 0);
    }

    final void margins(int from, int to) {
        int last = to == 0 || to > grid.rows ? grid.rows : to;
        int first = Math.max(1, from);
        if (last > first) {
            grid.top = first - 1;
            grid.bottom = last - 1;
            place(0, 0);
        }
    }

    final void saveCursor() {
        grid.savedX = Math.min(grid.x, grid.cols - 1);
        grid.savedY = grid.y;
        grid.savedPen.take(pen);
        grid.savedCharset = charset;
    }

    final void restoreCursor() {
        grid.x = grid.savedX;
        grid.y = grid.savedY;
        pen.take(grid.savedPen);
        penChanged();
        charset = grid.savedCharset;
        restrain();
    }
}
