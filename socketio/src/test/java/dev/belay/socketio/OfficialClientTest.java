package dev.belay.socketio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.testkit.LeakCheck;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/// Runs the official `socket.io-client` in node with the scenarios in `src/test/client`.
@ExtendWith(LeakCheck.class)
@Timeout(180)
class OfficialClientTest {
    private static final Path CLIENT = Path.of("src/test/client");

    @BeforeAll
    static void warmUp() throws Exception {
        assertThat(Files.isDirectory(CLIENT.resolve("node_modules")))
                .as("run npm ci in socketio/src/test/client, as scripts/verify does").isTrue();
        EchoServer.warmUp();
    }

    private static String run(EchoServer server, String... scenario) throws Exception {
        ProcessBuilder node = new ProcessBuilder("node", "scenarios.js", "http://127.0.0.1:" + server.port());
        node.command().addAll(List.of(scenario));
        Path said = Files.createTempFile("belay-client", ".out");
        Process process =
                node.directory(CLIENT.toFile()).redirectErrorStream(true).redirectOutput(said.toFile()).start();
        try {
            boolean ended = process.waitFor(120, TimeUnit.SECONDS);
            String output = Files.readString(said);
            assertThat(ended).as("the client is done; it said: %s", output).isTrue();
            assertThat(process.exitValue()).as(output).isZero();
            return output;
        } finally {
            process.destroyForcibly().waitFor();
            Files.delete(said);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"websocket", "polling", "defaults"})
    void valuesOfAllKindsComeBackAsTheyWere(String scenario) throws Exception {
        try (EchoServer server = EchoServer.start()) {
            run(server, scenario);
        }
    }

    @Test
    void namespacesRefuseWithMessageAndData() throws Exception {
        try (EchoServer server = EchoServer
                .start(builder -> builder.namespace("/closed",
                        _ -> Admission.refuse("no entry", Map.of("code", "DENIED", "retry_after_ms", 5))))) {
            run(server, "namespaces");
        }
    }

    @Test
    void theClientLearnsWhyItWasDisconnected() throws Exception {
        try (EchoServer server = EchoServer.start(builder -> builder.namespace("/",
                _ -> Admission
                        .accept(socket -> socket.on("leave", (_, _) -> socket.disconnect()).on("close", (_, _) -> {
                            socket.emit("last", "last".getBytes(StandardCharsets.UTF_8));
                            socket.close();
                        }))))) {
            run(server, "reasons");
        }
    }

    @Test
    void theServerAsksAndWaitsForAWhileOnly() throws Exception {
        try (EchoServer server = EchoServer
                .start(builder -> builder.namespace("/",
                        _ -> Admission.accept(socket -> socket.on("interrogate", (_, ack) -> {
                            List<JsonNode> answer =
                                    socket.emitWithAck(Duration.ofSeconds(60), "ask", (Object) new byte[] {'q'}).get();
                            String silence = "";
                            try {
                                socket.emitWithAck(Duration.ofMillis(100), "silence").get();
                            } catch (ExecutionException e) {
                                silence = e.getCause().getClass().getSimpleName();
                            }
                            ack.reply(answer, silence);
                        }))))) {
            run(server, "answers");
        }
    }

    @Test
    void theClientAnswersHeartbeats() throws Exception {
        try (EchoServer server = EchoServer
                .start(builder -> builder.pingInterval(Duration.ofMillis(100)).pingTimeout(Duration.ofSeconds(20)))) {
            run(server, "heartbeats");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"flood", "floodWebsocket", "floodPolling"})
    void aFloodArrivesCompleteAndInOrder(String scenario) throws Exception {
        try (EchoServer server = EchoServer.start(builder -> builder.namespace("/", _ -> Admission.accept(socket -> {
            CountDownLatch enough = new CountDownLatch(1);
            socket.on("enough", (_, _) -> enough.countDown());
            // Not on a virtual thread, which would keep its core for ever if it never waits.
            socket.on("flood",
                    (args, _) -> Thread.ofPlatform().start(() -> pump(socket, args.get(0).intValue(), enough)));
        })))) {
            String output = run(server, scenario, "8000000");
            System.out.println("socket.io-client, " + scenario + ": " + output.strip());
            assertThat(server.stats().upgrades()).isEqualTo(scenario.equals("flood") ? 1 : 0);
        }
    }

    /// Sends at least this many bytes, and on until told to stop, each event after the previous one is written.
    private static void pump(Socket socket, int least, CountDownLatch enough) {
        try {
            Random random = new Random(7);
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            long offset = 0;
            while (offset < least || enough.getCount() > 0) {
                byte[] data = new byte[1 + random.nextInt(40_000)];
                random.nextBytes(data);
                digest.update(data);
                socket.emit("output", Map.of("offset", offset, "data", data)).toCompletableFuture().join();
                offset += data.length;
            }
            socket.emit("end", Map.of("bytes", offset, "sha256", HexFormat.of().formatHex(digest.digest())));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
