package dev.belay;

import java.util.ArrayList;
import java.util.List;

/// Turns a terminal's bytes into text as it ended up on the terminal: line feeds between lines, no escape sequences,
/// progress bars by their last state even if they move the cursor up, rows that were wrapped joined.
///
/// Works on a stream, in linear time and bounded memory: a row that has left the screen cannot change any more, and is
/// given out. For one thread at a time.
public final class RenderedText implements Controls.Sink {
    private static final int TAB = 8;
    private static final int PIPE_COLS = 1000;

    /// Receives the text in order.
    public interface Sink {
        /// Receives one character.
        ///
        /// @param start where it begins in the log
        /// @param end   the offset after it
        void character(int codePoint, long start, long end);
    }

    private final int cols;
    private final int rows;
    private final Sink sink;
    private final Controls controls;
    private final List<TextRow> screen = new ArrayList<>();
    private int row;
    private int column;
    private int savedRow;
    private int savedColumn;
    private final boolean showsAlternate;
    private boolean alternate;
    /// Whether a row was given out whose line end is still due.
    private boolean lineOpen;
    private long openAt;

    /// @param cols      columns of the terminal
    /// @param rows      rows of the terminal
    /// @param from      the offset of the first byte
    /// @param showsAlternate whether what is on the alternate screen is text as well; if not, it leaves nothing behind
    public RenderedText(int cols, int rows, long from, boolean showsAlternate, Sink sink) {
        this.cols = cols;
        this.rows = rows;
        this.sink = sink;
        this.showsAlternate = showsAlternate;
        this.controls = new Controls(from, this);
        screen.add(new TextRow(false, from));
    }

    /// For output that no terminal has wrapped: a line may have any length.
    public static RenderedText ofPipe(long from, Sink sink) {
        return new RenderedText(PIPE_COLS, 1, from, true, sink);
    }

    /// The output begins on the alternate screen.
    public void beginOnAlternate() {
        alternate = true;
    }

    /// Output that follows what was given before.
    public void feed(byte[] bytes) {
        controls.feed(bytes);
    }

    /// The offset after the last whole character or sequence.
    public long settled() {
        return controls.settled();
    }

    /// Nothing follows: a character that is not whole is given out as a replacement character.
    public void end() {
        controls.end();
    }

    /// Output is missing here; what was under way has no end. Gives out everything.
    public void skipTo(long offset) {
        controls.end();
        flush();
        controls.skipTo(offset);
        screen.getFirst().first = offset;
    }

    /// Gives out what is still on the screen, and begins with an empty one.
    public void flush() {
        show(sink);
        clear();
    }

    private void clear() {
        screen.clear();
        screen.add(new TextRow(false, settled()));
        lineOpen = false;
        row = 0;
        column = 0;
    }

    /// Gives out what is on the screen to another sink, and keeps it.
    public void show(Sink to) {
        int last = row;
        for (int i = screen.size() - 1; i > row && last == row; i--) {
            last = screen.get(i).length() > 0 ? i : last;
        }
        boolean open = lineOpen;
        long at = openAt;
        for (int i = 0; i <= last; i++) {
            TextRow each = screen.get(i);
            if (open && !each.continues) {
                to.character('\n', at, Math.max(at, each.first));
            }
            each.give(to);
            open = true;
            at = endOf(each, i);
        }
    }

    /// Where the line feed behind a row stands, as far as that is known: before all that follows.
    private long endOf(TextRow each, int index) {
        long next = index + 1 < screen.size() ? Long.MAX_VALUE : settled();
        for (int i = index + 1; i < screen.size(); i++) {
            next = Math.min(next, screen.get(i).first);
        }
        return Math.max(each.first, next - 1);
    }

    @Override
    public void print(int point, long start, int bytes) {
        if (hidden()) {
            return;
        }
        int width = Columns.of(point);
        if (width == 0) {
            screen.get(row).mark(Math.max(0, column - 1), point);
            return;
        }
        if (column + width > cols) {
            column = 0;
            down(start, true);
        }
        TextRow here = screen.get(row);
        here.put(column++, point, start, bytes);
        if (width == 2) {
            here.put(column++, TextRow.FILLER, start, bytes);
        }
    }

    @Override
    public void control(int c, long start) {
        if (hidden()) {
            return;
        }
        switch (c) {
            case '\n', 0x0B, 0x0C -> {
                down(start + 1, false);
                column = 0;
            }
            case '\r' -> column = 0;
            case '\b' -> column = Math.max(0, Math.min(column, cols) - 1);
            case '\t' -> tab(start);
            default -> {}
        }
    }

