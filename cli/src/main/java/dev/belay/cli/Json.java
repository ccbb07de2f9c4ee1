package dev.belay.cli;

import java.util.List;
import java.util.Map;

/// Writes JSON: maps, lists, strings, whole numbers and booleans. Indented, and in ASCII only, so that no locale between
/// here and the reader can spoil it.
final class Json {
    private final StringBuilder text = new StringBuilder();

    private Json() {}

    static String of(Object value) {
        Json json = new Json();
        json.value(value, 0);
        return json.text.toString();
    }

    private void value(Object value, int depth) {
        switch (value) {
            case Map<?, ?> map -> object(map, depth);
            case List<?> list -> array(list, depth);
            case Boolean truth -> text.append(truth);
            case Integer number -> text.append(number);
            case Long number -> text.append(number);
            default -> string(value.toString());
        }
    }

    private void object(Map<?, ?> map, int depth) {
        text.append('{');
        String separator = "";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            text.append(separator);
            newLine(depth + 1);
            string(entry.getKey().toString());
            text.append(": ");
            value(entry.getValue(), depth + 1);
            separator = ",";
        }
        if (!map.isEmpty()) {
            newLine(depth);
        }
        text.append('}');
    }

    private void array(List<?> list, int depth) {
        text.append('[');
        String separator = "";
        for (Object element : list) {
            text.append(separator);
            value(element, depth);
            separator = ", ";
        }
        text.append(']');
    }

    private void newLine(int depth) {
        text.append('\n').append("  ".repeat(depth));
    }

    private void string(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"', '\\' -> text.append('\\').append(c);
                case '\n' -> text.append("\\n");
                case '\t' -> text.append("\\t");
                default -> {
                    if (c >= ' ' && c < 0x7F) {
                        text.append(c);
                    } else {
                        text.append(String.format("\\u%04x", (int) c));
                    }
                }
            }
        }
        text.append('"');
    }
}
