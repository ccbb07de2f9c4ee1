package dev.belay.cli.view;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// Draws `belay top`: a head, the list, a panel for the selected session, and a line of keys. Any width works; the
/// narrower, the fewer columns the list has.
final class TopPicture {
    /// Rows above the list.
    static final int HEAD = 2;

    private static final int FOOT = 1;
    private static final int LEAST_LIST = 3;
    /// A lower terminal has no panel.
    private static final int LEAST_FOR_PANEL = 12;
    private static final int WIDEST_ID = 24;
    private static final int WIDE = 58;
    private static final String BOLD = "1";
    private static final String INVERSE = "7";
    private static final String DIM = "2";

    private static final String KEYS = "enter attach  w watch  x close  / filter  s sort  tab panel  ? help  q quit";

    private static final List<String> HELP = List.of(
            "belay top: the sessions of a server, live",
            "",
            "up, down, j, k     select a session; also page keys, g, G",
            "enter, a           attach to it; ctrl-\\ then d comes back here",
            "w                  attach to watch only",
            "x, c               close it with all its processes; asks first",
            "/                  filter: words in id, owner, command, state, title, label",
            "s, r               sort by the next column; reverse",
            "tab, p             panel: screen, processes, none",
            "ctrl-l             draw everything again",
            "q, ctrl-c          quit",
            "",
            "State 'waits': a program waits for input. 'secret': for a password.",
            "RATE: bytes of output per second.",
            "",
            "Any key returns.");

    private final Canvas canvas;
    private final boolean coloured;
    private final Instant now;

    TopPicture(Canvas canvas, boolean coloured, Instant now) {
        this.canvas = canvas;
        this.coloured = coloured;
        this.now = now;
    }

    Canvas canvas() {
        return canvas;
    }

    /// How many rows the list gets: what it needs, but with a panel no more than half.
    static int listRows(int rows, int sessions, boolean panel) {
        int room = Math.max(0, rows - HEAD - FOOT);
        if (!panel || rows < LEAST_FOR_PANEL) {
            return room;
        }
        return Math.min(room, Math.max(LEAST_LIST, Math.min(sessions, room / 2)));
    }

    private boolean has(int row) {
        return row >= 0 && row < canvas.rows();
    }

    Canvas help() {
        for (int i = 0; i < HELP.size() && has(i); i++) {
            canvas.put(i, 0, HELP.get(i), i == 0 ? BOLD : Canvas.PLAIN);
        }
        return canvas;
    }

    // --- the head ---

    void head(TopRows list, String server) {
        if (!has(0)) {
            return;
        }
        int col = canvas.put(0, 0, "belay top", BOLD);
        col = canvas.put(0, col, "  " + list.running() + " running", Canvas.PLAIN);
        long waiting = list.waiting();
        if (waiting > 0) {
            col = canvas.put(0, col, "  " + waiting + (waiting == 1 ? " waits" : " wait"), colour("33;1"));
        }
        long ended = list.size() - list.running();
        col = canvas.put(0, col, ended == 0 ? "" : "  " + ended + " ended", Canvas.PLAIN);
        col = canvas.put(0, col, "  " + Words.bytes(list.rate()) + "/s", Canvas.PLAIN);
        int right = canvas.cols() - Canvas.width(server);
        if (right > col + 1) {
            canvas.put(0, right, server, DIM);
        }
    }

    // --- the list ---

    /// A column of the list.
    ///
    /// @param from the narrowest terminal that has room for it
    private record Column(String heading, int width, boolean right, int from) {}

    private static final List<Column> COLUMNS = List.of(
            new Column("STATE", 8, false, 0),
            new Column("RATE", 6, true, 0),
            new Column("IDLE", 5, true, WIDE),
            new Column("AGE", 5, true, 66),
            new Column("OUTPUT", 7, true, 76),
            new Column("OWNER", 10, false, 92),
            new Column("VIEWERS", 8, true, 106));

    private List<String> cells(TopRow one) {
        return List.of(
                one.state(),
                one.rate() < 0.5 ? "" : Words.bytes(one.rate()),
                Words.since(one.record().path("last_activity_at"), now),
                Words.since(one.record().path("started_at"), now),
                Words.bytes((double) one.printed()),
                one.owner(),
                viewers(one.record()));
    }

    private static String viewers(JsonNode record) {
        int count = record.path("viewers").size();
        return count == 0 ? "" : Integer.toString(count);
    }

