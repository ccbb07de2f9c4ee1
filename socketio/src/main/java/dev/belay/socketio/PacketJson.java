package dev.belay.socketio;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.Base64Variant;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonGeneratorDelegate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Reads and writes the JSON part of Socket.IO packets. Each binary value becomes a placeholder and an attachment.
final class PacketJson {
    private static final JsonMapper MAPPER = JsonMapper
            .builder(JsonFactory.builder()
                    // Clients choose the property names and could fill a table of them.
                    .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES).build())
            .build();

    private PacketJson() {}

    static JsonNode read(String json) {
        return MAPPER.readTree(json);
    }

    /// Writes a value as JSON.
    ///
    /// @return the binary values, not copied, in the order of their placeholders
    static List<ByteBuffer> write(Object value, OutputStream to) {
        Extractor extractor = new Extractor(MAPPER.createGenerator(to));
        try (extractor) {
            MAPPER.writeValue(extractor, value);
        }
        return extractor.attachments;
    }

    /// Writes a placeholder for each binary value in a record, map, list or JSON node.
    private static final class Extractor extends JsonGeneratorDelegate {
        private final List<ByteBuffer> attachments = new ArrayList<>();

        Extractor(JsonGenerator generator) {
            super(generator, false);
        }

        private void placeholder(ByteBuffer bytes) {
            delegate.writeStartObject();
            delegate.writeBooleanProperty("_placeholder", true);
            delegate.writeNumberProperty("num", attachments.size());
            delegate.writeEndObject();
            attachments.add(bytes);
        }

        @Override
        public JsonGenerator writeBinary(Base64Variant variant, byte[] data, int offset, int length) {
            placeholder(ByteBuffer.wrap(data, offset, length));
            return this;
        }

        // Called for buffers without an array.
        @Override
        public int writeBinary(Base64Variant variant, InputStream data, int length) {
            try {
                byte[] bytes = data.readAllBytes();
                placeholder(ByteBuffer.wrap(bytes));
                return bytes.length;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
