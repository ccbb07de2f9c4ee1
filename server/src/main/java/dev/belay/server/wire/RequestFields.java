package dev.belay.server.wire;

import dev.belay.ErrorCode;
import dev.belay.Nearest;
import dev.belay.Quoted;
import dev.belay.SessionException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A JSON object that a client sent, read field by field: a field of the wrong kind, or one that nobody asked for, is
/// refused by name.
public final class RequestFields {
    private final ObjectNode json;
    private final Set<String> asked = new TreeSet<>();

    public RequestFields(ObjectNode json) {
        this.json = json;
    }

    /// A JSON object within these limits; nothing at all is an empty object.
    public static RequestFields of(byte[] json, int maxDepth, int maxBytes) {
        return new RequestFields(
                json.length == 0 ? Json.object() : Json.object(Json.reader(maxDepth, maxBytes), json));
    }

    public Optional<String> text(String name) {
        return field(name).map(node -> {
            if (!node.isString()) {
                throw wrong(name, "a string");
            }
            return node.stringValue();
        });
    }

    /// Bytes as they are, or a text as UTF-8.
    public Optional<byte[]> bytes(String name) {
        return field(name).map(node -> {
            if (!node.isString() && !node.isBinary()) {
                throw wrong(name, "a string or binary data");
            }
            return node.isString() ? node.stringValue().getBytes(StandardCharsets.UTF_8) : node.binaryValue();
        });
    }

    public Optional<Boolean> flag(String name) {
        return field(name).map(node -> {
            if (!node.isBoolean()) {
                throw wrong(name, "true or false");
            }
            return node.booleanValue();
        });
    }

    public Optional<Long> number(String name) {
        return field(name).map(node -> {
            if (!node.isIntegralNumber() || !node.canConvertToLong()) {
                throw wrong(name, "a whole number");
            }
            return node.longValue();
        });
    }

    /// A number that is small enough for what it counts; what is larger is out of any range.
    public Optional<Integer> count(String name) {
        return number(name).map(value -> Math.clamp(value, Integer.MIN_VALUE, Integer.MAX_VALUE));
    }

    public Optional<Duration> millis(String name) {
        return number(name).map(value -> {
            if (value < 0 || value > Duration.ofDays(3650).toMillis()) {
                throw wrong(name, "a time in milliseconds");
            }
            return Duration.ofMillis(value);
        });
    }

    public Optional<List<String>> texts(String name) {
        return field(name).map(node -> {
            List<String> texts = new ArrayList<>();
            if (!node.isArray()) {
                throw wrong(name, "a list of strings");
            }
            for (JsonNode item : node) {
                if (!item.isString()) {
                    throw wrong(name, "a list of strings");
                }
                texts.add(item.stringValue());
            }
            return texts;
        });
    }

    public Map<String, String> map(String name) {
        Map<String, String> map = new LinkedHashMap<>();
        field(name).ifPresent(node -> {
            if (!node.isObject()) {
                throw wrong(name, "an object of strings");
            }
            node.properties().forEach(entry -> {
                if (!entry.getValue().isString()) {
                    throw wrong(name, "an object of strings");
                }
                map.put(entry.getKey(), entry.getValue().stringValue());
            });
        });
        return map;
    }

    public Optional<Double> decimal(String name) {
        return field(name).map(node -> {
            if (!node.isNumber()) {
                throw wrong(name, "a number");
            }
            return node.doubleValue();
        });
    }

    /// An object inside of this one.
    public Optional<RequestFields> object(String name) {
        return field(name).map(node -> {
            if (!(node instanceof ObjectNode object)) {
                throw wrong(name, "an object");
            }
            return new RequestFields(object);
        });
    }

    /// Refuses fields that nobody has read: they were meant to do something and would not.
    public void requireNoMore() {
        for (String name : json.propertyNames()) {
            if (!asked.contains(name)) {
                throw new SessionException(
                        ErrorCode.INVALID_REQUEST,
                        "There is no field " + Quoted.of(name) + " here" + Nearest.hint(name, asked));
            }
        }
    }

    private Optional<JsonNode> field(String name) {
        asked.add(name);
        JsonNode node = json.get(name);
        return node == null || node.isNull() ? Optional.empty() : Optional.of(node);
    }

    private static SessionException wrong(String name, String kind) {
        return new SessionException(ErrorCode.INVALID_REQUEST, "The field " + name + " is " + kind + ".");
    }
}
