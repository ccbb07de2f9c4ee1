package dev.belay.cli;

import dev.belay.Size;
import dev.belay.server.wire.Json;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// One connection to a session: messages of docs/protocol.md as calls.
///
/// Messages arrive on one thread at a time; the next is asked for when the last one was dealt with, so a slow terminal
/// slows down the server's sending and nothing piles up. Any thread may send.
final class AttachLink implements WebSocket.Listener {
    private static final int MAX_DEPTH = 32;
    private static final int MAX_JSON = 1 << 20;
    private static final JsonMapper READER = Json.reader(MAX_DEPTH, MAX_JSON);
    private static final int NO_CLOSE_CODE = 1006;

    /// Hears what the server sends; what it does not care about, it leaves out.
    interface Heard {
        default void attached(ObjectNode facts) {}

        default void output(long offset, ByteBuffer bytes) {}

        default void gap(long offset, long lost, String reason) {}

        default void screen(long offset, int cols, int rows, ByteBuffer bytes) {}

        default void keyboard(String holder) {}

        default void exit(int code) {}

        default void refused(String code, String message) {}

        default void taken(String inputId, int bytes) {}
    }

    private final Heard heard;
    private final ByteArrayOutputStream whole = new ByteArrayOutputStream();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicLong lastSign = new AtomicLong(System.nanoTime());
    private volatile int closeCode = NO_CLOSE_CODE;
    private volatile String closeReason = "";
    private @Nullable WebSocket socket;
    /// The last thing sent: a WebSocket takes one message at a time.
    private CompletableFuture<?> sent = CompletableFuture.completedFuture(null);

    private AttachLink(Heard heard) {
        this.heard = heard;
    }

    /// Connects to a session.
    ///
    /// @param path of its `attach`, or `api/attach` to [open][#open] one, on the client's server
    static AttachLink open(HttpClient http, RestClient client, String path, Duration timeout, Heard heard) {
        AttachLink link = new AttachLink(heard);
        link.socket = http.newWebSocketBuilder()
                .header("Authorization", "Bearer " + client.token())
                .connectTimeout(timeout)
                .buildAsync(client.server().webSocketAt(path), link)
                .join();
        return link;
    }

    @Override
    public void onOpen(WebSocket opened) {
        opened.request(1);
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer part, boolean last) {
        lastSign.set(System.nanoTime());
        byte[] bytes = new byte[part.remaining()];
        part.get(bytes);
        whole.writeBytes(bytes);
        if (last) {
            ByteBuffer message = ByteBuffer.wrap(whole.toByteArray());
            whole.reset();
            tell(message);
        }
        from.request(1);
        return null;
    }

    private void tell(ByteBuffer message) {
        switch (message.get()) {
            case 0x00 -> heard.attached(json(message));
            case 0x01 -> heard.output(message.getLong(), message);
            case 0x02 -> heard.gap(message.getLong(), message.getLong(), text(message));
            case 0x04 -> {
                message.get();
                heard.keyboard(text(message));
            }
            case 0x05 -> {
                message.getLong();
                heard.exit(message.getInt());
            }
            case 0x06 -> {
                JsonNode error = json(message).path("error");
                heard.refused(error.path("code").asString(""), error.path("message").asString(""));
            }
            case 0x07 -> {
                int bytes = message.getInt();
                heard.taken(text(message), bytes);
            }
            case 0x08 -> {
                long offset = message.getLong();
                int cols = message.getShort() & 0xFFFF;
                int rows = message.getShort() & 0xFFFF;
                message.get();
                heard.screen(offset, cols, rows, message);
            }
            default -> {
                // A kind that a newer server has; nothing that this client needs.
            }
        }
    }

    private static ObjectNode json(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        return Json.object(READER, bytes);
    }

    private static String text(ByteBuffer message) {
        return StandardCharsets.UTF_8.decode(message).toString();
    }

    @Override
    public @Nullable CompletionStage<?> onPong(WebSocket from, ByteBuffer payload) {
        lastSign.set(System.nanoTime());
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onPing(WebSocket from, ByteBuffer payload) {
        lastSign.set(System.nanoTime());
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        closeCode = code;
        closeReason = reason;
        closed.countDown();
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        closed.countDown();
    }

    /// Returns when the connection has ended, or after the time.
    ///
    /// @return whether it has ended
    boolean awaitClose(Duration time) throws InterruptedException {
        return closed.await(time.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS);
    }

    int closeCode() {
        return closeCode;
    }

    String closeReason() {
        return closeReason;
    }

    long silentNanos() {
        return System.nanoTime() - lastSign.get();
    }

    // --- sending ---

    /// Opens a session on a connection that has none.
    void open(ObjectNode spec) {
        byte[] json = Json.bytes(spec);
        send(ByteBuffer.allocate(1 + json.length).put((byte) 0x18).put(json));
    }

    void input(String id, byte[] bytes) {
        byte[] name = id.getBytes(StandardCharsets.UTF_8);
        send(ByteBuffer.allocate(2 + name.length + bytes.length)
                .put((byte) 0x11)
                .put((byte) name.length)
                .put(name)
                .put(bytes));
    }

    void ack(long offset) {
        send(ByteBuffer.allocate(9).put((byte) 0x12).putLong(offset));
    }

    void resize(Size size) {
        send(ByteBuffer.allocate(5).put((byte) 0x13).putShort((short) size.cols()).putShort((short) size.rows()));
    }

    void signal(String name) {
        send(ByteBuffer.allocate(1 + name.length()).put((byte) 0x14).put(name.getBytes(StandardCharsets.US_ASCII)));
    }

    /// @param action 0 gives the keyboard back, 1 takes it, 2 takes it privately
    void keyboard(int action) {
        send(ByteBuffer.allocate(2).put((byte) 0x15).put((byte) action));
    }

    private void send(ByteBuffer message) {
        message.flip();
        queue(one -> one.sendBinary(message, true));
    }

    void ping() {
        queue(one -> one.sendPing(ByteBuffer.allocate(0)));
    }

    /// Leaves in an orderly way, after everything that was sent before.
    void close() {
        queue(one -> one.sendClose(WebSocket.NORMAL_CLOSURE, "detached"));
    }

    /// Ends the connection at once.
    void abort() {
        WebSocket one = socket;
        if (one != null) {
            one.abort();
        }
        closed.countDown();
    }

    private synchronized void queue(java.util.function.Function<WebSocket, CompletableFuture<WebSocket>> sending) {
        WebSocket one = socket;
        if (one == null) {
            return;
        }
        // What fails to be sent ends the connection, which awaitClose() reports.
        sent = sent.exceptionally(_ -> null).thenCompose(_ -> sending.apply(one));
    }

    /// Waits until everything was sent, or has failed.
    void flush() {
        CompletableFuture<?> last;
        synchronized (this) {
            last = sent;
        }
        try {
            last.orTimeout(2, java.util.concurrent.TimeUnit.SECONDS).join();
        } catch (CompletionException _) {
            // The connection is gone.
        }
    }
}
