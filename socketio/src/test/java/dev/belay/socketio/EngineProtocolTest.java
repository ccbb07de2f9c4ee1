package dev.belay.socketio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.testkit.LeakCheck;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Engine.IO: transports, heartbeat, upgrade, payloads.
@ExtendWith(LeakCheck.class)
@Timeout(120)
class EngineProtocolTest {
    @BeforeAll
    static void warmUp() throws Exception {
        EchoServer.warmUp();
    }

    @Test
    void aRequestWithoutVersionTransportOrKnownSessionIsRefused() throws Exception {
        try (EchoServer server = EchoServer.start()) {
            assertThat(Wire.get(server, "&EIO=3").status()).isEqualTo(200); // the first value counts
            assertThat(Wire.get(server, "&sid=unknown").body()).contains("\"code\":1");
            assertThat(Wire.post(server, "", "4hello").body()).contains("\"code\":2");
            assertThat(Wire.request(server, "PUT", Wire.poll(server), "", "4").status()).isEqualTo(400);
            assertThat(Wire.get(server, "&x=%zz").status()).isEqualTo(400);
        }
    }

    @Test
    void theGateRefusesAHandshakeWithItsStatus() throws Exception {
        try (EchoServer server = EchoServer.start(builder -> builder
                .allow(request -> request.getHeaders().contains("X-Good")
                        ? Optional.empty()
                        : Optional.of(new Refusal(401, "who are you?"))))) {
            assertThat(Wire.get(server, "")).satisfies(answer -> {
                assertThat(answer.status()).isEqualTo(401);
                assertThat(answer.body()).contains("who are you?");
            });
            assertThat(Wire.request(server, "GET", "", "X-Good: yes\r\n", null).status()).isEqualTo(200);
            assertThat(server.stats().refused()).isEqualTo(1);
        }
    }

    @Test
    void connectionsBeyondTheLimitAreRefused() throws Exception {
        try (EchoServer server = EchoServer.start(builder -> builder.maxConnections(1)); Wire in = Wire.enter(server)) {
            assertThat(Wire.get(server, "").status()).isEqualTo(503);
            assertThat(in.send("42[\"message\"]").text()).isEqualTo("42[\"message-back\"]");
        }
    }

    @Test
    void aPollWaitsForPacketsAndBringsAllThatAreThere() throws Exception {
        try (EchoServer server = EchoServer.start()) {
            String session = Wire.poll(server);
            CompletableFuture<Wire.Answer> first = Wire.getLater(server, session);
            assertThat(Wire.post(server, session, "40").body()).isEqualTo("ok");
            String got = first.get().body();
            while (!got.contains("auth")) {
                got += "\u001e" + Wire.get(server, session).body();
            }
            assertThat(got).startsWith("40{\"sid\":").endsWith("\u001e42[\"auth\",{}]");

            Wire.post(server, session, "451-[\"message\",{\"_placeholder\":true,\"num\":0}]\u001ebAQID");
            got = Wire.get(server, session).body();
            assertThat(got).isEqualTo("451-[\"message-back\",{\"_placeholder\":true,\"num\":0}]\u001ebAQID");
        }
    }

    @Test
    void aSecondPollEndsTheConnection() throws Exception {
        try (EchoServer server = EchoServer.start()) {
            String session = Wire.poll(server);
            CompletableFuture<Wire.Answer> one = Wire.getLater(server, session);
            CompletableFuture<Wire.Answer> other = Wire.getLater(server, session);
            assertThat(new Wire.Answer[] {one.get(), other.get()}).extracting(Wire.Answer::status)
                    .containsExactlyInAnyOrder(200, 400);
            assertThat(one.get().status() == 200 ? one.get().body() : other.get().body()).isEqualTo("1");
            assertThat(Wire.get(server, session).status()).isEqualTo(400);
        }
    }

    @Test
    void aSecondPostEndsTheConnection() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (EchoServer server = EchoServer
                .start(builder -> builder.namespace("/", _ -> Admission.accept(socket -> socket.on("block", (_, _) -> {
                    busy.countDown();
                    go.await();
                }))))) {
            String session = Wire.poll(server);
            Wire.post(server, session, "40");
            assertThat(Wire.get(server, session).body()).startsWith("40{");
            // More than may wait for handlers, so this POST is answered only after the handler goes on.
            String body = "42[\"block\"]\u001e42[\"x\",\"" + "y".repeat(200_000) + "\"]\u001e42[\"z\"]";
            CompletableFuture<Wire.Answer> held = CompletableFuture.supplyAsync(() -> Wire.post(server, session, body),
                    task -> Thread.ofPlatform().start(task));
            busy.await();
            assertThat(held).isNotDone();
            assertThat(Wire.post(server, session, "3").status()).isEqualTo(400);
            assertThat(held.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
            assertThat(Wire.get(server, session).status()).isEqualTo(400);
            go.countDown();
        }
    }

