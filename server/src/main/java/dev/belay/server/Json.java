package dev.belay.server;

import dev.belay.Closed;
import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.SessionRecord;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.mcp.Answers;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// JSON as every front door speaks it: the record of a session, an error, and reading within bounds.
public final class Json {
    private static final JsonMapper WRITER = new JsonMapper();

    private Json() {}

    public static ObjectNode object() {
        return WRITER.createObjectNode();
    }

    public static ArrayNode array() {
        return WRITER.createArrayNode();
    }

    public static byte[] bytes(JsonNode node) {
        return WRITER.writeValueAsBytes(node);
    }

    /// A reader that refuses what is nested deeper, repeats a name, or goes on after its end.
    public static JsonMapper reader(int maxDepth, int maxBytes) {
        return JsonMapper.builder(JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(maxDepth)
                        .maxDocumentLength(maxBytes)
                        .maxStringLength(maxBytes)
                        .maxNameLength(1000)
                        .maxNumberLength(100)
                        .build())
                .enable(tools.jackson.core.StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .build())
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build();
    }

    /// Reads one object.
    public static ObjectNode object(JsonMapper reader, byte[] bytes) {
        try {
            if (reader.readTree(bytes) instanceof ObjectNode object) {
                return object;
            }
        } catch (JacksonException e) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "The JSON cannot be read: " + e.getOriginalMessage().lines().findFirst().orElse("not valid"));
        }
        throw new SessionException(ErrorCode.INVALID_REQUEST, "A JSON object is expected here.");
    }

    /// A session as it is shown everywhere.
    public static ObjectNode of(SessionRecord record) {
        return Answers.of(record);
    }

    /// Adds where the view of a session begins, as the first message to a viewer says it.
    ///
    /// @param size the terminal's size there; null for pipes
    public static ObjectNode putView(
            ObjectNode to, SessionRecord record, long from, String mode, @Nullable Size size) {
        return to.put("from", from)
                .put("mode", mode)
                .put("cols", size == null ? null : size.cols())
                .put("rows", size == null ? null : size.rows())
                .set("session", of(record));
    }

    /// Adds what closing a session found.
    public static ObjectNode put(ObjectNode to, Closed closed) {
        return to.put("exit_code", closed.exit().code())
                .put("signal", closed.exit().signal().map(Signal::name).orElse(null))
                .put("killed", closed.killed());
    }

    /// A refusal: `{code, message, ...details}`. Details that are whole numbers are written as numbers.
    public static ObjectNode of(SessionException refusal) {
        ObjectNode json = object().put("code", refusal.code().name()).put("message", refusal.getMessage());
        refusal.details().forEach((name, value) -> {
            if (value.matches("\\d{1,18}")) {
                json.put(name, Long.parseLong(value));
            } else {
                json.put(name, value);
            }
        });
        return json;
    }
}
