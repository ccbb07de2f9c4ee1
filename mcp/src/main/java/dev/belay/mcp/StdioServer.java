package dev.belay.mcp;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Carries messages to a [Peer] and back over two streams, one message a line.
public final class StdioServer {
    private final InputStream in;
    private final OutputStream out;
    private final JsonMapper json = JsonMapper.shared();

    public StdioServer(InputStream in, OutputStream out) {
        this.in = new BufferedInputStream(in, 64 << 10);
        this.out = out;
    }

    /// Serves until the client closes its end of either stream. A client that takes no answers is noticed at the next
    /// line that it sends. It then has 5 seconds to take the remaining answers.
    public void run(Peer peer) throws IOException {
        try (Outbox outbox = new Outbox(out); peer) {
            Consumer<JsonNode> replies = message -> outbox.send(bytes(message));
            for (byte[] line = line(); line != null && !outbox.broken(); line = line()) {
                if (line.length > Conversation.MAX_MESSAGE_BYTES) {
                    replies.accept(tooLong());
                } else if (!isBlank(line)) {
                    receive(peer, line, replies);
                }
            }
        }
    }

    private byte[] bytes(JsonNode message) {
        return (json.writeValueAsString(message) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private void receive(Peer peer, byte[] line, Consumer<JsonNode> replies) {
        JsonNode message;
        try {
            message = json.readTree(
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString());
        } catch (CharacterCodingException _) {
            replies.accept(Conversation.notUtf8());
            return;
        } catch (JacksonException e) {
            replies.accept(Conversation.unreadable(e));
            return;
        }
        peer.receive(message, replies);
    }

    private JsonNode tooLong() {
        return json.readTree("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":"
                + "\"A message may have at most " + Conversation.MAX_MESSAGE_BYTES
                + " bytes; send input in parts.\"}}");
    }

    /// The next line without its end; null at the end. Of one that is too long only as much is kept as shows that.
    private byte @Nullable [] line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(512);
        int b = in.read();
        if (b < 0) {
            return null;
        }
        for (; b >= 0 && b != '\n'; b = in.read()) {
            if (line.size() <= Conversation.MAX_MESSAGE_BYTES) {
                line.write(b);
            }
        }
        return line.toByteArray();
    }

    private static boolean isBlank(byte[] line) {
        for (byte b : line) {
            if (b != ' ' && b != '\t' && b != '\r') {
                return false;
            }
        }
        return true;
    }
}