    /// A tab stays a tab, so that text can be copied.
    private void tab(long start) {
        int stop = Math.min(cols - 1, (column / TAB + 1) * TAB);
        TextRow here = screen.get(row);
        if (column >= here.length()) {
            here.put(column++, '\t', start, 1);
            for (; column < stop; column++) {
                here.put(column, TextRow.FILLER, start, 1);
            }
        }
        column = Math.max(column, stop);
    }

    private void down(long at, boolean wraps) {
        if (row + 1 < screen.size()) {
            row++;
            if (wraps) {
                screen.get(row).continues = true;
            }
            return;
        }
        screen.add(new TextRow(wraps, at));
        if (screen.size() > rows) {
            giveTop();
        } else {
            row++;
        }
    }

    private void giveTop() {
        TextRow top = screen.removeFirst();
        if (lineOpen && !top.continues) {
            sink.character('\n', openAt, Math.max(openAt, top.first));
        }
        top.give(sink);
        lineOpen = true;
        openAt = endOf(top, -1);
    }

    private void move(int toRow, int toColumn) {
        row = Math.clamp(toRow, 0, rows - 1);
        column = Math.clamp(toColumn, 0, cols - 1);
        while (screen.size() <= row) {
            screen.add(new TextRow(false, settled()));
        }
    }

    @Override
    public void sequence(char mark, char last, Controls.Numbers numbers) {
        if (mark == '?' && (last == 'h' || last == 'l')) {
            for (int i = 0; i < numbers.count(); i++) {
                int mode = numbers.get(i, 0);
                if (mode == 1049 || mode == 1047 || mode == 47) {
                    change(last == 'h');
                }
            }
            return;
        }
        if (hidden() || mark != 0) {
            return;
        }
        int n = Math.max(1, numbers.get(0, 1));
        int here = Math.min(column, cols - 1);
        switch (last) {
            case 'A' -> move(row - n, here);
            case 'B', 'e' -> move(row + n, here);
            case 'C', 'a' -> move(row, here + n);
            case 'D' -> move(row, here - n);
            case 'E' -> move(row + n, 0);
            case 'F' -> move(row - n, 0);
            case 'G', '`' -> move(row, n - 1);
            case 'd' -> move(n - 1, here);
            case 'H', 'f' -> move(n - 1, Math.max(1, numbers.get(1, 1)) - 1);
            case 'J' -> eraseScreen(numbers.get(0, 0), here);
            case 'K' -> eraseRow(numbers.get(0, 0), here);
            case 'X' -> screen.get(row).erase(here, here + n, settled());
            case 'P' -> screen.get(row).delete(here, n);
            case '@' -> screen.get(row).insert(here, n, cols, settled());
            case 'L' -> insertRows(n);
            case 'M' -> deleteRows(n);
            case 's' -> save();
            case 'u' -> move(savedRow, savedColumn);
            default -> {}
        }
    }

    @Override
    public void escape(char c) {
        if (hidden() && c != 'c') {
            return;
        }
        switch (c) {
            case 'M' -> move(row - 1, column);
            case 'D' -> down(settled(), false);
            case 'E' -> {
                down(settled(), false);
                column = 0;
            }
            case '7' -> save();
            case '8' -> move(savedRow, savedColumn);
            case 'c' -> {
                alternate = false;
                move(0, 0);
                eraseScreen(2, 0);
            }
            default -> {}
        }
    }

    private boolean hidden() {
        return alternate && !showsAlternate;
    }

    /// The other screen is shown from here on.
    private void change(boolean toAlternate) {
        if (showsAlternate && toAlternate && !alternate) {
            flush();
        } else if (showsAlternate && alternate && !toAlternate) {
            clear();
        }
        alternate = toAlternate;
    }

    private void save() {
        savedRow = row;
        savedColumn = column;
    }

    private void eraseRow(int how, int here) {
        TextRow line = screen.get(row);
        switch (how) {
            case 0 -> line.erase(here, cols, settled());
            case 1 -> line.erase(0, here + 1, settled());
            case 2 -> line.erase(0, cols, settled());
            default -> {}
        }
    }

    private void eraseScreen(int how, int here) {
        eraseRow(how, here);
        for (int i = 0; i < screen.size(); i++) {
            if ((how == 0 && i > row) || (how == 1 && i < row) || how == 2) {
                screen.get(i).erase(0, cols, settled());
                screen.get(i).continues = false;
            }
        }
    }

    private void insertRows(int count) {
        for (int i = 0; i < Math.min(count, rows - row); i++) {
            screen.add(row, new TextRow(false, settled()));
            if (screen.size() > rows) {
                screen.removeLast();
            }
        }
        column = 0;
    }

    private void deleteRows(int count) {
        for (int i = 0; i < count && row < screen.size(); i++) {
            screen.remove(row);
        }
        if (row >= screen.size()) {
            screen.add(new TextRow(false, settled()));
        }
        column = 0;
    }
}
