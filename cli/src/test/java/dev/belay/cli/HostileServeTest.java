package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// The real server as a process among clients that break off, break the rules or never finish; its log is looked at.
class HostileServeTest extends WithBelay {
    private static final int ROUNDS = Integer.getInteger("belay.fuzz", 400);
    private static final int CLIENTS = 4;
    private static final List<String> DOORS = List.of(
            "/api/sessions", "/api/login", "/mcp", "/api/sessions/x/input", "/socket.io/?EIO=4&transport=polling&sid=");

    /// A client that does everything wrong, the same for the same seed.
    private record Fuzzer(RunningServer server, String token, Random random) {
        void run() {
            for (int i = 0; i < ROUNDS; i++) {
                try (Socket socket =
                        new Socket(InetAddress.getLoopbackAddress(), URI.create(server.address).getPort())) {
                    socket.setSoTimeout(10_000);
                    attack(socket);
                } catch (IOException _) {
                    // It was cut off, or has cut itself off.
                }
            }
        }

        private void attack(Socket socket) throws IOException {
            if (random.nextInt(10) == 0) {
                byte[] noise = new byte[random.nextInt(1, 12_000)];
                random.nextBytes(noise);
                socket.getOutputStream().write(noise);
                socket.getInputStream().read();
                return;
            }
            String door = DOORS.get(random.nextInt(DOORS.size()));
            if (door.endsWith("sid=")) {
                door += sid(socket);
            }
            boolean chunked = random.nextInt(3) == 0;
            int length = random.nextInt(1, 40_000);
            send(socket, "POST " + door + " HTTP/1.1\r\nHost: " + host() + "\r\nAuthorization: Bearer " + token + "\r\n"
                    + (chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + length) + "\r\n\r\n");
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(random.nextInt(1, 40));
            for (int sent = 0; sent < length && System.nanoTime() < until;) {
                int part = Math.min(length - sent, random.nextInt(1, 2000));
                String body = (random.nextBoolean() ? "4x" : "{\"") + "x".repeat(part);
                send(socket, chunked ? Integer.toHexString(body.length()) + "\r\n" + body + "\r\n" : body);
                sent += body.length();
            }
            switch (random.nextInt(4)) {
                // Closed with a reset, while the server may be reading.
                case 0 -> socket.setSoLinger(true, 0);
                case 1 -> socket.shutdownOutput();
                case 2 -> send(socket, chunked ? "zzz\r\n" : "\u0085\u009b\r\u001b");
                default -> socket.getInputStream().read(); // the time is over
            }
        }

        private String sid(Socket socket) throws IOException {
            send(socket, "GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: " + host() + "\r\n\r\n");
            byte[] answer = new byte[4096];
            int count = socket.getInputStream().read(answer);
            String text = new String(answer, 0, Math.max(0, count), StandardCharsets.ISO_8859_1);
            int from = text.indexOf("\"sid\":\"") + 7;
            return from < 7 ? "x" : text.substring(from, text.indexOf('"', from));
        }

        private String host() {
            return "127.0.0.1:" + server.port();
        }

        private static void send(Socket socket, String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    @Test
    void clientsThatBreakOffLeaveNothingInTheLogThatIsNotAnEvent() throws Exception {
        Files.writeString(folder.resolve("belay.toml"), "[server.http]\nbody_timeout = \"20ms\"\n");
        try (RunningServer server = new RunningServer(belay, "--config", "belay.toml")) {
            CompletableFuture<String> log = CompletableFuture.supplyAsync(() -> errors(server));
            String token = server.token();
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Fuzzer fuzzer = new Fuzzer(server, token, new Random(i));
                clients.add(Thread.ofPlatform().start(fuzzer::run));
            }
            for (Thread client : clients) {
                client.join();
            }
            assertThat(server.call("GET", "api/health", token, "")).startsWith("200 ");
            server.end();
            String lines = log.get(Belay.PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(lines.lines()).allMatch(line -> line.matches("\\{\"time\":[ -~]{1,4000}}"));
            assertThat(lines).doesNotContain("already released", "NullPointerException", "\"event\":\"log\"");
        }
    }

    private static String errors(RunningServer server) {
        try {
            return server.errors();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theStartIsLoggedWithVersionAndSettings() throws Exception {
        Files.writeString(folder.resolve("belay.toml"), "");
        try (RunningServer server = new RunningServer(belay, "--config", "belay.toml")) {
            server.end();
            String started =
                    server.errors().lines().filter(line -> line.contains("\"started\"")).findFirst().orElse("");
            assertThat(started).containsPattern("\"version\":\"[^\"]+\"").contains("\"settings\":\"belay.toml\"");
        }
    }

    @Test
    void whatJettyLogsAboutStrangersIsEscapedCutAndThrottled() throws Exception {
        try (RunningServer server = new RunningServer(belay)) {
            for (int i = 0; i < 50; i++) {
                try (Socket socket =
                        new Socket(InetAddress.getLoopbackAddress(), URI.create(server.address).getPort())) {
                    Fuzzer.send(socket, "GET / HTTP/1.1\r\nHost: a b\u0085\u009b[31m" + "x".repeat(4000) + "\r\n\r\n");
                    assertThat(socket.getInputStream().read()).isEqualTo('H');
                }
            }
            server.end();
            List<String> lines = server.errors().lines().toList();
            assertThat(lines).allMatch(line -> line.matches("\\{\"time\":[ -~]{1,1500}}"));
            List<String> about = lines.stream().filter(line -> line.contains("org.eclipse.jetty")).toList();
            assertThat(about).hasSize(2).first().asString()
                    .contains("\"event\":\"log\"", "\"level\":\"warning\"", "\\u0085\\u009B");
            assertThat(about.getLast()).contains("\"more\":49");
        }
    }
}
