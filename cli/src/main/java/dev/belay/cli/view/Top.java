package dev.belay.cli.view;

import dev.belay.Visible;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/// What `belay top` knows and shows: sessions, the selected one, and what a person is about to do. Keys change it and
/// may ask for something that only the caller can do.
///
/// For one thread; never blocks.
public final class Top {
    /// What a person does.
    enum Mode {
        LIST,
        FILTER,
        CLOSE,
        HELP
    }

    /// What is shown of the selected session.
    enum Panel {
        SCREEN,
        PROCESSES,
        NOTHING;

        Panel next() {
            return switch (this) {
                case SCREEN -> PROCESSES;
                case PROCESSES -> NOTHING;
                case NOTHING -> SCREEN;
            };
        }
    }

    /// What the caller is asked to do.
    public sealed interface Action {}

    /// Nothing but to draw.
    public record Draw() implements Action {}

    /// Draw everything again: the terminal may show something else.
    public record Repaint() implements Action {}

    public record Quit() implements Action {}

    /// Show a session on the terminal.
    ///
    /// @param watch whether only to watch
    public record Attach(Target session, boolean watch) implements Action {}

    public record Close(Target session) implements Action {}

    /// A session to do something with.
    public record Target(String id, String owner) {}

    private static final Draw DRAW = new Draw();

    private final String server;
    private final boolean coloured;
    private final TopRows list = new TopRows();
    private Mode mode = Mode.LIST;
    private Panel panel = Panel.SCREEN;
    private Preview preview = new Preview();
    private @Nullable JsonNode processes;
    private @Nullable String seen;
    private String message = "";
    private boolean listed;
    private int page = 1;
    private int first;

    /// @param server what to call the server
    public Top(String server, boolean coloured) {
        this.server = server;
        this.coloured = coloured;
    }

    /// Takes in all sessions that there are now.
    ///
    /// @param now a time in nanoseconds
    public void sessions(Iterable<JsonNode> records, long now) {
        listed = true;
        list.set(records, now);
        reselect();
    }

    /// Computes rates; call this about once a second.
    public void count(long now) {
        list.count(now);
        reselect();
    }

    /// The selected session; null if there is none.
    public @Nullable Target selected() {
        TopRow one = list.selected();
        return one == null ? null : new Target(one.id(), one.owner());
    }

    /// Whether the screen of the selected session is shown.
    public boolean wantsScreen() {
        TopRow one = list.selected();
        return one != null && !one.isPipe() && mode != Mode.CLOSE && panel == Panel.SCREEN;
    }

    /// Whether the processes of the selected session are shown.
    public boolean wantsProcesses() {
        return list.selected() != null && (mode == Mode.CLOSE || panel == Panel.PROCESSES);
    }

    /// The screen of the selected session; another one whenever another session is selected.
    public Preview preview() {
        return preview;
    }

    /// Takes in the processes of the selected session.
    public void processes(JsonNode now) {
        processes = now;
    }

    /// Shows a line in the last row, until the next key.
    public void say(String text) {
        message = Visible.of(text);
    }

    /// Another session has other contents.
    private void reselect() {
        TopRow one = list.selected();
        String now = one == null ? null : one.name() + one.record().path("started_at").asString("");
        if (!java.util.Objects.equals(now, seen)) {
            seen = now;
            preview = new Preview();
            processes = null;
            mode = mode == Mode.CLOSE ? Mode.LIST : mode;
        }
    }

    // --- keys ---

    /// A person pressed a key.
    public Action press(Key key) {
        message = "";
        Action action = switch (mode) {
            case LIST -> inList(key.label());
            case FILTER -> inFilter(key);
            case CLOSE -> inClose(key.label());
            case HELP -> {
                mode = Mode.LIST;
                yield DRAW;
            }
        };
        reselect();
        return action;
    }

