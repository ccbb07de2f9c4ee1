package dev.belay;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One row of text as it is being written: a character per column, each with its place in the log.
final class TextRow {
    /// The right half of a wide character, or what a tab skips.
    static final int FILLER = -1;
    private static final int BLANK = 0;

    private int[] points = new int[80];
    private long[] starts = new long[80];
    private byte[] lengths = new byte[80];
    /// Combining characters, by the column of what they belong to.
    private @Nullable Map<Integer, StringBuilder> marks;
    private int length;
    /// Whether it continues the row above.
    boolean continues;
    /// The smallest offset of what is on it; of its beginning while nothing is.
    long first;

    TextRow(boolean continues, long at) {
        this.continues = continues;
        this.first = at;
    }

    int length() {
        return length;
    }

    void put(int column, int point, long start, int bytes) {
        room(column + 1);
        if (length == 0) {
            first = start;
        }
        for (; length < column; length++) {
            blank(length, start);
        }
        if (marks != null) {
            marks.remove(column);
        }
        points[column] = point;
        starts[column] = start;
        lengths[column] = (byte) bytes;
        length = Math.max(length, column + 1);
    }

    /// A character that combines with the one before it, which may be wide.
    ///
    /// @param last the column that was written last
    void mark(int last, int point) {
        if (last >= length) {
            return;
        }
        int column = last > 0 && points[last] == FILLER ? last - 1 : last;
        Map<Integer, StringBuilder> all = marks == null ? new HashMap<>() : marks;
        marks = all;
        StringBuilder mine = all.computeIfAbsent(column, _ -> new StringBuilder());
        // Nobody reads more than a few; without a bound they would use up all memory.
        if (mine.length() < 32) {
            mine.appendCodePoint(point);
        }
    }

    void erase(int from, int to, long at) {
        if (to >= length) {
            length = Math.min(length, from);
        } else {
            for (int i = from; i < to; i++) {
                blank(i, at);
            }
        }
        if (length == 0) {
            first = at;
        }
    }

    void delete(int column, int count) {
        if (column < length) {
            int gone = Math.min(count, length - column);
            length -= gone;
            shift(column + gone, column, length - column);
        }
    }

    void insert(int column, int count, int most, long at) {
        if (column < length) {
            int end = Math.min(most, length + count);
            int added = Math.min(count, end - column);
            room(end);
            shift(column, column + added, end - column - added);
            length = end;
            for (int i = column; i < column + added; i++) {
                blank(i, at);
            }
        }
    }

    private void shift(int from, int to, int count) {
        System.arraycopy(points, from, points, to, count);
        System.arraycopy(starts, from, starts, to, count);
        System.arraycopy(lengths, from, lengths, to, count);
        marks = null;
    }

    private void blank(int column, long at) {
        points[column] = BLANK;
        starts[column] = at;
        lengths[column] = 0;
    }

    private void room(int columns) {
        if (columns > points.length) {
            int size = Math.max(columns, points.length * 2);
            points = Arrays.copyOf(points, size);
            starts = Arrays.copyOf(starts, size);
            lengths = Arrays.copyOf(lengths, size);
        }
    }

    /// Gives out the text of the columns.
    void give(RenderedText.Sink sink) {
        for (int i = 0; i < length; i++) {
            int point = points[i];
            if (point != FILLER) {
                sink.character(point == BLANK ? ' ' : point, starts[i], starts[i] + lengths[i]);
                StringBuilder more = marks == null ? null : marks.get(i);
                if (more != null) {
                    long start = starts[i];
                    long end = start + lengths[i];
                    more.codePoints().forEach(mark -> sink.character(mark, start, end));
                }
            }
        }
    }
}