    void list(TopRows list, int first, int height, boolean known) {
        List<TopRow> shown = list.shown();
        List<String> ids = list.ids();
        int idWidth = 8;
        for (TopRow one : shown) {
            idWidth = Math.max(idWidth, SessionTable.shortened(one.id(), ids).length());
        }
        idWidth = Math.min(idWidth, Math.clamp(canvas.cols() / 4L, 8, WIDEST_ID));
        List<String> headings = new ArrayList<>();
        COLUMNS.forEach(column -> headings.add(column.heading()));
        if (has(1)) {
            line(1, "ID", idWidth, headings, "COMMAND", Canvas.PLAIN);
            canvas.style(1, INVERSE);
            String order = " by " + list.order().label() + (list.reversed() ? ", reversed" : "") + " ";
            if (canvas.cols() >= WIDE) {
                canvas.put(1, canvas.cols() - order.length(), order, INVERSE);
            }
        }
        if (shown.isEmpty()) {
            note(HEAD, !known
                    ? "Asking the server ..."
                    : list.size() == 0
                            ? "There are no sessions; 'belay open' opens one."
                            : "No session matches the filter.");
        }
        for (int i = 0; i < height && first + i < shown.size() && has(HEAD + i); i++) {
            TopRow one = shown.get(first + i);
            line(HEAD + i, SessionTable.shortened(one.id(), ids), idWidth, cells(one), Words.command(one.record()),
                    stateStyle(one));
            if (first + i == list.place()) {
                canvas.style(HEAD + i, INVERSE);
            }
        }
    }

    private void line(int row, String id, int idWidth, List<String> cells, String command, String stateStyle) {
        canvas.put(row, 0, idWidth, Words.cut(id, idWidth), Canvas.PLAIN);
        int col = idWidth + 1;
        for (int i = 0; i < COLUMNS.size(); i++) {
            Column column = COLUMNS.get(i);
            if (canvas.cols() >= column.from()) {
                String cell = Words.cut(cells.get(i), column.width());
                int pad = column.right() ? column.width() - cell.length() : 0;
                canvas.put(row, col + pad, col + column.width(), cell, i == 0 ? stateStyle : Canvas.PLAIN);
                col += column.width() + 1;
            }
        }
        canvas.put(row, col, Words.cut(command, Math.max(0, canvas.cols() - col)), Canvas.PLAIN);
    }

    private String stateStyle(TopRow one) {
        return switch (one.rank()) {
            case 0, 1 -> colour("33;1");
            case 2 -> colour("32");
            default -> one.state().equals("exit 0") ? Canvas.PLAIN : colour("31");
        };
    }

    private String colour(String sgr) {
        return coloured ? sgr : Canvas.PLAIN;
    }

    // --- the panel ---

    void panelHead(int row, TopRow one, String what) {
        if (!has(row)) {
            return;
        }
        String title = one.title();
        String holder = one.record().path("keyboard").asString("");
        String text = "── " + what + " of " + one.id() + (title.isEmpty() ? "" : " · " + title)
                + (holder.isEmpty() ? "" : " · " + holder + " has the keyboard") + " ";
        int col = canvas.put(row, 0, text, DIM);
        canvas.put(row, col, "─".repeat(Math.max(0, canvas.cols() - col)), DIM);
    }

    void processes(int top, int height, @Nullable JsonNode processes) {
        if (processes == null) {
            return;
        }
        List<ProcessTree.Line> lines = ProcessTree.lines(processes);
        if (lines.isEmpty()) {
            note(top, "It has no processes left.");
            return;
        }
        if (height > 0 && has(top)) {
            canvas.put(top, 0, "     PID  STATE        CPU    MEM COMMAND   (*: has the terminal)", DIM);
        }
        for (int i = 0; i < height - 1 && i < lines.size(); i++) {
            boolean more = i == height - 2 && lines.size() > height - 1;
            canvas.put(top + 1 + i, 0,
                    more ? "         ... and " + (lines.size() - i) + " more" : lines.get(i).text(),
                    lines.get(i).foreground() && !more ? BOLD : Canvas.PLAIN);
        }
    }

    void note(int row, String text) {
        if (has(row)) {
            canvas.put(row, 0, text, DIM);
        }
    }

    /// The last row: keys, unless there is something to say.
    void foot(String said, boolean asks) {
        int row = canvas.rows() - 1;
        if (!has(row)) {
            return;
        }
        if (said.isEmpty()) {
            canvas.put(row, 0, KEYS, DIM);
        } else {
            canvas.put(row, 0, said, asks ? colour("33;1") : BOLD);
        }
    }
}