    private Action inList(String key) {
        Target one = selected();
        switch (key) {
            case "up", "k" -> list.move(-1);
            case "down", "j" -> list.move(1);
            case "page-up", "ctrl-b" -> list.move(-page);
            case "page-down", "ctrl-f" -> list.move(page);
            case "home", "g" -> list.move(-list.size());
            case "end", "G" -> list.move(list.size());
            case "/" -> mode = Mode.FILTER;
            case "s" -> list.sort(list.order().next(), false);
            case "r" -> list.sort(list.order(), !list.reversed());
            case "tab" -> panel = panel.next();
            case "p" -> panel = panel == Panel.PROCESSES ? Panel.SCREEN : Panel.PROCESSES;
            case "?", "h" -> mode = Mode.HELP;
            case "escape" -> list.filter("");
            case "x", "c" -> mode = one == null ? mode : Mode.CLOSE;
            case "enter", "a" -> {
                return one == null ? DRAW : new Attach(one, false);
            }
            case "w" -> {
                return one == null ? DRAW : new Attach(one, true);
            }
            case "q", "ctrl-c" -> {
                return new Quit();
            }
            case "ctrl-l" -> {
                return new Repaint();
            }
            default -> say("No key '" + key + "'; ? shows the keys.");
        }
        return DRAW;
    }

    private Action inFilter(Key key) {
        String filter = list.filter();
        switch (key.name()) {
            case Key.TEXT -> list.filter(filter + key.text());
            case "backspace" -> list.filter(
                    filter.isEmpty() ? "" : filter.substring(0, filter.offsetByCodePoints(filter.length(), -1)));
            case "ctrl-u" -> list.filter("");
            case "enter" -> mode = Mode.LIST;
            case "escape", "ctrl-c" -> {
                list.filter("");
                mode = Mode.LIST;
            }
            case "up" -> list.move(-1);
            case "down" -> list.move(1);
            default -> {}
        }
        return DRAW;
    }

    private Action inClose(String key) {
        Target one = selected();
        mode = Mode.LIST;
        if (one == null || !(key.equals("y") || key.equals("Y"))) {
            say("Nothing closed.");
            return DRAW;
        }
        say("Closing " + one.id() + " ...");
        return new Close(one);
    }

    // --- the picture ---

    /// The picture for a terminal of this size.
    public Canvas draw(int cols, int rows, Instant now) {
        TopPicture picture = new TopPicture(new Canvas(cols, rows), coloured, now);
        if (mode == Mode.HELP) {
            return picture.help();
        }
        int listRows = TopPicture.listRows(rows, list.shown().size(), panel != Panel.NOTHING || mode == Mode.CLOSE);
        page = Math.max(1, listRows - 1);
        first = Math.clamp(first, Math.max(0, list.place() - Math.max(listRows, 1) + 1), list.place());
        first = Math.max(0, Math.min(first, list.shown().size() - listRows));
        picture.head(list, server);
        picture.list(list, first, listRows, listed);
        int top = TopPicture.HEAD + listRows;
        TopRow one = list.selected();
        if (one != null && rows - top > 2) {
            boolean tree = wantsProcesses();
            picture.panelHead(top, one, tree ? "processes" : "screen");
            int height = rows - top - 2;
            if (tree) {
                picture.processes(top + 1, height, processes);
            } else if (one.isPipe()) {
                picture.note(top + 1, "This session uses pipes and has no screen.");
            } else {
                preview.draw(picture.canvas(), top + 1, height, coloured);
            }
        }
        picture.foot(foot(one), mode == Mode.CLOSE);
        return picture.canvas();
    }

    private String foot(@Nullable TopRow one) {
        if (mode == Mode.CLOSE && one != null) {
            JsonNode known = processes == null ? MissingNode.getInstance() : processes;
            String count = known.size() == 0
                    ? ""
                    : known.size() == 1
                            ? " and its process"
                            : " and its "
                                    + known.size() + " processes";
            return "Close " + one.id() + count + "? y or n";
        }
        if (mode == Mode.FILTER) {
            return "Filter: " + list.filter() + "▏ enter keeps it, escape clears it";
        }
        if (!message.isEmpty()) {
            return message;
        }
        return list.filter().isEmpty() ? "" : "Filter: " + list.filter() + " (escape clears it)";
    }
}
