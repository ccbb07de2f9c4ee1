package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.server.settings.ServerSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Clients that do not send what they began, on a server that is short of patience. Jetty goes by the time of the
/// machine, so these tests wait; none of them is to be quick.
@Tag("any-user")
class SlowClientTest extends WithServer {
    private static final Duration SHORT = Duration.ofMillis(700);

    @Override
    ServerSettings settings() {
        return super.settings().http(new ServerSettings.HttpLimits(
                8 << 10, 64 << 10, 32, SHORT, SHORT, Duration.ofSeconds(5), Duration.ofMinutes(1), 2048, 256, 64, 100,
                Duration.ofMinutes(30)));
    }

    private String host() {
        return "Host: 127.0.0.1:" + server.port();
    }

    @Test
    void headersThatDripAreCutOff() throws Exception {
        try (Raw raw = new Raw(server.port())) {
            raw.send("GET /api/health/live HTTP/1.1\r\n" + host() + "\r\nX: ");
            Thread drip = Thread.ofVirtual().start(() -> {
                try {
                    while (!Thread.interrupted()) {
                        raw.send("x");
                        Thread.sleep(50);
                    }
                } catch (IOException | InterruptedException _) {
                    // Cut off, as it should be, or the test is done.
                }
            });
            assertThat(raw.ends()).isTrue();
            drip.interrupt();
            drip.join();
        }
    }

    @Test
    void aConnectionThatSaysNothingIsCutOff() throws Exception {
        try (Raw raw = new Raw(server.port())) {
            assertThat(raw.ends()).isTrue();
        }
    }

    @Test
    void aBodyThatDoesNotComeIsGivenUp() throws Exception {
        try (Raw raw = new Raw(server.port())) {
            raw.request("POST /api/sessions HTTP/1.1", host(), "Authorization: Bearer " + ALICE, "Content-Length: 100");
            raw.send("{\"cmd\"");
            assertThat(raw.status()).isEqualTo(408);
        }
        assertThat(sessions.stats().opened()).isZero();
    }

    @Test
    void aWebSocketThatOpensNothingIsClosed() throws Exception {
        try (Socket silent = Socket.connect(http, server.address(), ALICE, "api/attach");
                Socket refused = Socket.connect(http, server.address(), ALICE, "api/attach")) {
            refused.open("{\"cmd\":");
            assertThat(refused.next().json().at("/error/code").asString()).isEqualTo("INVALID_REQUEST");
            for (Socket one : List.of(silent, refused)) {
                assertThat(one.next().json().at("/error/code").asString()).isEqualTo("TIMEOUT");
                assertThat(one.closeCode()).isEqualTo(1008);
            }
        }
    }

    @Test
    void aWebSocketThatHasOpenedASessionStays() throws Exception {
        try (Socket viewer = Socket.connect(http, server.address(), ALICE, "api/attach")) {
            viewer.open("{\"id\":\"stays\",\"cmd\":\"stty -echo; echo up; cat\"}");
            viewer.until("up");
            // Three times as long as a client may take to open something.
            api.post(ALICE, "/api/sessions/stays/wait", "{\"match\":\"never\",\"timeout_ms\":2100}");
            viewer.type("later\n");
            viewer.until("later");
        }
    }

    @Test
    void aViewerIsNotTakenForSlowHeaders() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        try (Socket viewer = Socket.attach(http, server.address(), EVE, id, "?from=0")) {
            viewer.until("up");
            // Three times as long as headers may take, by the session's own clock.
            api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"match\":\"never\",\"timeout_ms\":2100}");
            api.post(ALICE, "/api/sessions/" + id + "/input?newline=true", "later");
            viewer.until("later");
        }
    }
}
