package dev.belay.screen;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Makes rows and snapshots of a terminal's cells.
final class Views {
    private final Terminal terminal;
    private final Sight sight;

    Views(Terminal terminal, Sight sight) {
        this.terminal = terminal;
        this.sight = sight;
    }

    Snapshot snapshot(int history) {
        Grid grid = terminal.grid;
        boolean alternate = grid == terminal.alternate;
        List<Row> above = new ArrayList<>();
        for (int i = Math.max(0, grid.above - history); i < grid.above; i++) {
            above.add(row(grid, i));
        }
        List<Row> rows = new ArrayList<>();
        for (int i = grid.above; i < grid.size(); i++) {
            rows.add(row(grid, i));
        }
        String title = terminal.titlePrivate && sight == Sight.PUBLIC ? "" : terminal.title;
        return new Snapshot(terminal.at, grid.cols, above, rows, Cursor.of(grid, terminal.switches), title, alternate,
                terminal.switches.view(alternate));
    }

    private Row row(Grid grid, int index) {
        Line line = grid.line(index);
        StringBuilder text = new StringBuilder();
        List<Span> spans = new ArrayList<>();
        int end = end(line);
        int from = 0;
        int style = 0;
        for (int x = 0; x < end; x++) {
            long cell = seen(line.cells[x]);
            if (Cell.style(cell) != style) {
                span(spans, from, text.length(), style);
                from = text.length();
                style = Cell.style(cell);
            }
            if (Cell.code(cell) != 0) {
                text.append(terminal.text(cell));
            } else if (!Cell.isTail(cell)) {
                text.append(' ');
            }
        }
        span(spans, from, text.length(), style);
        return new Row(grid.first + index, text.toString(), spans, line.wrapped,
                line.began < 0 ? line.changed : line.began,
                line.changed, line.certain());
    }

    private void span(List<Span> spans, int from, int to, int number) {
        if (to > from) {
            Style style = style(number);
            if (!style.equals(Style.PLAIN)) {
                spans.add(new Span(from, to, style));
            }
        }
    }

    Style style(int number) {
        Styles styles = terminal.styles;
        return Style.of(styles.fg(number), styles.bg(number), styles.under(number),
                Optional.ofNullable(link(number)).map(Link::target));
    }

    /// A style's link, unless it may not be seen.
    @org.jspecify.annotations.Nullable Link link(int style) {
        int number = terminal.styles.link(style);
        if (number == 0) {
            return null;
        }
        Link link = Objects.requireNonNull(terminal.links.get(number));
        return link.isPrivate() && sight == Sight.PUBLIC ? null : link;
    }

    /// A cell as it may be seen. A private one is blank.
    long seen(long cell) {
        return Cell.isPrivate(cell) && sight == Sight.PUBLIC ? Cell.BLANK : cell;
    }

    /// The columns up to the last cell that is not a plain blank.
    private int end(Line line) {
        int end = line.cells.length;
        while (end > 0) {
            long cell = seen(line.cells[end - 1]) & ~(Cell.PROTECTED | Cell.PRIVATE);
            if (cell != Cell.BLANK && cell != (Cell.NARROW | ' ')) {
                break;
            }
            end--;
        }
        return end;
    }
}
