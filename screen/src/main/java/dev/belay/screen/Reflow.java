package dev.belay.screen;

import java.util.ArrayList;
import java.util.List;

/// Gives a grid another size, as xterm.js does: rows first, then wrapped lines are cut anew, except the cursor's own.
final class Reflow {
    private final Grid grid;
    private final int cols;
    private final int rows;
    private final int capacity;
    private List<Line> lines = new ArrayList<>();
    /// The saved cursor's row, counted from the first line.
    private int saved;

    private Reflow(Grid grid, int cols, int rows) {
        this.grid = grid;
        this.cols = cols;
        this.rows = rows;
        this.capacity = rows + grid.capacity() - grid.rows;
        for (int i = 0; i < grid.size(); i++) {
            lines.add(grid.line(i));
        }
        this.saved = grid.above + grid.savedY;
    }

    static void resize(Grid grid, int cols, int rows, long end) {
        Reflow reflow = new Reflow(grid, cols, rows);
        int old = grid.cols;
        boolean filled = grid.size() > 0;
        if (filled) {
            if (cols > old) {
                reflow.lines.forEach(line -> line.resize(cols));
            }
            reflow.resizeRows();
            if (grid.keeps && cols > old) {
                reflow.widen(old);
            } else if (grid.keeps && cols < old) {
                reflow.narrow(old);
            }
            reflow.lines.forEach(line -> {
                line.resize(cols);
                line.changed = end;
                if (!line.certain()) {
                    line.doubt();
                }
            });
            reflow.settle();
            grid.savedY = Math.clamp(reflow.saved - grid.above, 0, rows - 1);
        }
        grid.setLines(reflow.lines, cols, rows);
        grid.top = 0;
        grid.bottom = rows - 1;
        grid.extendTabs();
    }

    /// The last line is the last row, however many were dropped.
    private void settle() {
        int excess = grid.above + rows - lines.size();
        grid.above -= excess;
        grid.y = Math.clamp(grid.y + excess, 0, rows - 1);
    }

    private void resizeRows() {
        int down = 0;
        for (int row = grid.rows; row < rows; row++) {
            if (lines.size() < rows + grid.above) {
                if (grid.above > 0 && lines.size() <= grid.above + grid.y + down + 1) {
                    grid.above--;
                    down++;
                } else {
                    lines.add(new Line(cols, Cell.BLANK));
                }
            }
        }
        for (int row = grid.rows; row > rows; row--) {
            if (lines.size() > rows + grid.above) {
                if (lines.size() > grid.above + grid.y + 1) {
                    lines.removeLast();
                } else {
                    grid.above++;
                }
            }
        }
        trim(lines.size() - capacity);
        grid.x = Math.min(grid.x, cols - 1);
        grid.y = Math.min(grid.y, rows - 1) + down;
        grid.savedX = Math.min(grid.savedX, cols - 1);
    }

    /// Drops lines at the top.
    private void trim(int count) {
        if (count > 0) {
            lines = new ArrayList<>(lines.subList(count, lines.size()));
            grid.above = Math.max(0, grid.above - count);
            grid.first += count;
            saved = Math.max(0, saved - count);
        }
    }

    /// Pulls what wrapped up into the new columns.
    private void widen(int old) {
        List<Line> left = new ArrayList<>();
        int cursor = grid.above + grid.y;
        int removed = 0;
        int next;
        for (int from = 0; from < lines.size(); from = next) {
            next = from + 1;
            while (next < lines.size() && lines.get(next).wrapped) {
                next++;
            }
            List<Line> whole = lines.subList(from, next);
            int keep = whole.size();
            if (keep > 1 && (cursor < from || cursor >= next)) {
                keep = join(whole, old);
            }
            left.addAll(whole.subList(0, keep));
            removed += whole.size() - keep;
        }
        lines = left;
        for (int i = 0; i < removed; i++) {
            if (grid.above > 0) {
                grid.above--;
            } else {
                grid.y = Math.max(0, grid.y - 1);
                if (lines.size() < rows) {
                    lines.add(new Line(cols, Cell.BLANK));
                }
            }
        }
        if (removed > 0) {
            saved = Math.max(0, saved - removed);
        }
    }

    /// Moves cells to the left and up within one wrapped line. Gives how many rows it needs.
    private int join(List<Line> whole, int old) {
        int to = 0;
        int toColumn = length(whole, 0, old);
        int from = 1;
        int fromColumn = 0;
        while (from < whole.size()) {
            int length = length(whole, from, old);
            int count = Math.min(length - fromColumn, cols - toColumn);
            System.arraycopy(whole.get(from).cells, fromColumn, whole.get(to).cells, toColumn, count);
            toColumn += count;
            if (toColumn == cols) {
                to++;
                toColumn = 0;
            }
            fromColumn += count;
            if (fromColumn == length) {
                from++;
                fromColumn = 0;
            }
            if (toColumn == 0 && to > 0) {
                long[] above = whole.get(to - 1).cells;
                if (Cell.isWide(above[cols - 1])) {
                    whole.get(to).cells[toColumn++] = above[cols - 1];
                    above[cols - 1] = Cell.BLANK;
                }
            }
        }
        whole.get(to).erase(toColumn, cols, Cell.BLANK);
        int keep = whole.size();
        while (keep > 1 && (keep - 1 > to || whole.get(keep - 1).trimmed() == 0)) {
            keep--;
        }
        return keep;
    }