    @Test
    void aClientWhosePongWaitsBehindABusyHandlerIsNotTimedOut() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch after = new CountDownLatch(1);
        try (EchoServer server = EchoServer.start(builder -> builder.pingInterval(Duration.ofSeconds(3))
                .pingTimeout(Duration.ofMillis(50))
                .namespace("/", _ -> Admission.accept(
                        socket -> socket.on("block", (_, _) -> go.await()).on("after", (_, _) -> after.countDown()))));
                Wire wire = Wire.open(server)) {
            assertThat(wire.send("40").text()).startsWith("40{");
            wire.send("42[\"block\"]").send("42[\"x\",\"" + "y".repeat(200_000) + "\"]")
                    .send("42[\"after\"]");
            server.timers().awaitStarted(20); // 20 pings without an answer
            assertThat(server.stats().connections()).isOne();
            go.countDown();
            assertThat(after.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aPayloadThatIsTooLongIsRefusedAndEndsTheConnection() throws Exception {
        try (EchoServer server = EchoServer.start(builder -> builder.maxPayload(10_000))) {
            String session = Wire.poll(server);
            assertThat(Wire.post(server, session, "4".repeat(10_001)).status()).isEqualTo(413);
            assertThat(Wire.get(server, session).status()).isEqualTo(400);

            String another = Wire.poll(server);
            String chunks = "2711\r\n" + "4".repeat(0x2711) + "\r\n0\r\n\r\n";
            assertThat(Wire.request(server, "POST", another, "Transfer-Encoding: chunked\r\n", chunks).status())
                    .isEqualTo(413);
            assertThat(Wire.get(server, another).status()).isEqualTo(400);

            try (Wire wire = Wire.open(server)) {
                assertThat(wire.send("4" + "x".repeat(10_000)).end()).isEqualTo(1009);
            }
            try (Wire wire = Wire.open(server)) { // in pieces
                byte[] piece = new byte[6_000];
                assertThat(wire.frame(0x02, piece).frame(0x80, piece).end()).isEqualTo(1009);
            }
        }
    }

    @Test
    void malformedPayloadsEndAPollingConnection() throws Exception {
        try (EchoServer server = EchoServer.start()) {
            for (String bad : new String[] {"", "abc", "9", "\u001e", "4abc", "0", "2", "5", "b!!!", "bAQID",
                    "3\u001e\u001e3", "42[\"early\"]"}) {
                String session = Wire.poll(server);
                assertThat(Wire.post(server, session, bad).status()).as(bad).isEqualTo(400);
                assertThat(Wire.get(server, session).status()).as(bad).isEqualTo(400);
            }
            assertThat(server.stats().closed().get(DisconnectReason.PARSE_ERROR)).isEqualTo(12);
        }
    }

    @Test
    void aWebSocketMessageMayComeInPiecesWithPingsBetween() throws Exception {
        try (EchoServer server = EchoServer.start(); Wire wire = Wire.enter(server)) {
            wire.frame(0x01, "42[\"mess".getBytes(StandardCharsets.UTF_8)).frame(0x89, new byte[] {1}).frame(0x80,
                    "age\",1]".getBytes(StandardCharsets.UTF_8));
            Wire.Event pong = wire.next();
            assertThat(pong).isInstanceOf(Wire.Event.Text.class); // the pong's frame
            assertThat(wire.text()).isEqualTo("42[\"message-back\",1]");
        }
    }

    @Test
    void textThatIsNotUtf8EndsTheConnection() throws Exception {
        try (EchoServer server = EchoServer.start(); Wire wire = Wire.open(server)) {
            assertThat(wire.frame(0x81, new byte[] {'4', (byte) 0xff}).end()).isEqualTo(1007);
        }
    }

    @Test
    void pongsKeepAConnectionAliveAndSilenceEndsIt() throws Exception {
        BlockingQueue<DisconnectReason> ends = new LinkedBlockingQueue<>();
        try (EchoServer server = EchoServer.start(builder -> builder.pingInterval(Duration.ofMillis(100))
                .pingTimeout(Duration.ofSeconds(1)).namespace("/",
                        _ -> Admission.accept(socket -> socket.onDisconnect(ends::add))));
                Wire wire = Wire.open(server)) {
            wire.send("40");
            assertThat(wire.text()).startsWith("40");
            for (int i = 0; i < 5; i++) {
                wire.send("3");
            }
            assertThat(wire.end()).isZero();
            assertThat(ends.poll(30, TimeUnit.SECONDS)).isEqualTo(DisconnectReason.PING_TIMEOUT);

            String session = Wire.poll(server);
            assertThat(Wire.get(server, session).body()).isEqualTo("2");
            assertThat(Wire.get(server, session).body()).isEqualTo("1"); // waits until the connection ends
            assertThat(Wire.get(server, session).status()).isEqualTo(400);
        }
    }

    @Test
    void aClosePacketEndsTheConnection() throws Exception {
        try (EchoServer server = EchoServer.start(); Wire wire = Wire.open(server)) {
            assertThat(wire.send("1").end()).isEqualTo(1000);
            String session = Wire.poll(server);
            assertThat(Wire.post(server, session, "1").status()).isEqualTo(200);
            assertThat(Wire.get(server, session).body()).isEqualTo("6"); // a poll that was already waiting
            assertThat(Wire.get(server, session).status()).isEqualTo(400);
        }
    }

    @Test
    void aProbedConnectionMovesToTheWebSocketWithAllThatWaits() throws Exception {
        try (EchoServer server = EchoServer.start()) {
            String session = Wire.poll(server);
            CompletableFuture<Wire.Answer> waiting = Wire.getLater(server, session);
            try (Wire wire = Wire.upgrade(server, session, 0)) {
                assertThat(wire.send("2probe").text()).isEqualTo("3probe");
                assertThat(waiting.get().body()).isEqualTo("6");
                Wire.post(server, session, "40");
                wire.send("5");
                assertThat(wire.text()).startsWith("40{");
                assertThat(wire.text()).isEqualTo("42[\"auth\",{}]");
                assertThat(Wire.get(server, session).status()).isEqualTo(400);
                assertThat(Wire.post(server, session, "3").status()).isEqualTo(400);
                try (Wire second = Wire.upgrade(server, session, 0)) {
                    assertThat(second.end()).isEqualTo(1000);
                }
                assertThat(wire.send("42[\"message\",1]").text()).isEqualTo("42[\"message-back\",1]");
                assertThat(server.stats().upgrades()).isOne();
            }
        }
    }

    @Test
    void aProbeThatFailsLeavesTheClientPolling() throws Exception {
        Duration late = Duration.ofMinutes(7);
        try (EchoServer server = EchoServer.start(builder -> builder.upgradeTimeout(late))) {
            String session = Wire.poll(server);
            for (String wrong : new String[] {"5", "2", "4hello", "xyz"}) {
                try (Wire wire = Wire.upgrade(server, session, 0)) {
                    assertThat(wire.send(wrong).end()).as(wrong).isEqualTo(1000);
                }
            }
            try (Wire wire = Wire.upgrade(server, session, 0)) {
                assertThat(wire.send("2probe").text()).isEqualTo("3probe");
                server.timers().pass(late);
                assertThat(wire.end()).isZero();
            }
            Wire.post(server, session, "40");
            assertThat(Wire.get(server, session).body()).startsWith("40{");
        }
    }

    @Test
    void aStreamGoesOnWithoutAGapAcrossAnUpgrade() throws Exception {
        try (EchoServer server = EchoServer.start(
                builder -> builder.namespace("/", _ -> Admission.accept(socket -> Thread.startVirtualThread(() -> {
                    for (int i = 0; socket.connected(); i++) {
                        byte[] number = {(byte) (i >> 16), (byte) (i >> 8), (byte) i};
                        socket.emit("n", (Object) number).handle((_, _) -> null).toCompletableFuture().join();
                    }
                }))))) {
            String session = Wire.poll(server);
            Wire.post(server, session, "40");
            List<Integer> numbers = new ArrayList<>();
            while (numbers.size() < 20) {
                collect(Wire.get(server, session).body(), numbers);
            }
            try (Wire wire = Wire.upgrade(server, session, 0)) {
                assertThat(wire.send("2probe").text()).isEqualTo("3probe");
                collect(Wire.get(server, session).body(), numbers);
                int polled = numbers.size();
                wire.send("5");
                while (numbers.size() < polled + 1000) {
                    if (wire.next() instanceof Wire.Event.Bytes(ByteBuffer bytes)) {
                        numbers.add(((bytes.get(0) & 255) << 16) | ((bytes.get(1) & 255) << 8) | (bytes.get(2) & 255));
                    }
                }
            }
            assertThat(numbers).isEqualTo(IntStream.range(0, numbers.size()).boxed().toList());
        }
    }

    /// Adds the numbers in a payload.
    private static void collect(String payload, List<Integer> numbers) {
        for (String part : payload.split("\u001e", -1)) {
            if (part.startsWith("b")) {
                byte[] bytes = Base64.getDecoder().decode(part.substring(1));
                numbers.add(((bytes[0] & 255) << 16) | ((bytes[1] & 255) << 8) | (bytes[2] & 255));
            }
        }
    }
}
