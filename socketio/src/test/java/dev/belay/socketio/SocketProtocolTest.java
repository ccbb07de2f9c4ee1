package dev.belay.socketio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.testkit.LeakCheck;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/// Socket.IO: namespaces, events, answers, attachments, disconnects.
@ExtendWith(LeakCheck.class)
@Timeout(120)
class SocketProtocolTest {
    @BeforeAll
    static void warmUp() throws Exception {
        EchoServer.warmUp();
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(30, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    @Test
    void aClientEntersSeveralNamespacesWithWhatItSendsAlong() throws Exception {
        try (EchoServer server = EchoServer.start(); Wire wire = Wire.open(server)) {
            wire.send("40{\"token\":\"123\"}");
            assertThat(wire.text()).startsWith("40{\"sid\":");
            assertThat(wire.text()).isEqualTo("42[\"auth\",{\"token\":\"123\"}]");
            wire.send("40/custom,{\"a\":1}");
            assertThat(wire.text()).startsWith("40/custom,{\"sid\":");
            assertThat(wire.text()).isEqualTo("42/custom,[\"auth\",{\"a\":1}]");
            assertThat(server.stats().sockets()).isEqualTo(2);
            wire.send("41/custom,").send("42/custom,[\"late\"]");
            assertThat(wire.send("42[\"message\"]").text()).isEqualTo("42[\"message-back\"]");
            assertThat(server.stats().sockets()).isOne();
            wire.send("40/custom");
            assertThat(wire.text()).startsWith("40/custom,{\"sid\":");
        }
    }

    @Test
    void aNamespaceRefusesWithAMessageAndData() throws Exception {
        try (EchoServer server = EchoServer
                .start(builder -> builder.namespace("/closed", _ -> Admission.refuse("no", Map.of("retry", 5)))
                        .namespace("/broken", _ -> {
                            throw new IllegalStateException("expected by a test");
                        }));
                Wire wire = Wire.open(server)) {
            assertThat(wire.send("40/closed,").text())
                    .isEqualTo("44/closed,{\"message\":\"no\",\"data\":{\"retry\":5}}");
            assertThat(wire.send("40/broken,").text()).isEqualTo("44/broken,{\"message\":\"Internal error\"}");
            assertThat(wire.send("40/random").text()).isEqualTo("44/random,{\"message\":\"Invalid namespace\"}");
            assertThat(server.stats().sockets()).isZero();
            wire.in(); // the connection survives a refusal
        }
    }

    @Test
    void aClientWithoutANamespaceIsSentAway() throws Exception {
        Duration late = Duration.ofMinutes(7);
        try (EchoServer server = EchoServer.start(builder -> builder.connectTimeout(late));
                Wire wire = Wire.open(server)) {
            server.timers().pass(late);
            assertThat(wire.end()).isEqualTo(1000);
            try (Wire left = Wire.enter(server)) {
                left.send("41");
                server.timers().pass(late);
                assertThat(left.end()).isEqualTo(1000);
            }
            server.timers().awaitRunning(0);
            assertThat(server.stats().closed().get(DisconnectReason.CONNECT_TIMEOUT)).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"4", "4abc", "49", "42", "42{}", "42[]", "42[1.5]", "42[null]", "42[\"connect\"]",
            "42[\"disconnect\",1]", "42abc[\"x\"]",
            "42[\"x\"", "42[\"x\"]x", "421234567890123456789[\"x\"]", "43[1]", "431", "431{}", "44{\"message\":\"x\"}",
            "41[]", "4112", "40", "40[]", "45[\"x\"]",
            "451[\"x\"]", "45-[\"x\"]", "4565-[\"x\"]", "451-{}", "450-[{\"_placeholder\":true,\"num\":0}]",
            "42/other,[\"x\"]", "46/other,1[]", "0", "2", "5", "7",
            "", "x"})
    void aMalformedPacketCostsTheConnection(String packet) throws Exception {
        try (EchoServer server = EchoServer.start(); Wire wire = Wire.enter(server)) {
            assertThat(wire.send(packet).end()).isEqualTo(1000);
            server.timers().awaitRunning(0);
            assertThat(server.stats().closed().get(DisconnectReason.PARSE_ERROR)).isOne();
            try (Wire next = Wire.enter(server)) { // other clients are not affected
                assertThat(next.send("42[\"message\"]").text()).isEqualTo("42[\"message-back\"]");
            }
        }
    }

    @Test
    void attachmentsThatDoNotFitCostTheConnection() throws Exception {
        String two = "452-[\"message\",{\"_placeholder\":true,\"num\":0},{\"_placeholder\":true,\"num\":1}]";
        try (EchoServer server = EchoServer.start(builder -> builder.maxPayload(1000))) {
            try (Wire wire = Wire.enter(server)) {
                assertThat(wire.send(new byte[1]).end()).isEqualTo(1000); // not announced
            }
            try (Wire wire = Wire.enter(server)) {
                assertThat(wire.send(two).send(new byte[1]).send("42[\"message\"]").end()).isEqualTo(1000);
            }
            try (Wire wire = Wire.enter(server)) {
                // Too long together.
                assertThat(wire.send(two).send(new byte[600]).send(new byte[600]).end()).isEqualTo(1000);
            }
            try (Wire wire = Wire.enter(server)) {
                assertThat(wire.send("451-[\"message\",{\"_placeholder\":true,\"num\":1}]").send(new byte[1]).end())
                        .isEqualTo(1000);
            }
        }
    }

    @Test
    void anEventBeforeAnyNamespaceCostsTheConnection() throws Exception {
        try (EchoServer server = EchoServer.start(); Wire wire = Wire.open(server)) {
            assertThat(wire.send("42[\"message\",1]").end()).isEqualTo(1000);
        }
    }

    @Test
    void attachmentsTravelNestedAndInAnswers() throws Exception {
        try (EchoServer server = EchoServer.start(); Wire wire = Wire.enter(server)) {
            String args = "{\"a\":[{\"_placeholder\":true,\"num\":0}],"
                    + "\"b\":{\"c\":{\"_placeholder\":true,\"num\":1}}},\"é€😀\"]";
            wire.send("452-[\"message\"," + args).send(new byte[] {1, 2, 3}).send(new byte[0]);
            assertThat(wire.text()).isEqualTo("452-[\"message-back\"," + args);
            assertThat(wire.bytes()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            assertThat(wire.bytes().remaining()).isZero();
            wire.send("452-7[\"message-with-ack\"," + args).send(new byte[] {1}).send(new byte[] {2});
            assertThat(wire.text()).isEqualTo("462-7[" + args);
            assertThat(wire.bytes()).isEqualTo(ByteBuffer.wrap(new byte[] {1}));
            assertThat(wire.bytes()).isEqualTo(ByteBuffer.wrap(new byte[] {2}));
        }
    }

    /// A value that contains bytes.
    record Output(String id, long offset, ByteBuffer data) {}

    @Test
    void recordsBuffersAndArraysAreSentAsTheyAre() throws Exception {
        ByteBuffer direct = ByteBuffer.allocateDirect(3).put(new byte[] {7, 8, 9}).flip();
        try (EchoServer server = EchoServer.start(builder -> builder.namespace("/", _ -> Admission.accept(socket -> {
            socket.emit("output", new Output("s", 5, ByteBuffer.wrap(new byte[] {0, 1, 2, 3}, 1, 2)));
            socket.emit("output", new byte[] {4}, direct);
        }))); Wire wire = Wire.open(server)) {
            wire.send("40");
            assertThat(wire.text()).startsWith("40");
            assertThat(wire.text()).isEqualTo(
                    "451-[\"output\",{\"id\":\"s\",\"offset\":5,\"data\":{\"_placeholder\":true,\"num\":0}}]");
            assertThat(wire.bytes()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2}));
            assertThat(wire.text())
                    .isEqualTo("452-[\"output\",{\"_placeholder\":true,\"num\":0},{\"_placeholder\":true,\"num\":1}]");
            assertThat(wire.bytes()).isEqualTo(ByteBuffer.wrap(new byte[] {4}));
            assertThat(wire.bytes()).isEqualTo(ByteBuffer.wrap(new byte[] {7, 8, 9}));
        }
    }

    @Test
    void anAnswerComesOnceOrTimesOutOrFailsWithTheConnection() throws Exception {
        BlockingQueue<Socket> sockets = new LinkedBlockingQueue<>();
        try (EchoServer server =
                EchoServer.start(builder -> builder.namespace("/", _ -> Admission.accept(sockets::add)));
                Wire wire = Wire.open(server)) {
            wire.send("40").text();
            Socket socket = next(sockets);
            CompletableFuture<List<JsonNode>> answer = socket.emitWithAck(Duration.ofSeconds(60), "ask", 1);
            assertThat(wire.text()).isEqualTo("420[\"ask\",1]");
            wire.send("4399[]").send("461-0[{\"_placeholder\":true,\"num\":0},\"x\"]").send(new byte[] {5})
                    .send("430[\"again\"]");
            assertThat(answer.get(30, TimeUnit.SECONDS).get(0).binaryValue()).containsExactly(5);

            assertThatThrownBy(() -> socket.emitWithAck(Duration.ofMillis(50), "ask").get())
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(TimeoutException.class);

            CompletableFuture<List<JsonNode>> never = socket.emitWithAck(Duration.ofSeconds(60), "ask");
            wire.hangUp();
            assertThatThrownBy(never::get).hasCauseInstanceOf(DisconnectedException.class);
            assertThatThrownBy(() -> socket.emitWithAck(Duration.ofSeconds(60), "ask").get())
                    .hasCauseInstanceOf(DisconnectedException.class);
            assertThatThrownBy(() -> socket.emit("disconnect")).isInstanceOf(IllegalArgumentException.class);
            server.timers().awaitRunning(0);
        }
    }

    @Test
    void aHandlerMayWaitForAnAnswer() throws Exception {
        try (EchoServer server = EchoServer
                .start(builder -> builder.namespace("/", _ -> Admission.accept(socket -> socket.on("go", (_, ack) -> {
                    ack.reply(socket.emitWithAck(Duration.ofSeconds(60), "ask").get().get(0));
                    ack.reply("twice");
                })))); Wire wire = Wire.open(server)) {
            wire.send("40").text();
            assertThat(wire.send("421[\"go\"]").text()).isEqualTo("420[\"ask\"]");
            assertThat(wire.send("430[\"yes\"]").text()).isEqualTo("431[\"yes\"]");
        }
    }

    @Test
    void eventsOfASocketAreHandledInOrderAlsoAfterAHandlerFailed() throws Exception {
        BlockingQueue<Integer> seen = new LinkedBlockingQueue<>();
        BlockingQueue<DisconnectReason> ends = new LinkedBlockingQueue<>();
        try (EchoServer server = EchoServer.start(
                builder -> builder.namespace("/",
                        _ -> Admission.accept(socket -> socket.onDisconnect(ends::add).on("n", (args, _) -> {
                            seen.add(args.get(0).intValue());
                            if (args.get(0).intValue() == 3) {
                                throw new IllegalStateException("expected by a test");
                            }
                        }))));
                Wire wire = Wire.open(server)) {
            wire.send("40").text();
            for (int i = 0; i < 1000; i++) {
                wire.send("42[\"n\"," + i + "]");
            }
            wire.send("41");
            assertThat(next(ends)).isEqualTo(DisconnectReason.CLIENT_DISCONNECT);
            assertThat(List.copyOf(seen)).hasSize(1000).isSorted();
        }
    }

    @Test
    void theReasonOfADisconnectIsTold() throws Exception {
        BlockingQueue<DisconnectReason> ends = new LinkedBlockingQueue<>();
        try (EchoServer server = EchoServer.start(builder -> builder.namespace("/", _ -> Admission
                .accept(socket -> socket.onDisconnect(ends::add).on("leave", (_, _) -> socket.disconnect()).on("close",
                        (_, _) -> {
                            socket.emit("last");
                            socket.close();
                        }))))) {
            try (Wire wire = Wire.open(server)) {
                wire.send("40").text();
                assertThat(wire.send("42[\"leave\"]").text()).isEqualTo("41");
                assertThat(next(ends)).isEqualTo(DisconnectReason.SERVER_DISCONNECT);
                wire.send("40").text();
                assertThat(wire.send("42[\"close\"]").text()).isEqualTo("42[\"last\"]");
                assertThat(wire.end()).isEqualTo(1000);
                assertThat(next(ends)).isEqualTo(DisconnectReason.FORCED_CLOSE);
            }
            try (Wire wire = Wire.open(server)) {
                wire.send("40").text();
            }
            assertThat(next(ends)).isEqualTo(DisconnectReason.TRANSPORT_CLOSE);
            try (Wire wire = Wire.open(server)) {
                wire.send("40").text();
                server.stop();
                assertThat(next(ends)).isEqualTo(DisconnectReason.SHUTDOWN);
            }
        }
    }
}
