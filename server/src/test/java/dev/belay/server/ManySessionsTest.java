package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Two hundred sessions, each with a viewer, at once.
class ManySessionsTest extends WithServer {
    private static final int MANY = 200;

    @Test
    void twoHundredSessionsEchoAtOnce() throws Exception {
        List<Socket> viewers = new ArrayList<>();
        try {
            for (int i = 0; i < MANY; i++) {
                String id = api.open(ALICE, "stty -echo; echo up; cat");
                viewers.add(Socket.attach(http, server.address(), ALICE, id, "?from=0"));
            }
            for (Socket viewer : viewers) {
                viewer.until("up");
            }
            for (int i = 0; i < MANY; i++) {
                viewers.get(i).type("echo-" + i + "\n");
            }
            for (int i = 0; i < MANY; i++) {
                viewers.get(i).until("echo-" + i);
            }
            assertThat(sessions.stats().permitsUsed()).isEqualTo(MANY);
            String metrics = api.get(ADMIN, "/metrics").text();
            assertThat(metrics).contains("belay_sessions_live 200.0", "belay_viewers 200.0",
                    "belay_viewer_echo_seconds_count 200", "belay_session_first_byte_seconds_count 200", "jvm_");
        } finally {
            viewers.forEach(Socket::close);
        }
    }
}
