package dev.belay.agent;

import dev.belay.screen.Row;
import dev.belay.screen.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A screen as a model reads it: rows, then a line that says where the cursor is and what is selected.
///
/// @param text    the rows and the line
/// @param omitted how many rows do not fit the budget
record ScreenText(String text, ScreenView view, int omitted) {
    private static final int MAX_SELECTED = 5;
    /// What the line at the end needs.
    private static final int STATUS_TOKENS = 40;

    /// @param before    what was shown last: only rows that look different are shown, with numbers; null: all rows
    /// @param maxTokens how much the rows may need
    static ScreenText of(Snapshot shown, @Nullable Snapshot before, int maxTokens, Tokens tokens) {
        List<String> rows = before == null ? all(shown) : changed(shown.rows(), before.rows());
        StringBuilder text = new StringBuilder();
        long left = Math.max(1, maxTokens - STATUS_TOKENS);
        int fit = 0;
        while (fit < rows.size() && left > 0) {
            left -= tokens.count(rows.get(fit)) + 1;
            if (left > 0 || fit == 0) {
                text.append(rows.get(fit++)).append('\n');
            }
        }
        int omitted = rows.size() - fit;
        if (omitted > 0) {
            text.append("[Output truncated] ").append(omitted)
                    .append(" more rows are missing here; raise max_output_tokens, or use fewer rows.\n");
        }
        ScreenView view = view(shown, before != null);
        return new ScreenText(text.append(status(view)).toString(), view, omitted);
    }

    private static List<String> all(Snapshot shown) {
        List<String> rows = new ArrayList<>();
        shown.rows().forEach(row -> rows.add(row.text().stripTrailing()));
        while (!rows.isEmpty() && rows.getLast().isEmpty()) {
            rows.removeLast();
        }
        return rows;
    }

    private static List<String> changed(List<Row> now, List<Row> before) {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < now.size(); i++) {
            if (i >= before.size() || !looksLike(now.get(i), before.get(i))) {
                rows.add(i + 1 + "| " + now.get(i).text().stripTrailing());
            }
        }
        return rows;
    }

    /// A program may have drawn the same again.
    private static boolean looksLike(Row now, Row before) {
        return now.changed() == before.changed()
                || (now.text().equals(before.text()) && now.spans().equals(before.spans()));
    }

    private static ScreenView view(Snapshot shown, boolean changesOnly) {
        List<String> selected = new ArrayList<>();
        List<Integer> uncertain = new ArrayList<>();
        for (int i = 0; i < shown.rows().size(); i++) {
            Row row = shown.rows().get(i);
            row.spans().stream().filter(span -> span.style().inverse())
                    .map(span -> row.text().substring(span.from(), span.to()).strip())
                    .filter(part -> !part.isEmpty())
                    .forEach(selected::add);
            if (!row.certain()) {
                uncertain.add(i + 1);
            }
        }
        return new ScreenView(
                shown.cursor().row() + 1,
                shown.cursor().column() + 1,
                shown.title(),
                shown.alternate(),
                shown.cols(),
                shown.rows().size(),
                shown.offset(),
                changesOnly,
                selected,
                uncertain);
    }

    private static String status(ScreenView view) {
        StringBuilder text = new StringBuilder("[screen, cursor at row ").append(view.cursorRow())
                .append(", column ").append(view.cursorColumn());
        if (!view.selected().isEmpty() && view.selected().size() <= MAX_SELECTED) {
            text.append(", selected: ").append(String.join(" | ", view.selected()));
        }
        if (!view.uncertain().isEmpty()) {
            text.append(", rows that may be out of date: ")
                    .append(view.uncertain().stream().map(String::valueOf).collect(Collectors.joining(" ")));
        }
        return text.append("]\n").toString();
    }
}
