package dev.belay.screen;

import java.io.ByteArrayOutputStream;
import java.util.BitSet;
import java.util.Map;

/// Writes the bytes that bring a terminal that was reset to a state: `parse(paint(s)) = s`.
///
/// Rows are drawn from the top, those above the screen first, so that they scroll out. A row that continues the one
/// above is reached by wrapping; blanks are passed over or erased, so that they stay blanks.
final class Painter {
    private final Terminal terminal;
    private final Views views;
    private final Sight sight;
    private final Ink ink;

    Painter(Terminal terminal, Sight sight) {
        this.terminal = terminal;
        this.sight = sight;
        this.views = new Views(terminal, sight);
        this.ink = new Ink(terminal, views);
    }

    byte[] paint(int history) {
        return paint(history, isReadable());
    }

    /// Without a sequence that is not complete and may ask something: a terminal would answer when the rest came.
    byte[] picture(int history) {
        return paint(history, isReadable() && pending() == terminal.at);
    }

    long pending() {
        return terminal.mayAsk() && isReadable() ? terminal.heldFrom : terminal.at;
    }

    private boolean isReadable() {
        return sight == Sight.ALL || !terminal.tainted;
    }

    private byte[] paint(int history, boolean held) {
        Grid main = terminal.main;
        Grid alternate = terminal.alternate;
        boolean other = terminal.grid == alternate;
        if (!other && isSaved(alternate)) {
            ink.csi("?1047h");
            save(alternate);
            ink.csi("?1047l");
        }
        rows(main, Math.max(0, main.above - history));
        tabs(main);
        if (other) {
            save(main);
            margins(main);
            ink.plain().csi("?1047h");
            rows(alternate, 0);
            tabs(alternate);
        }
        finish(terminal.grid);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(ink.bytes());
        if (held) {
            bytes.writeBytes(terminal.held());
        }
        return bytes.toByteArray();
    }

    private long cell(Line line, int x) {
        return views.seen(line.cells[x]);
    }

    private void rows(Grid grid, int from) {
        int cols = grid.cols;
        int last = grid.size() - 1;
        if (grid.line(from).wrapped) {
            wrapFirst(grid);
        }
        if (from == grid.above) {
            // blank rows at the end are there already
            while (last > from && isBlank(grid.line(last)) && !grid.line(last).wrapped) {
                last--;
            }
        }
        ink.place(0, 0);
        boolean linked = grid.line(from).wrapped;
        for (int i = from; i <= last; i++) {
            int y = Math.min(i - from, grid.rows - 1);
            Line line = grid.line(i);
            Line next = i < last ? grid.line(i + 1) : null;
            boolean wraps = next != null && next.wrapped;
            boolean natural = next != null && wraps && flows(line, next, cols);
            if (wraps && !natural && grid.rows > 1) {
                // first the wrap, then what is in the row
                ink.plain().place(cols - 1, y).raw("xx");
                y = Math.min(y, grid.rows - 2);
                ink.place(cols - 1, y).csi("X").place(0, y);
            }
            if (linked) {
                // wrapping left a character
                ink.plain().csi("X");
            }
            odd(line, y);
            cells(line);
            linked = false;
            if (next == null) {
                break;
            }
            if (!wraps) {
                ink.plain().raw("\r\n");
            } else if (natural) {
                if (cannotWait(grid, i + 1, last, y == grid.rows - 1)) {
                    ink.plain().raw(terminal.text(cell(next, 0))).raw("\r");
                }
            } else {
                if (grid.rows > 1) {
                    ink.place(0, y + 1);
                } else {
                    ink.plain().csi("G").csi(cols - 1 + "C").raw("  \r");
                }
                linked = true;
            }
        }
    }

    /// Does printing the next row right after this one wrap into it and leave both as they are?
    private boolean flows(Line line, Line next, int cols) {
        long end = cell(line, cols - 1);
        long begin = cell(next, 0);
        boolean full = (Cell.isTail(end) && cols > 1 && Cell.isWide(cell(line, cols - 2)))
                || (Cell.code(end) != 0 && Cell.width(end) > 0);
        return full && Cell.code(begin) != 0 && Cell.width(begin) > 0;
    }

    /// Must a row be wrapped into before it is drawn? Either it scrolls in and would take the pen's background, or
    /// drawing it begins elsewhere.
    private boolean cannotWait(Grid grid, int index, int last, boolean scrolls) {
        Line line = grid.line(index);
        if (scrolls && (terminal.styles.bg(Cell.style(cell(line, 0))) & Pen.COLOUR) != 0) {
            return true;
        }
        if (index < last && grid.line(index + 1).wrapped && !flows(line, grid.line(index + 1), grid.cols)) {
            return true;
        }
        for (int x = 0; x < grid.cols; x++) {
            if (isOdd(cell(line, x))) {
                return true;
            }
        }
        return false;
    }

