package dev.belay.server;

import dev.belay.server.settings.ServerSettings;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A session that prints nothing for long, on a server that is short of patience.
@Tag("any-user")
class QuietLineTest extends WithServer {
    @Override
    ServerSettings settings() {
        return super.settings()
                .viewers(new ServerSettings.ViewerLimits(512 << 10, 64 << 10, Duration.ofMillis(900), 64))
                .http(new ServerSettings.HttpLimits(
                        8 << 10, 256 << 10, 32, Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofSeconds(2),
                        Duration.ofMinutes(1), 2048, 256, 64, 100, Duration.ofMinutes(30)));
    }

    @Test
    void aViewerOfAQuietSessionStaysAndSoDoesALongPoll() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        try (Socket viewer = Socket.attach(http, server.address(), ALICE, id, "?from=0")) {
            viewer.until("up");
            // Longer than a connection may be idle; the wait itself is a request on which nothing moves.
            var waited = api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"exit\":true,\"timeout_ms\":5000}");
            org.assertj.core.api.Assertions.assertThat(waited.json().get("wait_result").asString())
                    .isEqualTo("timeout");
            viewer.type("still\n");
            viewer.until("still");
        }
    }
}