    /// Pushes what no longer fits down into further rows. Rows at the bottom make room while there are any below the
    /// cursor.
    private void narrow(int old) {
        List<Insert> inserts = new ArrayList<>();
        List<Line> all = new ArrayList<>(lines);
        int added = 0;
        int from;
        for (int last = all.size() - 1; last >= 0; last = from - 1) {
            from = last;
            while (from > 0 && all.get(from).wrapped) {
                from--;
            }
            List<Line> whole = new ArrayList<>(all.subList(from, last + 1));
            int cursor = grid.above + grid.y;
            boolean fits = !whole.getLast().wrapped && whole.getLast().trimmed() <= cols;
            if (fits || (cursor >= from && cursor <= last)) {
                continue;
            }
            int before = whole.size();
            int more = split(whole, old);
            int trimmed = grid.above == 0 && grid.y != lines.size() - 1
                    ? Math.max(0, grid.y - capacity + more)
                    : Math.max(0, lines.size() - capacity + more);
            if (more > 0) {
                inserts.add(new Insert(last + 1 + added, whole.subList(before, whole.size())));
                added += more;
            }
            makeRoom(more - trimmed, added);
            saved = Math.min(saved + more, grid.above + rows - 1);
        }
        if (added > 0) {
            merge(inserts, added);
        }
    }

    /// Rows to be put in before an index, counted with those put in below.
    private record Insert(int start, List<Line> rows) {}

    private void makeRoom(int count, int added) {
        for (int i = 0; i < count; i++) {
            if (grid.above == 0) {
                if (grid.y < rows - 1) {
                    grid.y++;
                    lines.removeLast();
                } else {
                    grid.above++;
                }
            } else if (grid.above < Math.min(capacity, lines.size() + added) - rows) {
                grid.above++;
            }
        }
    }

    /// Puts in the new rows, from the bottom; what does not fit is lost at the top.
    private void merge(List<Insert> inserts, int added) {
        int all = lines.size() + added;
        Line[] merged = new Line[Math.min(capacity, all)];
        int old = lines.size() - 1;
        int next = 0;
        int inserted = 0;
        for (int i = merged.length - 1; i >= 0; i--) {
            if (next < inserts.size() && inserts.get(next).start > old + inserted) {
                List<Line> rows = inserts.get(next++).rows;
                for (int row = rows.size() - 1; row >= 0; row--, i--) {
                    if (i >= 0) {
                        merged[i] = rows.get(row);
                    }
                }
                i++;
                inserted += rows.size();
            } else {
                merged[i] = lines.get(old--);
            }
        }
        grid.first += all - merged.length;
        lines = new ArrayList<>(List.of(merged));
    }

    /// Cuts one wrapped line anew and adds the rows it needs. Gives how many.
    private int split(List<Line> whole, int old) {
        int last = whole.getLast().trimmed();
        int[] lengths = lengths(whole, old);
        int more = lengths.length - whole.size();
        int from = whole.size() - 1;
        for (int i = 0; i < more; i++) {
            Line line = new Line(old, Cell.BLANK);
            line.wrapped = true;
            line.began = whole.getFirst().began;
            line.firm = whole.getFirst().firm;
            whole.add(line);
        }
        int to = lengths.length - 1;
        int toColumn = lengths.length == 0 ? 0 : lengths[to];
        if (toColumn == 0) {
            to--;
            toColumn = to < 0 ? 0 : lengths[to];
        }
        int fromColumn = last;
        while (from >= 0 && to >= 0) {
            int count = Math.min(fromColumn, toColumn);
            System.arraycopy(whole.get(from).cells, fromColumn - count, whole.get(to).cells, toColumn - count, count);
            toColumn -= count;
            if (toColumn == 0) {
                to--;
                toColumn = to < 0 ? 0 : lengths[to];
            }
            fromColumn -= count;
            if (fromColumn == 0) {
                from--;
                // while xterm.js goes on it counts the added rows in, so that none but the last one is trimmed
                fromColumn = length(whole, Math.max(from, 0), old);
            }
        }
        for (int i = 0; i < whole.size(); i++) {
            if (i < lengths.length && lengths[i] < cols) {
                whole.get(i).cells[lengths[i]] = Cell.BLANK;
            }
        }
        return more;
    }

    /// How long each row of a line will be: a wide character at the end goes to the next one.
    private int[] lengths(List<Line> whole, int old) {
        int needed = 0;
        for (int i = 0; i < whole.size(); i++) {
            needed += length(whole, i, old);
        }
        List<Integer> lengths = new ArrayList<>();
        int column = 0;
        int line = 0;
        for (int had = 0; had < needed;) {
            if (needed - had < cols) {
                lengths.add(needed - had);
                break;
            }
            column += cols;
            int length = length(whole, line, old);
            if (column > length) {
                column -= length;
                line++;
            }
            boolean wide = Cell.isWide(whole.get(line).cells[column - 1]);
            if (wide) {
                column--;
            }
            lengths.add(wide ? cols - 1 : cols);
            had += lengths.getLast();
        }
        return lengths.stream().mapToInt(Integer::intValue).toArray();
    }

    /// The columns of a row that belong to the line: all, but for a blank that a wide character left; of the last one
    /// those in use.
    private static int length(List<Line> whole, int index, int cols) {
        Line line = whole.get(index);
        if (index == whole.size() - 1) {
            return line.trimmed();
        }
        long end = line.cells[cols - 1];
        boolean left = Cell.code(end) == 0 && Cell.width(end) == 1 && Cell.isWide(whole.get(index + 1).cells[0]);
        return left ? cols - 1 : cols;
    }
}
