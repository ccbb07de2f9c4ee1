package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.agent.AgentSettings;
import dev.belay.mcp.Results;
import dev.belay.server.logs.EventLog;
import dev.belay.server.mcp.McpDoor;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.ServerSettings.HttpLimits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Floods of clients that do not sign in, next to one that does. A short form of it by default; `-Dbelay.flood=2048` is
/// the full one.
class LockOutTest extends WithServer {
    private static final int FLOOD = Integer.getInteger("belay.flood", 300);
    private static final int BUDGET = 64;
    private static final Duration BODY = Duration.ofSeconds(3);
    private static final String POLLING = "/socket.io/?EIO=4&transport=polling";

    private final ByteArrayOutputStream log = new ByteArrayOutputStream();

    @Override
    ServerSettings settings() {
        // Longer than a test may take: no clock frees a place.
        return super.settings().http(new HttpLimits(8 << 10, 64 << 10, 32, Duration.ofMinutes(10), BODY,
                Duration.ofMinutes(10), Duration.ofMinutes(1), FLOOD, BUDGET, 8, 100, Duration.ofMinutes(30)));
    }

    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.events(EventLog.json(new PrintStream(log, true, StandardCharsets.UTF_8)))
                .mount(McpDoor.PATH, one -> new McpDoor(one, () -> AgentSettings.DEFAULT, () -> Results.TEXT, "test"));
    }

    private String host() {
        return "Host: 127.0.0.1:" + server.port();
    }

    private long logged(String event) {
        return log.toString(StandardCharsets.UTF_8).lines()
                .filter(line -> line.contains("\"event\":\"" + event + "\""))
                .count();
    }

    /// Everything that a client with a token does, and what monitors do without one.
    private void requireService(Socket viewer, String typed) throws Exception {
        viewer.type(typed + "\n");
        viewer.until(typed);
        try (HttpClient newcomer = HttpClient.newHttpClient()) {
            requireService(new Api(newcomer, server.address()));
        }
    }

    private static void requireService(Api api) throws Exception {
        assertThat(api.get(null, "/api/health/live").status()).isEqualTo(200);
        assertThat(api.get(ADMIN, "/metrics").text()).contains("belay_connections_unauthenticated ");
        String sid = sid(api.get(null, POLLING).text());
        api.send(null, "POST", POLLING + "&sid=" + sid,
                ("40{\"token\":\"" + ALICE + "\"}").getBytes(StandardCharsets.UTF_8));
        assertThat(api.get(null, POLLING + "&sid=" + sid).text()).startsWith("40{\"sid\":");
        api.send(null, "POST", POLLING + "&sid=" + sid, "1".getBytes(StandardCharsets.UTF_8));
    }

    private static String sid(String open) {
        Matcher sid = Pattern.compile("\"sid\":\"([^\"]+)\"").matcher(open);
        assertThat(sid.find()).as(open).isTrue();
        return sid.group(1);
    }

    /// A handshake on a connection that is kept for the next one.
    private static String handshake(Raw raw, String host) throws IOException {
        raw.request("GET " + POLLING + " HTTP/1.1", host);
        assertThat(raw.status()).isEqualTo(200);
        int length = 0;
        for (String line = raw.line(); !line.isEmpty(); line = raw.line()) {
            if (line.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                length = Integer.parseInt(line.substring(15).strip());
            }
        }
        StringBuilder body = new StringBuilder();
        for (int i = 0; i < length; i++) {
            body.append((char) raw.read());
        }
        return sid(body.toString());
    }

    @Test
    void handshakesOfStrangersLockNobodyOut() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        try (Socket viewer = Socket.attach(http, server.address(), ALICE, id, "?from=0");
                Raw raw = new Raw(server.port())) {
            viewer.until("up");
            for (int i = 0; i < FLOOD; i++) {
                handshake(raw, host());
            }
            assertThat(server.terminals().stats().strangers()).isEqualTo(BUDGET);
            requireService(viewer, "after the handshakes");
        }
        assertThat(logged("handshakes_full")).as("throttled").isEqualTo(1);
    }

    @Test
    void connectionsThatSayNothingLockNobodyOut() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        List<Raw> idle = new ArrayList<>();
        try (Socket viewer = Socket.attach(http, server.address(), ALICE, id, "?from=0")) {
            viewer.until("up");
            for (int i = 0; i < FLOOD; i++) {
                idle.add(new Raw(server.port()));
            }
            requireService(viewer, "among silent ones");
            // The oldest were closed, not the newest.
            assertThat(idle.getFirst().ends()).isTrue();
            assertThat(server.connections().strangers()).isLessThanOrEqualTo(BUDGET);
        } finally {
            for (Raw raw : idle) {
                raw.close();
            }
        }
        assertThat(logged("connections_full")).as("throttled").isEqualTo(1);
        assertThat(server.connections().crowdedOut()).isPositive();
    }

    @Test
    void thoseThatHaveSignedInLeaveRoomForOthersAndForHealth() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        List<Raw> many = new ArrayList<>();
        try (Socket viewer = Socket.attach(http, server.address(), ADMIN, id, "?from=0")) {
            viewer.until("up");
            for (int i = 0; i < FLOOD; i++) {
                Raw raw = new Raw(server.port());
                many.add(raw);
                raw.request("GET /api/health HTTP/1.1", host(), "Authorization: Bearer " + ALICE);
                assertThat(raw.status()).isEqualTo(200);
            }
            assertThat(server.connections().known()).isEqualTo(FLOOD - 2 * BUDGET);
            requireService(viewer, "among those that have signed in");
        } finally {
            for (Raw raw : many) {
                raw.close();
            }
        }
        assertThat(log.toString(StandardCharsets.UTF_8)).contains("too many connections that have signed in");
    }

    @Test
    void bodiesThatDripLockNobodyOut() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        List<Raw> dripping = new ArrayList<>();
        try (Socket viewer = Socket.attach(http, server.address(), ALICE, id, "?from=0")) {
            viewer.until("up");
            for (int i = 0; i < FLOOD; i++) {
                Raw raw = new Raw(server.port());
                dripping.add(raw);
                String sid = handshake(raw, host());
                raw.request("POST " + POLLING + "&sid=" + sid + " HTTP/1.1", host(), "Content-Length: 1000");
                raw.send("4");
            }
            requireService(viewer, "among dripping ones");
        } finally {
            for (Raw raw : dripping) {
                raw.close();
            }
        }
    }

    @Test
    void aBodyThatDripsIsAnsweredWith408AtEveryDoor() throws Exception {
        String sid = sid(api.get(null, POLLING).text());
        api.send(null, "POST", POLLING + "&sid=" + sid,
                ("40{\"token\":\"" + ALICE + "\"}").getBytes(StandardCharsets.UTF_8));
        for (String target : List.of("/api/sessions", "/api/login", "/mcp", POLLING + "&sid=" + sid)) {
            try (Raw raw = new Raw(server.port())) {
                raw.request("POST " + target + " HTTP/1.1", host(), "Authorization: Bearer " + ALICE,
                        "Content-Length: 1000");
                Thread drip = drip(raw);
                assertThat(raw.status()).as(target).isEqualTo(408);
                String rest = new String(raw.rest(), StandardCharsets.ISO_8859_1);
                drip.interrupt();
                drip.join();
                assertThat(rest).as(target).containsIgnoringCase("Connection: close").doesNotContain("Exception");
            }
        }
    }

    @Test
    void aPostEndsWithItsSession() throws Exception {
        try (Raw raw = new Raw(server.port())) {
            String sid = handshake(raw, host());
            raw.request("POST " + POLLING + "&sid=" + sid + " HTTP/1.1", host(), "Content-Length: 1000");
            raw.send("4");
            // Another POST at the same time is not allowed, and ends the session.
            assertThat(api.send(null, "POST", POLLING + "&sid=" + sid, new byte[] {'1'}).status()).isEqualTo(400);
            assertThat(raw.status()).isEqualTo(400);
            assertThat(raw.ends()).isTrue();
        }
    }

    private static Thread drip(Raw raw) {
        return Thread.ofVirtual().start(() -> {
            try {
                while (!Thread.interrupted()) {
                    raw.send("4");
                    Thread.sleep(100);
                }
            } catch (IOException | InterruptedException _) {
                // Cut off, or the test is done.
            }
        });
    }
}
