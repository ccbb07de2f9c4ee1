package dev.belay.cli.view;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/// Sessions as a table for people.
///
/// @param width    how many columns there are; 0 for as many as needed
/// @param coloured whether to colour states
public record SessionTable(int width, boolean coloured) {
    private static final List<String> HEADINGS = List.of("ID", "STATE", "IDLE", "AGE", "OUTPUT", "OWNER", "COMMAND");
    private static final int COMMAND = HEADINGS.size() - 1;
    private static final int STATE = 1;
    private static final int SHORT_ID = 8;

    public String of(Iterable<JsonNode> sessions, Instant now) {
        List<List<String>> rows = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        sessions.forEach(record -> ids.add(record.path("id").asString("")));
        rows.add(HEADINGS);
        sessions.forEach(record -> rows.add(List.of(
                shortened(record.path("id").asString(""), ids),
                Words.state(record),
                Words.since(record.path("last_activity_at"), now),
                Words.since(record.path("started_at"), now),
                Words.bytes((double) record.path("output_end").asLong(0)),
                record.path("owner").asString(""),
                Words.command(record))));
        int[] widths = new int[HEADINGS.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            text.append(line(row, widths)).append('\n');
        }
        return text.toString();
    }

    private String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        int used = 0;
        for (int i = 0; i < COMMAND; i++) {
            String cell = row.get(i);
            String padded = cell + " ".repeat(widths[i] - cell.length() + 2);
            line.append(i == STATE && coloured && !cell.equals(HEADINGS.get(STATE)) ? colour(cell, padded) : padded);
            used += padded.length();
        }
        String command = row.get(COMMAND);
        return line + (width == 0 ? command : Words.cut(command, Math.max(width - used, 10)));
    }

    private static String colour(String state, String text) {
        return switch (state) {
            case "running" -> "\033[32m" + text + "\033[m";
            case "waits" -> "\033[33m" + text + "\033[m";
            case "exit 0" -> text;
            default -> "\033[31m" + text + "\033[m";
        };
    }

    /// A generated id is a UUID: the first eight characters say which, unless several begin so.
    static String shortened(String id, List<String> all) {
        if (id.length() != 36 || id.charAt(SHORT_ID) != '-') {
            return id;
        }
        String first = id.substring(0, SHORT_ID);
        return all.stream().filter(other -> other.startsWith(first)).count() == 1 ? first : id;
    }
}
