package dev.belay.server.wire;

import dev.belay.Approval;
import dev.belay.Closed;
import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.SessionRecord;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.agent.ToolError;
import dev.belay.mcp.Answers;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
    /// By their limits, of which the settings have few. To make one costs more than to read a request.
    private static final Map<ReaderLimits, JsonMapper> READERS = new ConcurrentHashMap<>();

    private record ReaderLimits(int maxDepth, int maxBytes) {}

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

    /// A reader that refuses JSON that is nested deeper, repeats a name, or continues after its end.
    public static JsonMapper reader(int maxDepth, int maxBytes) {
        return READERS.computeIfAbsent(new ReaderLimits(maxDepth, maxBytes), Json::newReader);
    }

    private static JsonMapper newReader(ReaderLimits limits) {
        return JsonMapper.builder(JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(limits.maxDepth())
                        .maxDocumentLength(limits.maxBytes())
                        .maxStringLength(limits.maxBytes())
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
            if (reader.readTree(text(bytes)) instanceof ObjectNode object) {
                return object;
            }
        } catch (CharacterCodingException _) {
            throw new SessionException(ErrorCode.INVALID_REQUEST, "The JSON is not valid UTF-8.");
        } catch (JacksonException e) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "The JSON cannot be read: " + e.getOriginalMessage().lines().findFirst().orElse("not valid"));
        }
        throw new SessionException(ErrorCode.INVALID_REQUEST, "A JSON object is expected here.");
    }

    /// JSON as text. A parser that reads bytes would guess the encoding and let some malformed sequences pass.
    public static String text(byte[] bytes) throws CharacterCodingException {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    }

    /// A session as it is shown everywhere.
    public static ObjectNode of(SessionRecord record) {
        return Answers.of(record);
    }

    /// A question about a program, as it is shown everywhere.
    public static ObjectNode of(Approval approval) {
        return Answers.of(approval);
    }

    /// Adds how a question about a program was closed.
    public static ObjectNode closed(ObjectNode to, Approval approval) {
        String scope = approval.scope() == null ? null : approval.scope().label();
        return to.put("approval", approval.id())
                .put("how", approval.state().label())
                .put("reason", approval.reason() == null ? null : approval.reason().label())
                .put("by", approval.by())
                .put("scope", scope);
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

    /// Adds the result of closing a session.
    public static ObjectNode put(ObjectNode to, Closed closed) {
        return to.put("exit_code", closed.exit().code())
                .put("signal", closed.exit().signal().map(Signal::name).orElse(null))
                .put("ended", closed.ended())
                .put("killed", closed.killed())
                .put("proven", closed.proven());
    }

    /// A refusal: `{code, message, ...details}`.
    public static ObjectNode of(SessionException refusal) {
        return Answers.of(ToolError.of(refusal));
    }
}
