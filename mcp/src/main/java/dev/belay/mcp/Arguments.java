package dev.belay.mcp;

import dev.belay.Nearest;
import dev.belay.Quoted;
import dev.belay.SessionException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The arguments of a tool, read by name and type.
///
/// Models write numbers and flags as text, and objects as JSON in text: what can be meant in one way only is
/// understood. Everything else is refused with the reason, so that the model can correct itself.
final class Arguments {
    private static final int MAX_DIGITS = 18;

    private final String where;
    private final @Nullable JsonNode node;
    private final Set<String> asked = new HashSet<>();

    Arguments(String where, @Nullable JsonNode node) {
        this.where = where;
        this.node = node == null || node.isNull() ? null : unpacked(node);
        if (this.node != null && !this.node.isObject()) {
            throw SessionException.invalid(where + " must be an object.");
        }
    }

    private @Nullable JsonNode value(String name) {
        asked.add(name);
        JsonNode value = node == null ? null : node.get(name);
        return value == null || value.isNull() ? null : value;
    }

    /// A list or an object, also if it came as JSON in a string.
    private static JsonNode unpacked(JsonNode value) {
        String text = value.isString() ? value.stringValue().strip() : "";
        if (!text.startsWith("{") && !text.startsWith("[")) {
            return value;
        }
        try {
            return JsonMapper.shared().readTree(text);
        } catch (JacksonException _) {
            return value;
        }
    }

    @Nullable String string(String name) {
        JsonNode value = value(name);
        if (value != null && !value.isString()) {
            throw wrong(name, "a string");
        }
        return value == null ? null : value.stringValue();
    }

    String string(String name, String fallback) {
        String value = string(name);
        return value == null ? fallback : value;
    }

    String requiredString(String name) {
        String value = string(name);
        if (value == null) {
            throw SessionException.invalid(where + " needs " + name + insteadOf(name));
        }
        return value;
    }

    boolean flag(String name, boolean fallback) {
        JsonNode value = value(name);
        if (value == null) {
            return fallback;
        }
        return switch (value.isBoolean() || value.isString() ? value.asString() : "") {
            case "true" -> true;
            case "false" -> false;
            default -> throw wrong(name, "true or false");
        };
    }

    @Nullable Integer integer(String name) {
        Long value = offset(name);
        if (value != null && (value > Integer.MAX_VALUE || value < Integer.MIN_VALUE)) {
            throw wrong(name, "a whole number of at most " + Integer.MAX_VALUE);
        }
        return value == null ? null : (Integer) value.intValue();
    }

    int integer(String name, int fallback) {
        Integer value = integer(name);
        return value == null ? fallback : value;
    }

    @Nullable Long offset(String name) {
        JsonNode value = value(name);
        if (value == null) {
            return null;
        }
        if (value.isIntegralNumber() && value.canConvertToLong()) {
            return value.longValue();
        }
        if (value.isNumber() && value.doubleValue() == Math.rint(value.doubleValue())
                && Math.abs(value.doubleValue()) < 1L << 53) {
            return (long) value.doubleValue();
        }
        String text = value.isString() ? value.stringValue().strip() : "";
        if (!text.matches("-?\\d{1," + MAX_DIGITS + "}")) {
            throw wrong(name, "a whole number");
        }
        return Long.valueOf(text);
    }

    /// A list; one string is a list of one.
    List<String> strings(String name) {
        JsonNode value = value(name);
        if (value == null) {
            return List.of();
        }
        JsonNode list = unpacked(value);
        List<String> all = new ArrayList<>();
        for (JsonNode one : list.isArray() ? list : List.of(value)) {
            if (!one.isString()) {
                throw wrong(name, "a list of strings");
            }
            all.add(one.stringValue());
        }
        return all;
    }

    Map<String, String> stringMap(String name) {
        JsonNode value = value(name);
        Map<String, String> all = new LinkedHashMap<>();
        if (value != null) {
            JsonNode map = unpacked(value);
            if (!map.isObject()) {
                throw wrong(name, "an object of strings");
            }
            for (Map.Entry<String, JsonNode> entry : map.properties()) {
                if (entry.getValue().isContainer() || entry.getValue().isNull()) {
                    throw wrong(name, "an object of strings");
                }
                all.put(entry.getKey(), entry.getValue().asString());
            }
        }
        return all;
    }

    @Nullable Arguments object(String name) {
        JsonNode value = value(name);
        return value == null ? null : new Arguments(where + "." + name, value);
    }

    /// Everything has been asked for that there may be.
    void done() {
        if (node == null) {
            return;
        }
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            String name = entry.getKey();
            if (!asked.contains(name)) {
                throw SessionException.invalid(where + " has no argument " + Quoted.of(name)
                        + OtherNames.meant(name, asked)
                                .map(one -> "; did you mean " + one + "?")
                                .orElseGet(() -> Nearest.hint(name, asked)));
            }
        }
    }

    /// The name that was given in place of a missing one.
    private String insteadOf(String missing) {
        return node == null
                ? "."
                : node.properties().stream()
                        .map(Map.Entry::getKey)
                        .filter(name -> OtherNames.meant(name, Set.of(missing)).isPresent())
                        .findFirst()
                        .map(name -> ", and has no argument " + Quoted.of(name) + "; did you mean " + missing + "?")
                        .orElse(".");
    }

    private SessionException wrong(String name, String expected) {
        return SessionException.invalid(where + ": " + name + " must be " + expected + ".");
    }
}
