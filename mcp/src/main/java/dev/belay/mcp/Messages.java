package dev.belay.mcp;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Messages of JSON-RPC.
final class Messages {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private Messages() {}

    static ObjectNode notification(String method, @Nullable ObjectNode params) {
        ObjectNode node = NODES.objectNode().put("jsonrpc", "2.0").put("method", method);
        if (params != null) {
            node.set("params", params);
        }
        return node;
    }

    static ObjectNode result(JsonNode id, JsonNode result) {
        ObjectNode node = NODES.objectNode().put("jsonrpc", "2.0");
        node.set("id", id);
        node.set("result", result);
        return node;
    }

    static ObjectNode error(@Nullable JsonNode id, ProtocolException e) {
        ObjectNode node = NODES.objectNode().put("jsonrpc", "2.0");
        node.set("id", id == null ? NODES.nullNode() : id);
        ObjectNode error = node.putObject("error").put("code", e.code()).put("message", e.getMessage());
        if (e.data() != null) {
            error.set("data", e.data());
        }
        return node;
    }

    /// The parameters of a message, if it has some.
    static @Nullable JsonNode params(JsonNode message) {
        JsonNode params = message.get("params");
        if (params != null && !params.isObject() && !params.isNull()) {
            throw ProtocolException.invalidParams("params must be an object.");
        }
        return params == null || params.isNull() ? null : params;
    }

    static @Nullable String string(@Nullable JsonNode node) {
        return node != null && node.isString() ? node.stringValue() : null;
    }
}
