package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.wire.Json;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/// Types into sessions of a running server over both doors, as pages do: what an AOT cache is trained with. Only
/// `belay train` uses it.
final class TrainingClient {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String COPY = "stty raw -echo; printf up; exec cat";

    private final RestClient client;

    TrainingClient(RestClient client) {
        this.client = client;
    }

    /// Types so many keys at each door, one when the last is back.
    void type(int keys) throws InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            overWebSocket(http, keys);
            overSocketIo(http, keys);
        }
    }

    private void overWebSocket(HttpClient http, int keys) throws InterruptedException {
        LinkedBlockingQueue<String> ids = new LinkedBlockingQueue<>();
        LinkedBlockingQueue<Long> outputs = new LinkedBlockingQueue<>();
        AttachLink link = AttachLink.open(http, client, "api/attach", PATIENCE, new AttachLink.Heard() {
            @Override
            public void attached(ObjectNode facts) {
                ids.add(facts.path("session").path("id").asString());
            }

            @Override
            public void output(long offset, ByteBuffer bytes) {
                outputs.add(offset);
            }
        });
        link.open(Json.object().put("cmd", COPY));
        String id = heard(ids);
        heard(outputs);
        for (int i = 0; i < keys; i++) {
            link.input("key-" + i, new byte[] {'x'});
            heard(outputs);
        }
        link.abort();
        client.delete("api/sessions/" + id + "?force=true");
    }

    private void overSocketIo(HttpClient http, int keys) throws InterruptedException {
        SocketIo line = new SocketIo(http, client.server().webSocketAt("socket.io/?EIO=4&transport=websocket"));
        line.awaitText("0");
        line.send("40" + Json.object().put("token", client.token()));
        line.awaitText("40");
        line.send("420[\"create\"," + Json.object().put("cmd", COPY) + "]");
        String created = line.awaitText("430");
        byte[] answer = created.substring(created.indexOf('{'), created.lastIndexOf('}') + 1)
                .getBytes(StandardCharsets.UTF_8);
        String id = Json.object(Json.reader(32, 1 << 20), answer).path("session").path("id").asString();
        line.awaitBinary((byte) 'u');
        for (int i = 0; i < keys; i++) {
            line.send("42[\"input\"," + Json.object().put("id", id).put("data", "x") + "]");
            line.awaitBinary((byte) 'x');
        }
        line.send("421[\"close\"," + Json.object().put("id", id).put("force", true) + "]");
        line.awaitText("431");
        line.close();
    }

    private static <T> T heard(LinkedBlockingQueue<T> queue) throws InterruptedException {
        T message = queue.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        if (message == null) {
            throw new SessionException(ErrorCode.UNAVAILABLE, "The server does not answer.");
        }
        return message;
    }

    /// A client of Socket.IO, as far as it is needed here, and what it was sent.
    private static final class SocketIo implements WebSocket.Listener {
        private final LinkedBlockingQueue<byte[]> binary = new LinkedBlockingQueue<>();
        private final LinkedBlockingQueue<String> texts = new LinkedBlockingQueue<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final StringBuilder text = new StringBuilder();
        private final WebSocket socket;

        SocketIo(HttpClient http, URI address) {
            socket = http.newWebSocketBuilder().buildAsync(address, this).join();
        }

        @Override
        public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer part, boolean last) {
            byte[] more = new byte[part.remaining()];
            part.get(more);
            bytes.writeBytes(more);
            if (last) {
                binary.add(bytes.toByteArray());
                bytes.reset();
            }
            from.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                texts.add(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return null;
        }

        void send(String message) {
            socket.sendText(message, true).join();
        }

        /// Waits for a message that begins with a byte, and passes over others.
        void awaitBinary(byte first) throws InterruptedException {
            byte[] message = heard(binary);
            while (message.length == 0 || message[0] != first) {
                message = heard(binary);
            }
        }

        String awaitText(String start) throws InterruptedException {
            String message = heard(texts);
            while (!message.startsWith(start)) {
                message = heard(texts);
            }
            return message;
        }

        void close() {
            socket.abort();
        }
    }
}
