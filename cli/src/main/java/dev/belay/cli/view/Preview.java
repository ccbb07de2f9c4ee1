package dev.belay.cli.view;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// The screen of a session as the server last sent it: rows by their numbers, of which only changed ones are sent.
///
/// For one thread.
public final class Preview {
    private final Map<Long, JsonNode> lines = new HashMap<>();
    private List<Long> numbers = List.of();
    private JsonNode facts = tools.jackson.databind.node.MissingNode.getInstance();

    /// The offset that it shows; 0 before there is anything.
    public long offset() {
        return facts.path("offset").asLong(0);
    }

    /// Takes in the session's screen of an answer of `/api/screens`.
    public void update(JsonNode screen) {
        facts = screen;
        List<Long> order = new ArrayList<>();
        screen.path("numbers").forEach(number -> order.add(number.asLong()));
        screen.path("lines").forEach(line -> lines.put(line.path("number").asLong(), line));
        lines.keySet().retainAll(order);
        numbers = order;
    }

    /// Draws as many rows as fit: those around the cursor, or the last ones that are not empty.
    void draw(Canvas canvas, int top, int height, boolean coloured) {
        int last = Math.max(lastUsed(), facts.path("cursor").path("row").asInt(0));
        int first = Math.max(0, Math.min(last - height + 1, numbers.size() - height));
        for (int i = 0; i < height && first + i < numbers.size(); i++) {
            JsonNode line = lines.get(numbers.get(first + i));
            if (line != null) {
                draw(canvas, top + i, line, coloured);
            }
        }
    }

    private int lastUsed() {
        for (int i = numbers.size() - 1; i >= 0; i--) {
            JsonNode line = lines.get(numbers.get(i));
            if (line != null && !line.path("text").asString("").isBlank()) {
                return i;
            }
        }
        return 0;
    }

    private static void draw(Canvas canvas, int row, JsonNode line, boolean coloured) {
        String text = line.path("text").asString("");
        int col = 0;
        int done = 0;
        for (JsonNode span : line.path("spans")) {
            int from = Math.clamp(span.path("from").asInt(0), done, text.length());
            int to = Math.clamp(span.path("to").asInt(0), from, text.length());
            col = canvas.put(row, col, text.substring(done, from), Canvas.PLAIN);
            col = canvas.put(row, col, text.substring(from, to), sgr(span, coloured));
            done = to;
        }
        canvas.put(row, col, text.substring(done), Canvas.PLAIN);
    }

    private static String sgr(JsonNode span, boolean coloured) {
        List<String> codes = new ArrayList<>();
        add(codes, "1", span, "bold");
        add(codes, "2", span, "dim");
        add(codes, "3", span, "italic");
        add(codes, "4", span, "underline");
        add(codes, "7", span, "inverse");
        add(codes, "8", span, "invisible");
        add(codes, "9", span, "struck");
        if (coloured) {
            colour(codes, 38, span.get("foreground"));
            colour(codes, 48, span.get("background"));
        }
        return String.join(";", codes);
    }

    private static void add(List<String> codes, String code, JsonNode span, String flag) {
        if (span.has(flag)) {
            codes.add(code);
        }
    }

    private static void colour(List<String> codes, int kind, @Nullable JsonNode colour) {
        if (colour == null) {
            return;
        }
        if (colour.isNumber()) {
            codes.add(kind + ";5;" + Math.clamp(colour.asInt(), 0, 255));
            return;
        }
        String hex = colour.asString("");
        if (hex.matches("#[0-9a-f]{6}")) {
            int rgb = Integer.parseInt(hex.substring(1), 16);
            codes.add(kind + ";2;" + (rgb >> 16) + ";" + ((rgb >> 8) & 0xff) + ";" + (rgb & 0xff));
        }
    }
}
