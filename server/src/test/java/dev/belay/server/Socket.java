package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A viewer over WebSocket, by the JDK's client.
final class Socket implements AutoCloseable, WebSocket.Listener {
    /// A message of the server.
    record Message(int kind, ByteBuffer body) {
        String text() {
            return StandardCharsets.UTF_8.decode(body.duplicate()).toString();
        }

        JsonNode json() {
            return new JsonMapper().readTree(text());
        }
    }

    final LinkedBlockingQueue<Message> messages = new LinkedBlockingQueue<>();
    final CompletableFuture<Integer> closed = new CompletableFuture<>();
    final CompletableFuture<String> closeReason = new CompletableFuture<>();
    private final ByteArrayOutputStream partial = new ByteArrayOutputStream();
    private WebSocket socket;

    static Socket attach(HttpClient http, String address, @Nullable String token, String id, String query)
            throws Exception {
        return connect(http, address, token, "api/sessions/" + id + "/attach" + query);
    }

    static Socket connect(HttpClient http, String address, @Nullable String token, String path) throws Exception {
        Socket viewer = new Socket();
        WebSocket.Builder builder = http.newWebSocketBuilder();
        if (token != null) {
            builder.header("Authorization", "Bearer " + token);
        }
        URI uri = URI.create(address.replaceFirst("http", "ws") + path);
        viewer.socket = builder.buildAsync(uri, viewer).get(60, TimeUnit.SECONDS);
        return viewer;
    }

    @Override
    public synchronized CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        partial.writeBytes(bytes);
        if (last) {
            ByteBuffer whole = ByteBuffer.wrap(partial.toByteArray());
            partial.reset();
            messages.add(new Message(whole.get(), whole.slice()));
        }
        from.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        closed.complete(code);
        closeReason.complete(reason);
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        closed.completeExceptionally(error);
    }

    Message next() throws InterruptedException {
        Message message = messages.poll(60, TimeUnit.SECONDS);
        assertThat(message).as("a message").isNotNull();
        return message;
    }

    /// The next message of a kind; others are skipped.
    Message next(int kind) throws InterruptedException {
        Message message = next();
        while (message.kind() != kind) {
            message = next();
        }
        return message;
    }

    /// Reads output until a text stands in it, and gives all there was.
    String until(String text) throws InterruptedException {
        StringBuilder all = new StringBuilder();
        while (all.indexOf(text) < 0) {
            ByteBuffer body = next(1).body().duplicate();
            body.getLong();
            all.append(StandardCharsets.UTF_8.decode(body));
        }
        return all.toString();
    }

    void send(int kind, byte[] body) throws Exception {
        ByteBuffer message = ByteBuffer.allocate(1 + body.length).put((byte) kind).put(body).flip();
        socket.sendBinary(message, true).get(60, TimeUnit.SECONDS);
    }

    void type(String text) throws Exception {
        send(0x10, text.getBytes(StandardCharsets.UTF_8));
    }

    void open(String json) throws Exception {
        send(0x18, json.getBytes(StandardCharsets.UTF_8));
    }

    void ack(long offset) throws Exception {
        send(0x12, ByteBuffer.allocate(8).putLong(offset).array());
    }

    void resize(int cols, int rows) throws Exception {
        send(0x13, ByteBuffer.allocate(4).putShort((short) cols).putShort((short) rows).array());
    }

    int closeCode() throws Exception {
        return closed.get(60, TimeUnit.SECONDS);
    }

    WebSocket raw() {
        return socket;
    }

    @Override
    public void close() {
        socket.abort();
    }
}
