package dev.belay.screen;

import java.util.List;

/// What a screen shows at an offset.
///
/// @param offset    of the output: everything before it is on the screen
/// @param cols      how wide the screen is
/// @param history   rows above the screen, the oldest first
/// @param rows      the rows of the screen
/// @param cursor    its place and look
/// @param title     set by OSC 0 or 2; empty if there is none, or a private one that may not be seen
/// @param alternate is it the alternate screen?
/// @param modes     what the program has set
public record Snapshot(long offset, int cols, List<Row> history, List<Row> rows, Cursor cursor, String title,
        boolean alternate,
        Modes modes) {
    /// Copies the rows.
    public Snapshot {
        history = List.copyOf(history);
        rows = List.copyOf(rows);
    }

    /// The rows' texts, a line each, without the empty ones at the end.
    public String text() {
        StringBuilder text = new StringBuilder();
        rows.forEach(row -> text.append(row.text()).append('\n'));
        return text.toString().stripTrailing();
    }
}
