package dev.belay.cli.view;

import dev.belay.screen.Widths;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A picture for a terminal: rows of cells, each with a character and a style. Knows what has to be sent to turn one
/// picture into another: only the cells that differ.
///
/// A style is the parameters of SGR, such as `1;32`; plain is empty. For one thread.
public final class Canvas {
    static final String PLAIN = "";

    /// Equal cells between two that differ are sent as well if they are this few: moving the cursor costs more.
    private static final int SHORT_GAP = 6;
    private static final int FIRST_WIDE = 0x1100;

    private final int cols;
    private final int rows;
    /// The second cell of a wide character is empty.
    private final String[][] glyphs;
    private final String[][] styles;

    public Canvas(int cols, int rows) {
        this.cols = cols;
        this.rows = rows;
        this.glyphs = new String[rows][cols];
        this.styles = new String[rows][cols];
        for (int row = 0; row < rows; row++) {
            Arrays.fill(glyphs[row], " ");
            Arrays.fill(styles[row], PLAIN);
        }
    }

    public int cols() {
        return cols;
    }

    public int rows() {
        return rows;
    }

    /// Writes a text and cuts it at a column.
    ///
    /// @param end the column that it may not reach
    /// @return the column after it
    int put(int row, int col, int end, String text, String style) {
        int limit = Math.min(end, cols);
        int at = col;
        int last = -1;
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            int code = text.codePointAt(i);
            int width = Widths.of(code);
            if (width == 0) {
                if (last >= 0 && !Character.isISOControl(code)) {
                    glyphs[row][last] += Character.toString(code);
                }
                continue;
            }
            if (at + width > limit) {
                break;
            }
            set(row, at, Character.toString(code), style);
            last = at;
            if (width == 2) {
                set(row, at + 1, "", style);
            }
            at += width;
        }
        return at;
    }

    /// Writes a text and cuts it at the edge.
    int put(int row, int col, String text, String style) {
        return put(row, col, cols, text, style);
    }

    private void set(int row, int col, String glyph, String style) {
        // Half of a wide character cannot stay.
        if (glyphs[row][col].isEmpty() && col > 0 && !glyph.isEmpty()) {
            glyphs[row][col - 1] = " ";
        }
        if (col + 1 < cols && glyphs[row][col + 1].isEmpty()) {
            glyphs[row][col + 1] = " ";
        }
        glyphs[row][col] = glyph;
        styles[row][col] = style;
    }

    /// Gives a whole row one style.
    void style(int row, String style) {
        Arrays.fill(styles[row], style);
    }

    /// How many columns a text takes.
    static int width(String text) {
        return text.codePoints().map(Widths::of).sum();
    }

    /// A row's text, without the blanks at its end.
    public String text(int row) {
        return String.join("", glyphs[row]).stripTrailing();
    }

    String styleAt(int row, int col) {
        return styles[row][col];
    }

    /// What turns a terminal that shows the other picture into this one; empty if it is the same.
    ///
    /// @param shown null if the terminal may show anything
    public String after(@Nullable Canvas shown) {
        StringBuilder out = new StringBuilder();
        boolean whole = shown == null || shown.cols != cols || shown.rows != rows;
        Pen pen = new Pen(out);
        if (whole) {
            out.append("\033[m\033[H\033[2J");
        }
        for (int row = 0; row < rows; row++) {
            change(pen, row, whole ? null : shown);
        }
        if (out.isEmpty()) {
            return "";
        }
        pen.style(PLAIN);
        // A synchronized update, where the terminal knows it: nobody sees half a picture.
        return "\033[?2026h" + out + "\033[?2026l";
    }

    private void change(Pen pen, int row, @Nullable Canvas shown) {
        int blanks = blanksFrom(row);
        int col = next(row, 0, shown);
        while (col < cols) {
            if (col >= blanks) {
                pen.move(row, col);
                pen.style(PLAIN);
                pen.out.append("\033[K");
                return;
            }
            int end = run(row, col, shown);
            while (col > 0 && glyphs[row][col].isEmpty()) {
                col--;
            }
            pen.move(row, col);
            for (int at = col; at < Math.min(end, blanks); at++) {
                pen.draw(row, at, glyphs[row][at], styles[row][at]);
            }
            col = next(row, Math.max(col + 1, Math.min(end, blanks)), shown);
        }
    }

    /// The first cell from a column on that differs; the number of columns if none does.
    private int next(int row, int from, @Nullable Canvas shown) {
        int col = from;
        while (col < cols && same(row, col, shown)) {
            col++;
        }
        return col;
    }

    /// The end of the cells that are to be sent at once.
    private int run(int row, int from, @Nullable Canvas shown) {
        int end = from + 1;
        for (int col = end; col < cols && col - end < SHORT_GAP; col++) {
            if (!same(row, col, shown)) {
                end = col + 1;
            }
        }
        return end;
    }

    /// Compared with nothing, a blank is the same: the terminal was cleared.
    private boolean same(int row, int col, @Nullable Canvas shown) {
        String glyph = shown == null ? " " : shown.glyphs[row][col];
        String style = shown == null ? PLAIN : shown.styles[row][col];
        return glyphs[row][col].equals(glyph) && styles[row][col].equals(style);
    }

    /// The column from which on there are only plain blanks.
    private int blanksFrom(int row) {
        int col = cols;
        while (col > 0 && glyphs[row][col - 1].equals(" ") && styles[row][col - 1].isEmpty()) {
            col--;
        }
        return col;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Canvas canvas && cols == canvas.cols && rows == canvas.rows
                && Arrays.deepEquals(glyphs, canvas.glyphs) && Arrays.deepEquals(styles, canvas.styles);
    }

    @Override
    public int hashCode() {
        return Objects.hash(Arrays.deepHashCode(glyphs), Arrays.deepHashCode(styles));
    }

    /// Where the terminal writes next, and how.
    private static final class Pen {
        private final StringBuilder out;
        private @Nullable String style;
        private int row = -1;
        private int col = -1;

        Pen(StringBuilder out) {
            this.out = out;
        }

        void move(int toRow, int toCol) {
            if (row != toRow || col != toCol) {
                out.append("\033[").append(toRow + 1).append(';').append(toCol + 1).append('H');
                row = toRow;
                col = toCol;
            }
        }

        void style(String wanted) {
            if (!wanted.equals(style)) {
                out.append("\033[0").append(wanted.isEmpty() ? "" : ";").append(wanted).append('m');
                style = wanted;
            }
        }

        void draw(int atRow, int atCol, String glyph, String wanted) {
            if (glyph.isEmpty()) {
                return;
            }
            move(atRow, atCol);
            style(wanted);
            out.append(glyph);
            // Terminals disagree about the width of some characters: after such a one, say where to go on.
            boolean sure = glyph.length() == 1 && glyph.charAt(0) < FIRST_WIDE;
            row = sure ? row : -1;
            col++;
        }
    }
}