    /// Makes the first row one that continues another, and forgets that one.
    private void wrapFirst(Grid grid) {
        ink.place(grid.cols - 1, grid.rows - 1).raw("xx").raw("\r" + "\n".repeat(grid.rows - 1)).csi("3J");
    }

    private boolean isBlank(Line line) {
        for (int x = 0; x < line.cells.length; x++) {
            if (cell(line, x) != Cell.BLANK) {
                return false;
            }
        }
        return true;
    }

    /// Blanks with more than a background: what overwriting half of a wide character leaves, and so that is what is
    /// done here. Those at the row's beginning lose a second half to the right, the others to the left.
    private void odd(Line line, int y) {
        int cols = line.cells.length;
        int first = 0;
        while (first < cols && isOdd(cell(line, first))) {
            first++;
        }
        if (first == cols) {
            // no room for that: spaces look the same
            for (int x = 0; x < cols; x++) {
                ink.style(cell(line, x)).place(x, y).raw(" ");
            }
            ink.raw("\r");
            return;
        }
        boolean moved = first > 0;
        for (int x = 0; x < first; x++) {
            unpair(cell(line, x), x, x + 1, y);
        }
        for (int x = cols - 1; x > first; x--) {
            if (isOdd(cell(line, x))) {
                unpair(cell(line, x), x - 1, x - 1, y);
                moved = true;
            }
        }
        if (moved) {
            ink.raw("\r");
        }
    }

    /// Prints a wide character at a column, overwrites one half in a cell's style, and erases what that printed.
    private void unpair(long cell, int wide, int half, int y) {
        ink.plain().place(wide, y).raw("\u3000");
        ink.style(cell).place(half, y).raw("x");
        ink.plain().place(half, y).csi("X");
    }

    private boolean isOdd(long cell) {
        int style = Cell.style(cell);
        if (Cell.code(cell) != 0 || Cell.width(cell) != 1) {
            return false;
        }
        Styles styles = terminal.styles;
        return Cell.isProtected(cell) || styles.fg(style) != 0 || (styles.bg(style) & ~Pen.COLOUR) != 0
                || styles.under(style) != 0
                || views.link(style) != null;
    }

    private void cells(Line line) {
        int cols = line.cells.length;
        int cursor = 0;
        for (int x = 0; x < cols;) {
            long cell = cell(line, x);
            int end = x + 1;
            if (Cell.code(cell) == 0) {
                while (end < cols && cell(line, end) == cell) {
                    end++;
                }
                if (Cell.width(cell) == 1 && Cell.style(cell) != 0 && !isOdd(cell)) {
                    cursor = forward(cursor, x);
                    ink.style(cell).csi(end - x + "X");
                }
            } else {
                cursor = forward(cursor, x);
                ink.style(cell);
                if (Cell.width(cell) == 0) {
                    // a mark alone, that must not join what was printed before
                    ink.raw("\0");
                }
                ink.raw(terminal.text(cell));
                end = x + Math.max(1, Cell.width(cell));
                cursor = end;
            }
            x = end;
        }
    }

    private int forward(int from, int to) {
        if (to > from) {
            ink.csi(to - from == 1 ? "C" : to - from + "C");
        }
        return to;
    }

    private void tabs(Grid grid) {
        BitSet usual = new BitSet();
        for (int stop = 0; stop < grid.cols; stop += 8) {
            usual.set(stop);
        }
        if (!grid.tabs.equals(usual)) {
            ink.csi("3g");
            grid.tabs.stream().forEach(stop -> ink.place(stop, 0).raw("\033H"));
        }
    }

    private void margins(Grid grid) {
        if (grid.top > 0 || grid.bottom < grid.rows - 1) {
            ink.csi(grid.top + 1 + ";" + (grid.bottom + 1) + "r");
        }
    }

    private static boolean isSaved(Grid grid) {
        Pen pen = grid.savedPen;
        return (grid.savedX | grid.savedY | pen.fg | pen.bg | pen.under) != 0 || grid.savedCharset != Charset.ASCII;
    }

    private void save(Grid grid) {
        if (isSaved(grid)) {
            ink.pen(grid.savedPen.fg, grid.savedPen.bg, grid.savedPen.under, null);
            ink.raw("\033(" + grid.savedCharset.designator).place(grid.savedX, Math.min(grid.savedY, grid.rows - 1))
                    .raw("\0337\033(B");
        }
    }

