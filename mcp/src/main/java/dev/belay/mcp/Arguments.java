package dev.belay.mcp;

import dev.belay.Quoted;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// The arguments of a call, read by name and type. What is of a wrong type or has a name that nobody asked for is an
/// error of the protocol: a client that sends it did not read the schema.
final class Arguments {
    private final String where;
    private final @Nullable JsonNode node;
    private final Set<String> asked = new HashSet<>();

    Arguments(String where, @Nullable JsonNode node) {
        this.where = where;
        this.node = node;
        if (node != null && !node.isObject() && !node.isNull()) {
            throw ProtocolException.invalidParams(where + " has to be an object.");
        }
    }

    private @Nullable JsonNode value(String name) {
        asked.add(name);
        JsonNode value = node == null ? null : node.get(name);
        return value == null || value.isNull() ? null : value;
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
            throw ProtocolException.invalidParams(where + " needs " + name + ".");
        }
        return value;
    }

    boolean flag(String name, boolean fallback) {
        JsonNode value = value(name);
        if (value != null && !value.isBoolean()) {
            throw wrong(name, "true or false");
        }
        return value == null ? fallback : value.booleanValue();
    }

    @Nullable Integer integer(String name) {
        JsonNode value = value(name);
        if (value != null && !(value.isIntegralNumber() && value.canConvertToInt())) {
            throw wrong(name, "a whole number of at most 2147483647");
        }
        return value == null ? null : value.intValue();
    }

    int integer(String name, int fallback) {
        Integer value = integer(name);
        return value == null ? fallback : value;
    }

    @Nullable Long offset(String name) {
        JsonNode value = value(name);
        if (value != null && !(value.isIntegralNumber() && value.canConvertToLong())) {
            throw wrong(name, "a whole number");
        }
        return value == null ? null : value.longValue();
    }

    List<String> strings(String name) {
        JsonNode value = value(name);
        List<String> all = new ArrayList<>();
        if (value != null) {
            if (!value.isArray()) {
                throw wrong(name, "a list of strings");
            }
            for (JsonNode one : value) {
                if (!one.isString()) {
                    throw wrong(name, "a list of strings");
                }
                all.add(one.stringValue());
            }
        }
        return all;
    }

    Map<String, String> stringMap(String name) {
        JsonNode value = value(name);
        Map<String, String> all = new LinkedHashMap<>();
        if (value != null) {
            if (!value.isObject()) {
                throw wrong(name, "an object of strings");
            }
            for (Map.Entry<String, JsonNode> entry : value.properties()) {
                if (!entry.getValue().isString()) {
                    throw wrong(name, "an object of strings");
                }
                all.put(entry.getKey(), entry.getValue().stringValue());
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
            if (!asked.contains(entry.getKey())) {
                throw ProtocolException.invalidParams(where + " has no argument " + Quoted.of(entry.getKey())
                        + "; it has " + String.join(", ", asked.stream().sorted().toList()) + ".");
            }
        }
    }

    private ProtocolException wrong(String name, String expected) {
        return ProtocolException.invalidParams(where + ": " + name + " has to be " + expected + ".");
    }
}
