package dev.belay.socketio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/// A client that sends raw bytes, so it can misbehave: not read, or make two requests at once.
final class Wire implements AutoCloseable {
    private static final int PATIENCE_MS = 30_000;
    private static final Executor THREADS = task -> Thread.ofPlatform().start(task);

    record Answer(int status, String body) {}

    /// What arrives on a WebSocket: text, bytes, or its end.
    sealed interface Event {
        record Text(String text) implements Event {}

        record Bytes(ByteBuffer bytes) implements Event {}

        /// The code of the close frame, or 0 if the connection ended without one.
        record End(int code) implements Event {}
    }

    private final Socket socket;
    private final DataInputStream in;

    private Wire(int port, int receiveBuffer) throws IOException {
        socket = new Socket();
        if (receiveBuffer > 0) {
            socket.setReceiveBufferSize(receiveBuffer);
        }
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.setSoTimeout(PATIENCE_MS);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    // --- requests ---

    static Answer get(EchoServer server, String query) {
        return request(server, "GET", query, "", null);
    }

    static Answer post(EchoServer server, String query, String body) {
        return request(server, "POST", query, "", body);
    }

    static CompletableFuture<Answer> getLater(EchoServer server, String query) {
        return CompletableFuture.supplyAsync(() -> get(server, query), THREADS).orTimeout(PATIENCE_MS,
                TimeUnit.MILLISECONDS);
    }

    static Answer request(EchoServer server, String method, String query, String headers, String body) {
        try (Wire wire = new Wire(server.port(), 0)) {
            byte[] bytes = body == null ? new byte[0] : body.getBytes(StandardCharsets.UTF_8);
            String length =
                    body == null || headers.contains("chunked") ? "" : "Content-Length: " + bytes.length + "\r\n";
            wire.write((method + " /socket.io/?EIO=4&transport=polling" + query
                    + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers + length
                    + "\r\n").getBytes(StandardCharsets.UTF_8));
            try {
                wire.write(bytes);
            } catch (IOException _) {
                // The server may answer and hang up before it has read everything.
                assertThat(bytes.length).isGreaterThan(1000);
            }
            int status = wire.head();
            return new Answer(status, new String(wire.in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Starts a connection that polls.
    ///
    /// @return the query for further requests
    static String poll(EchoServer server) {
        Answer answer = get(server, "");
        assertThat(answer.status()).isEqualTo(200);
        return "&sid=" + PacketJson.read(answer.body().substring(1)).get("sid").asString();
    }

    // --- WebSockets ---

    /// A WebSocket that has received its open packet.
    static Wire open(EchoServer server) throws IOException {
        Wire wire = upgrade(server, "", 0);
        assertThat(wire.text()).startsWith("0{");
        return wire;
    }

    /// A WebSocket in the main namespace.
    static Wire enter(EchoServer server) throws IOException {
        return open(server).in();
    }

    Wire in() throws IOException {
        send("40");
        assertThat(text()).startsWith("40{\"sid\":");
        assertThat(text()).isEqualTo("42[\"auth\",{}]");
        return this;
    }

    static Wire upgrade(EchoServer server, String query, int receiveBuffer) throws IOException {
        Wire wire = new Wire(server.port(), receiveBuffer);
        wire.write(("GET /socket.io/?EIO=4&transport=websocket" + query
                + " HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n").getBytes(StandardCharsets.UTF_8));
        assertThat(wire.head()).isEqualTo(101);
        return wire;
    }

    Wire send(String text) throws IOException {
        return frame(0x81, text.getBytes(StandardCharsets.UTF_8));
    }

    Wire send(byte[] bytes) throws IOException {
        return frame(0x82, bytes);
    }

    /// Sends a frame with a mask of zeros, which leaves the payload unchanged.
    Wire frame(int head, byte[] payload) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.write(head);
        if (payload.length < 126) {
            frame.write(0x80 | payload.length);
        } else {
            frame.write(0x80 | 127);
            for (int shift = 56; shift >= 0; shift -= 8) {
                frame.write((int) ((long) payload.length >> shift));
            }
        }
        frame.writeBytes(new byte[4]);
        frame.writeBytes(payload);
        write(frame.toByteArray());
        return this;
    }

    /// The next message that is not a heartbeat ping.
    Event next() throws IOException {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        int type = 0;
        while (true) {
            int head = in.read();
            if (head < 0) {
                return new Event.End(0);
            }
            int length = in.readUnsignedByte();
            byte[] payload =
                    in.readNBytes(length < 126 ? length : length == 126 ? in.readUnsignedShort() : (int) in.readLong());
            int opCode = head & 15;
            if (opCode == 8) {
                return new Event.End(payload.length < 2 ? 1005 : (payload[0] & 255) * 256 + (payload[1] & 255));
            }
            type = opCode == 0 ? type : opCode;
            message.writeBytes(payload);
            if ((head & 128) != 0) {
                String text = message.toString(StandardCharsets.UTF_8);
                if (type == 2) {
                    return new Event.Bytes(ByteBuffer.wrap(message.toByteArray()));
                }
                if (!text.equals("2")) {
                    return new Event.Text(text);
                }
                message.reset();
            }
        }
    }

    String text() throws IOException {
        return switch (next()) {
            case Event.Text(String text) -> text;
            case Event.Bytes(ByteBuffer bytes) -> throw new AssertionError("bytes: " + bytes);
            case Event.End(int code) -> throw new AssertionError("the end: " + code);
        };
    }

    ByteBuffer bytes() throws IOException {
        return next() instanceof Event.Bytes(ByteBuffer bytes) ? bytes : ByteBuffer.allocate(0);
    }

    /// Reads until the end.
    ///
    /// @return the code of the close frame, or 0 if there was none
    int end() throws IOException {
        try {
            while (true) {
                if (next() instanceof Event.End(int code)) {
                    hangUp();
                    return code;
                }
            }
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException _) {
            return 0; // cut off inside a frame
        }
    }

    // --- bytes ---

    private void write(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /// Reads the head of a response.
    private int head() throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.readUnsignedByte());
        }
        assertThat(head.toString().toLowerCase(Locale.ROOT)).doesNotContain("permessage-deflate");
        return Integer.parseInt(head.substring(9, 12));
    }

    @Override
    public void close() {
        hangUp();
    }

    void hangUp() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