    private void finish(Grid grid) {
        save(grid);
        boolean pending = grid.x >= grid.cols;
        boolean restored =
                terminal.charset != terminal.charsets[terminal.charsetLevel] && terminal.charset == grid.savedCharset;
        if (restored && !pending) {
            // the set in use is none of the level's, but the one that DECRC brings back
            charsets();
            ink.raw("\0338").restored();
        }
        palette();
        if (!terminal.title.isEmpty() && !(terminal.titlePrivate && sight == Sight.PUBLIC)) {
            ink.raw("\033]2;" + terminal.title + "\033\\");
        }
        margins(grid);
        modes();
        int y = terminal.switches.origin ? Math.max(0, grid.y - grid.top) : grid.y;
        Pen pen = terminal.pen;
        Link link = pen.link == 0 ? null : terminal.links.get(pen.link);
        if (link != null && link.isPrivate() && sight == Sight.PUBLIC) {
            link = null;
        }
        Line line = grid.row(grid.y);
        int before = Math.min(grid.x, grid.cols) - 1;
        if (before > 0 && Cell.isTail(cell(line, before))) {
            before--;
        }
        boolean joins = terminal.joinWidth > 0 && before >= 0 && Cell.code(cell(line, before)) != 0;
        if (pending && !(joins && hasPen(line, before))) {
            long cell = cell(line, before);
            ink.style(cell).place(before, y).raw(Cell.code(cell) == 0 ? " " : terminal.text(cell));
            joins = false;
        }
        ink.pen(pen.fg, pen.bg, pen.under, link);
        if (joins && hasPen(line, before)) {
            ink.place(before, y).raw(terminal.text(cell(line, before)));
            return;
        }
        if (!pending) {
            ink.place(grid.x, y);
        }
        if (!restored || pending) {
            charsets();
        }
        mode(terminal.switches.insert, "4h");
    }

    /// Was the cell printed with the pen as it is, and would be again?
    private boolean hasPen(Line line, int x) {
        long cell = cell(line, x);
        long pen = terminal.ink() & ~Cell.PRIVATE;
        boolean same = Cell.style(cell) == Cell.style(pen) && Cell.isProtected(cell) == Cell.isProtected(pen);
        boolean asReset = terminal.charsetLevel == 0
                && java.util.Arrays.stream(terminal.charsets).allMatch(set -> set == Charset.ASCII);
        return same && asReset && terminal.charset == Charset.ASCII && !terminal.switches.insert;
    }

    /// G0 to G3, and the level.
    private void charsets() {
        char[] designate = {'(', ')', '*', '+'};
        for (int level = 0; level < designate.length; level++) {
            if (terminal.charsets[level] != Charset.ASCII) {
                ink.raw("\033" + designate[level] + terminal.charsets[level].designator);
            }
        }
        ink.raw(switch (terminal.charsetLevel) {
            case 1 -> "\016";
            case 2 -> "\033n";
            case 3 -> "\033o";
            default -> "";
        });
    }

    private void palette() {
        for (Map.Entry<Integer, Integer> colour : terminal.palette.set.entrySet()) {
            int number = colour.getKey();
            String rgb = String.format("#%06x", colour.getValue());
            String which = number < Palette.FOREGROUND ? "4;" + number : "" + (number - Palette.FOREGROUND + 10);
            ink.raw("\033]" + which + ";" + rgb + "\033\\");
        }
    }

    private void modes() {
        Switches s = terminal.switches;
        mode(s.cursorKeys, "?1h");
        mode(s.keypad, "?66h");
        mode(s.reverseWrap, "?45h");
        mode(s.focus, "?1004h");
        mode(s.bracketedPaste, "?2004h");
        mode(s.synchronizedUpdate, "?2026h");
        mode(s.cursorHidden, "?25l");
        mode(s.cursorBlink, "?12h");
        mode(s.newLine, "20h");
        mode(!s.wrap, "?7l");
        mode(s.cursorShape > 0, s.cursorShape + " q");
        mode(s.mouse != Modes.Mouse.OFF, switch (s.mouse) {
            case X10 -> "?9h";
            case DRAG -> "?1002h";
            case ANY -> "?1003h";
            default -> "?1000h";
        });
        mode(s.mouseEncoding == Modes.MouseEncoding.SGR, "?1006h");
        mode(s.mouseEncoding == Modes.MouseEncoding.PIXELS, "?1016h");
        mode(s.origin, "?6h");
    }

    private void mode(boolean on, String sequence) {
        if (on) {
            ink.csi(sequence);
        }
    }
}
