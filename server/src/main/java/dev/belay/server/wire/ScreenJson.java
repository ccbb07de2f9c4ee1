package dev.belay.server.wire;

import dev.belay.Session;
import dev.belay.screen.Cursor;
import dev.belay.screen.Row;
import dev.belay.screen.Snapshot;
import dev.belay.screen.Span;
import dev.belay.screen.Style;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Screens as JSON.
public final class ScreenJson {
    private ScreenJson() {}

    /// A screen with the rows that have changed since an offset; empty: with all of them, and as one text.
    ///
    /// @param spans whether rows include the styles of their parts
    public static ObjectNode of(Snapshot snapshot, OptionalLong since, boolean spans) {
        ObjectNode json = put(Json.object(), snapshot);
        if (since.isEmpty()) {
            json.put("text", snapshot.text());
        }
        ArrayNode lines = json.putArray("lines");
        long after = since.orElse(-1);
        List<Row> history = snapshot.history();
        for (int i = 0; i < history.size(); i++) {
            add(lines, history.get(i), i - history.size(), after, spans);
        }
        for (int i = 0; i < snapshot.rows().size(); i++) {
            add(lines, snapshot.rows().get(i), i, after, spans);
        }
        return json;
    }

    /// A session's screen for dashboards: the numbers of all rows, and some of the rows with their styles.
    public static ObjectNode of(Session session, Snapshot snapshot, List<Row> rows) {
        ObjectNode json = Json.object().put("id", session.id()).put("owner", session.spec().owner());
        put(json, snapshot);
        ArrayNode numbers = json.putArray("numbers");
        snapshot.rows().forEach(row -> numbers.add(row.number()));
        ArrayNode lines = json.putArray("lines");
        for (Row row : rows) {
            add(lines, row, snapshot.rows().indexOf(row), -1, true);
        }
        return json;
    }

    private static ObjectNode put(ObjectNode json, Snapshot snapshot) {
        Cursor cursor = snapshot.cursor();
        return json.put("offset", snapshot.offset())
                .put("cols", snapshot.cols())
                .put("rows", snapshot.rows().size())
                .put("title", snapshot.title())
                .put("alternate", snapshot.alternate())
                .set("cursor", Json.object()
                        .put("row", cursor.row())
                        .put("column", cursor.column())
                        .put("visible", cursor.visible())
                        .put("shape", label(cursor.shape()))
                        .put("blinks", cursor.blinks()));
    }

    private static void add(ArrayNode lines, Row row, int place, long after, boolean spans) {
        if (row.changed() <= after) {
            return;
        }
        ObjectNode line = lines.addObject()
                .put("row", place)
                .put("number", row.number())
                .put("text", row.text())
                .put("wrapped", row.wrapped())
                .put("began", row.began())
                .put("changed", row.changed())
                .put("certain", row.certain());
        if (spans) {
            ArrayNode parts = line.putArray("spans");
            row.spans().forEach(span -> parts.add(of(span)));
        }
    }

    private static ObjectNode of(Span span) {
        Style style = span.style();
        ObjectNode json = Json.object().put("from", span.from()).put("to", span.to());
        colour(json, "foreground", style.foreground());
        colour(json, "background", style.background());
        colour(json, "underline_colour", style.underlineColour());
        if (style.underline() != Style.Underline.NONE) {
            json.put("underline", label(style.underline()));
        }
        flag(json, "bold", style.bold());
        flag(json, "dim", style.dim());
        flag(json, "italic", style.italic());
        flag(json, "blink", style.blink());
        flag(json, "inverse", style.inverse());
        flag(json, "invisible", style.invisible());
        flag(json, "struck", style.struck());
        flag(json, "overline", style.overline());
        style.link().ifPresent(link -> json.put("link", link));
        return json;
    }

    /// A palette index, or `#rrggbb`; none for the terminal's own.
    private static void colour(ObjectNode json, String name, int colour) {
        if ((colour & Style.RGB) != 0 && colour != Style.DEFAULT) {
            json.put(name, String.format("#%06x", colour & 0xff_ffff));
        } else if (colour != Style.DEFAULT) {
            json.put(name, colour);
        }
    }

    private static void flag(ObjectNode json, String name, boolean on) {
        if (on) {
            json.put(name, true);
        }
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
