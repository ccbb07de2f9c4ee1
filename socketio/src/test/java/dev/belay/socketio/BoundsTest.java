package dev.belay.socketio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.testkit.LeakCheck;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// What a client can cost the server: memory, threads, timers.
@ExtendWith(LeakCheck.class)
@Timeout(180)
class BoundsTest {
    @BeforeAll
    static void warmUp() throws Exception {
        EchoServer.warmUp();
    }

    private static final byte[] CHUNK = "0123456789abcdef".repeat(1024).getBytes(StandardCharsets.UTF_8);

    @Test
    void whoWaitsForTheTransportHasOneEventPendingForAClientThatDoesNotRead() throws Exception {
        BlockingQueue<Socket> sockets = new LinkedBlockingQueue<>();
        try (EchoServer server =
                EchoServer.start(builder -> builder.namespace("/", _ -> Admission.accept(sockets::add)));
                Wire wire = Wire.upgrade(server, "", 4096)) {
            wire.send("40");
            Socket socket = sockets.poll(30, TimeUnit.SECONDS);
            long sent = 0;
            CompletableFuture<Void> last = socket.emit("output", sent, CHUNK).toCompletableFuture();
            // Until the kernel's buffers are full.
            while (written(last)) {
                last = socket.emit("output", ++sent, CHUNK).toCompletableFuture();
            }
            assertThat(socket.pendingBytes()).isBetween((long) CHUNK.length, CHUNK.length + 1000L);
            assertThat(server.stats().pendingBytes()).isEqualTo(socket.pendingBytes());

            // The client reads again and gets everything, in order.
            for (long i = 0; i <= sent; i++) {
                String head;
                do {
                    head = wire.text();
                } while (!head.startsWith("451-"));
                assertThat(head).isEqualTo("451-[\"output\"," + i + ",{\"_placeholder\":true,\"num\":0}]");
                assertThat(wire.bytes()).isEqualTo(ByteBuffer.wrap(CHUNK));
            }
            last.get(30, TimeUnit.SECONDS);
            assertThat(socket.pendingBytes()).isZero();
        }
    }

    /// Whether an event is written although the client does not read, which is so while the kernel has room.
    private static boolean written(CompletableFuture<Void> event) throws InterruptedException {
        try {
            event.get(1, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException _) {
            return false;
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whoDoesNotWaitLosesAClientThatDoesNotReadAtTheLimit() throws Exception {
        BlockingQueue<Socket> sockets = new LinkedBlockingQueue<>();
        BlockingQueue<DisconnectReason> ends = new LinkedBlockingQueue<>();
        int limit = 1 << 20;
        try (EchoServer server =
                EchoServer.start(builder -> builder.maxPending(limit).namespace("/", _ -> Admission.accept(socket -> {
                    socket.onDisconnect(ends::add);
                    sockets.add(socket);
                }))); Wire wire = Wire.upgrade(server, "", 4096)) {
            wire.send("40");
            Socket socket = sockets.poll(30, TimeUnit.SECONDS);
            long most = 0;
            CompletableFuture<Void> last = new CompletableFuture<>();
            while (socket.connected()) {
                last = socket.emit("output", CHUNK).toCompletableFuture();
                most = Math.max(most, socket.pendingBytes());
            }
            assertThat(most).isLessThanOrEqualTo(limit + CHUNK.length + 1000L);
            assertThat(ends.poll(30, TimeUnit.SECONDS)).isEqualTo(DisconnectReason.OVERFLOW);
            assertThatThrownBy(last::get).hasCauseInstanceOf(DisconnectedException.class);
            assertThat(socket.pendingBytes()).isZero();
            assertThat(server.stats().connections()).isZero();
            server.timers().awaitRunning(0);
        }
    }

    @Test
    void aPollThatIsNotReadIsBoundedToo() throws Exception {
        BlockingQueue<DisconnectReason> ends = new LinkedBlockingQueue<>();
        int limit = 100_000;
        try (EchoServer server =
                EchoServer.start(builder -> builder.maxPending(limit).namespace("/", _ -> Admission.accept(socket -> {
                    socket.onDisconnect(ends::add);
                    while (socket.connected()) {
                        socket.emit("output", CHUNK);
                    }
                })))) {
            String session = Wire.poll(server);
            Wire.post(server, session, "40");
            assertThat(ends.poll(30, TimeUnit.SECONDS)).isEqualTo(DisconnectReason.OVERFLOW);
            assertThat(Wire.get(server, session).status()).isEqualTo(400);
        }
    }

    @Test
    void whoWasNotLetInMaySendLittleAtOnce() throws Exception {
        String large = "40{\"token\":\"" + "x".repeat(20_000) + "\"}";
        try (EchoServer server = EchoServer.start()) {
            String poll = Wire.poll(server);
            assertThat(Wire.post(server, poll, large).status()).isEqualTo(413);
            try (Wire stranger = Wire.open(server)) {
                stranger.send(large).end();
            }
            try (Wire known = Wire.enter(server)) {
                String event = "42[\"message\",\"" + "x".repeat(20_000) + "\"]";
                assertThat(known.send(event).text()).isEqualTo(event.replace("message", "message-back"));
            }
        }
    }

    @Test
    void twoHundredConnectionsOfAllKindsLeaveNothing() throws Exception {
        try (EchoServer server = EchoServer.start()) {
            List<Wire> wires = new ArrayList<>();
            List<String> polls = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                switch (i % 4) {
                    case 0 -> wires.add(Wire.enter(server));
                    case 1 -> wires.add(Wire.open(server));
                    case 2 -> polls.add(Wire.poll(server));
                    default -> {
                        String session = Wire.poll(server);
                        Wire wire = Wire.upgrade(server, session, 0);
                        assertThat(wire.send("2probe").text()).isEqualTo("3probe");
                        wires.add(wire.send("5").in());
                    }
                }
            }
            SocketServerStats busy = server.stats();
            assertThat(busy.connections()).isEqualTo(200);
            assertThat(busy.webSockets()).isEqualTo(150);
            assertThat(busy.sockets()).isEqualTo(100);
            wires.forEach(Wire::close);
            for (String session : polls) {
                Wire.post(server, session, "1");
                assertThat(Wire.get(server, session).body()).isEqualTo("6");
            }
            server.timers().awaitRunning(0);
            SocketServerStats idle = server.stats();
            assertThat(idle.connections()).isZero();
            assertThat(idle.webSockets()).isZero();
            assertThat(idle.sockets()).isZero();
            assertThat(idle.pendingBytes()).isZero();
            assertThat(idle.closed().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(200);
        }
    }
}
