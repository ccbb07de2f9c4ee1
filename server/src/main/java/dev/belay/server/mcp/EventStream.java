package dev.belay.server.mcp;

import dev.belay.server.wire.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import tools.jackson.databind.JsonNode;

/// A response that is a stream of events, one message each. Blocks until the connection has taken what is sent; used by
/// one thread at a time.
final class EventStream {
    private static final byte[] DATA = "event: message\ndata: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END = "\n\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.US_ASCII);

    private final Response response;

    EventStream(Response response) throws IOException {
        this.response = response;
        response.setStatus(200);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        // A proxy that collects what it passes on would hold back single messages.
        response.getHeaders().put("X-Accel-Buffering", "no");
        // The headers go out now: the client waits for them.
        write(new byte[0]);
    }

    void send(JsonNode message) throws IOException {
        byte[] json = Json.bytes(message);
        ByteBuffer event = ByteBuffer.allocate(DATA.length + json.length + END.length);
        write(event.put(DATA).put(json).put(END).array());
    }

    /// Says nothing, so that both sides notice whether the other is still there.
    void keepAlive() throws IOException {
        write(COMMENT);
    }

    private void write(byte[] bytes) throws IOException {
        Content.Sink.write(response, false, ByteBuffer.wrap(bytes));
    }

    void end(Callback callback) {
        response.write(true, BufferUtil.EMPTY_BUFFER, callback);
    }
}
