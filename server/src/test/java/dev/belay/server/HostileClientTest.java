package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.server.settings.ServerSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Clients that mean harm, or mean well and are broken, by plain sockets.
@Tag("any-user")
class HostileClientTest extends WithServer {
    @Override
    ServerSettings settings() {
        return super.settings().http(new ServerSettings.HttpLimits(
                8 << 10, 64 << 10, 32, PATIENCE, PATIENCE, Duration.ofSeconds(5), Duration.ofMinutes(1), 2048, 256, 64,
                100, Duration.ofMinutes(30)));
    }

    private String host() {
        return "Host: 127.0.0.1:" + server.port();
    }

    @Test
    void whoIsRefusedBeforeTheBodyCameIsToldThatTheConnectionEnds() throws Exception {
        try (Raw raw = new Raw(server.port())) {
            raw.request("POST /api/sessions HTTP/1.1", host(), "Content-Length: 100");
            assertThat(raw.status()).isEqualTo(401);
            assertThat(new String(raw.rest(), StandardCharsets.ISO_8859_1)).containsIgnoringCase("Connection: close");
        }
    }

    @Test
    void headersThatAreTooLargeAreRefused() throws Exception {
        try (Raw raw = new Raw(server.port())) {
            raw.request("GET / HTTP/1.1", host(), "X: " + "x".repeat(20_000));
            assertThat(raw.status()).isEqualTo(431);
        }
    }

    @Test
    void jsonThatIsNestedTooDeepOrTooLargeIsRefused() throws Exception {
        String deep = "{\"env\":" + "[".repeat(5000) + "]".repeat(5000) + "}";
        assertThat(api.post(ALICE, "/api/sessions", deep).code()).isEqualTo("INVALID_REQUEST");
        assertThat(api.post(ALICE, "/api/sessions", "{\"cmd\":\"true\",\"cmd\":\"false\"}").code())
                .isEqualTo("INVALID_REQUEST");
        assertThat(api.post(ALICE, "/api/sessions", "{\"cols\":" + "9".repeat(2000) + "}").code())
                .isEqualTo("INVALID_REQUEST");
    }

    @Test
    void nobodyIsUpgradedBeforeSigningInSoNoFrameIsReadBeforeThat() throws Exception {
        String id = api.open(ALICE, "echo up; read x");
        for (String query : new String[] {"", "?ticket=forged", "?token=" + ALICE}) {
            try (Raw raw = new Raw(server.port())) {
                raw.send(upgrade(id, query, null));
                // Fragments without an end, from somebody who is nobody.
                for (int i = 0; i < 10; i++) {
                    raw.send(frame(i == 0 ? 0x02 : 0x00, new byte[1000], true));
                }
                assertThat(raw.status()).isEqualTo(query.startsWith("?token") ? 400 : 401);
            } catch (IOException _) {
                // Closed while the fragments were still being sent.
            }
        }
        assertThat(server.viewers().list()).isEmpty();
    }

    @Test
    void framesThatBreakTheProtocolCloseTheConnectionAndNothingElse() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        byte[] unmasked = frame(0x82, new byte[] {0x10, 'x'}, false);
        byte[] reserved = frame(0xC2, new byte[] {0x10, 'x'}, true);
        byte[] unknown = frame(0x8B, new byte[] {0x10, 'x'}, true);
        byte[] text = frame(0x81, new byte[] {(byte) 0xC3, (byte) 0x28}, true);
        byte[] continuation = frame(0x80, new byte[] {0x10}, true);
        byte[] longPing = frame(0x89, new byte[126], true);
        byte[] oversized = header(0x82, (1 << 20) + 1000, true);
        for (byte[] bad : new byte[][] {unmasked, reserved, unknown, text, continuation, longPing, oversized}) {
            try (Raw raw = new Raw(server.port())) {
                raw.send(upgrade(id, "", ALICE));
                assertThat(raw.status()).isEqualTo(101);
                raw.headers();
                raw.send(bad);
                assertThat(raw.ends()).isTrue();
            }
        }
        try (Socket fine = Socket.attach(http, server.address(), ALICE, id, "?from=0")) {
            fine.until("up");
            fine.type("fine\n");
            fine.until("fine");
        }
        assertThat(sessions.get(id).exit()).isEmpty();
    }

    @Test
    void aMessageInFragmentsIsOneMessageAndAnEndlessOneIsCutOff() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        try (Raw raw = new Raw(server.port())) {
            raw.send(upgrade(id, "", ALICE));
            assertThat(raw.status()).isEqualTo(101);
            raw.headers();
            raw.send(frame(0x02, new byte[] {0x10, 'f', 'r'}, true));
            raw.send(frame(0x80, new byte[] {'a', 'g', '\n'}, true));
            assertThat(api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"match\":\"frag\"}").json()
                    .get("wait_result").asString()).isEqualTo("match");
            try {
                raw.send(frame(0x02, new byte[] {0x10}, true));
                for (int i = 0; i < 200; i++) {
                    raw.send(frame(0x00, new byte[16 << 10], true));
                }
            } catch (IOException _) {
                // Cut off, as it should be.
            }
            assertThat(raw.ends()).isTrue();
        }
    }

    @Test
    void aKilledClientLeavesNothingBehind() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        for (int i = 0; i < 20; i++) {
            try (Raw raw = new Raw(server.port())) {
                raw.send(upgrade(id, "?from=0", ALICE));
                assertThat(raw.status()).isEqualTo(101);
            }
        }
        try (Socket viewer = Socket.attach(http, server.address(), ALICE, id, "?from=0")) {
            viewer.until("up");
        }
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!server.viewers().list().isEmpty() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(server.viewers().list()).isEmpty();
    }

    private String upgrade(String id, String query, String token) {
        return "GET /api/sessions/" + id + "/attach" + query + " HTTP/1.1\r\n" + host() + "\r\n"
                + (token == null ? "" : "Authorization: Bearer " + token + "\r\n")
                + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    }

    private static byte[] frame(int first, byte[] payload, boolean masked) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(header(first, payload.length, masked));
        // The mask is zero, so the payload stays as it is.
        out.writeBytes(payload);
        return out.toByteArray();
    }

    private static byte[] header(int first, int length, boolean masked) {
        ByteBuffer out = ByteBuffer.allocate(14).put((byte) first);
        int mask = masked ? 0x80 : 0;
        if (length < 126) {
            out.put((byte) (mask | length));
        } else if (length < 65_536) {
            out.put((byte) (mask | 126)).putShort((short) length);
        } else {
            out.put((byte) (mask | 127)).putLong(length);
        }
        if (masked) {
            out.putInt(0);
        }
        byte[] header = new byte[out.position()];
        out.flip().get(header);
        return header;
    }

    @Test
    void namesWithControlCharactersAreEscapedWhereTheyAreShown() throws Exception {
        var answer = api.get(ALICE, "/api/sessions/a%1b%5b31m");
        assertThat(answer.status()).isIn(400, 404);
        assertThat(new String(answer.bytes(), StandardCharsets.UTF_8)).doesNotContain("\u001b");
    }
}
