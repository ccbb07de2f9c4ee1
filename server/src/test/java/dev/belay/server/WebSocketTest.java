package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.access.Role;
import dev.belay.server.Socket.Message;
import dev.belay.server.settings.ServerSettings;
import java.io.ByteArrayOutputStream;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Viewers over WebSocket.
class WebSocketTest extends WithServer {
    private Socket attach(String token, String id, String query) throws Exception {
        return Socket.attach(http, server.address(), token, id, query);
    }

    @Test
    void aViewerTypesAndSeesTheAnswerAndTheExit() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo ready; read x; echo \"got $x\"; exit 7");
        try (Socket viewer = attach(ALICE, id, "?from=0")) {
            Message attached = viewer.next();
            assertThat(attached.kind()).isZero();
            assertThat(attached.json().at("/session/id").asString()).isEqualTo(id);
            assertThat(attached.json().get("mode").asString()).isEqualTo("write");
            viewer.until("ready");
            viewer.type("hi\n");
            viewer.until("got hi");
            ByteBuffer exit = viewer.next(5).body();
            assertThat(exit.getLong()).isEqualTo(sessions.get(id).output().end());
            assertThat(exit.getInt()).isEqualTo(7);
        }
    }

    @Test
    void aTicketOpensOneViewerAndNoSecond() throws Exception {
        String id = api.open(ALICE, "echo up; read x");
        String ticket = api.post(ALICE, "/api/tickets", "").json().get("ticket").asString();
        try (Socket viewer = attach(null, id, "?ticket=" + ticket)) {
            viewer.until("up");
            assertThatThrownBy(() -> attach(null, id, "?ticket=" + ticket))
                    .hasCauseInstanceOf(WebSocketHandshakeException.class);
        }
    }

    @Test
    void aWatcherSeesEverythingAndChangesNothing() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo ready; read x; echo \"got $x\"");
        try (Socket watcher = attach(EVE, id, "?from=0"); Socket mine = attach(ALICE, id, "?from=0&mode=watch")) {
            for (Socket one : List.of(watcher, mine)) {
                one.until("ready");
                one.type("no\n");
                assertThat(one.next(6).json().at("/error/code").asString()).isEqualTo("DENIED");
                one.resize(50, 20);
                assertThat(one.next(6).json().at("/error/code").asString()).isEqualTo("DENIED");
                one.send(0x14, "SIGKILL".getBytes(StandardCharsets.UTF_8));
                assertThat(one.next(6).json().at("/error/code").asString()).isEqualTo("DENIED");
                one.send(0x15, new byte[] {1});
                assertThat(one.next(6).json().at("/error/code").asString()).isEqualTo("DENIED");
            }
            api.post(ALICE, "/api/sessions/" + id + "/input?newline=true", "yes");
            watcher.until("got yes");
            assertThat(api.all(ALICE, id)).doesNotContain("no");
            assertThat(sessions.get(id).snapshot().cols()).isEqualTo(80);
        }
        assertThatThrownBy(() -> attach(EVE, id, "?mode=write"))
                .hasCauseInstanceOf(WebSocketHandshakeException.class);
    }

    @Test
    void theSizeFollowsTheMostRecentWriterAndViewersAreTold() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        try (Socket one = attach(ALICE, id, "?from=0"); Socket two = attach(ADMIN, id, "?from=0")) {
            one.until("up");
            two.until("up");
            one.resize(100, 40);
            ByteBuffer told = two.next(3).body();
            assertThat(List.of(told.getShort(), told.getShort())).isEqualTo(List.of((short) 100, (short) 40));
            two.resize(60, 20);
            one.next(3);
            ByteBuffer again = one.next(3).body();
            assertThat(again.getShort()).isEqualTo((short) 60);
            one.type("x\n");
            one.until("x");
            assertThat(sessions.get(id).snapshot().cols()).as("one typed last").isEqualTo(100);
        }
    }

    @Test
    void forgedMessagesAreAnsweredAndChangeNothing() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        try (Socket viewer = attach(ALICE, id, "?from=0")) {
            viewer.until("up");
            List<byte[]> acks = List.of(
                    ByteBuffer.allocate(8).putLong(-1).array(),
                    ByteBuffer.allocate(8).putLong(Long.MAX_VALUE).array(),
                    ByteBuffer.allocate(8).putDouble(Double.NaN).array(),
                    ByteBuffer.allocate(8).putLong(1_000_000).array(),
                    new byte[3]);
            for (byte[] ack : acks) {
                viewer.send(0x12, ack);
                assertThat(viewer.next(6).json().at("/error/code").asString()).isEqualTo("INVALID_REQUEST");
            }
            for (int[] size : new int[][] {{0, 24}, {80, 0}, {65535, 24}, {80, 65535}}) {
                viewer.resize(size[0], size[1]);
                assertThat(viewer.next(6).json().at("/error/code").asString()).isEqualTo("INVALID_REQUEST");
            }
            viewer.send(0x77, new byte[0]);
            assertThat(viewer.next(6).json().at("/error/code").asString()).isEqualTo("INVALID_REQUEST");
            viewer.send(0x14, "SIGNOSUCH".getBytes(StandardCharsets.UTF_8));
            assertThat(viewer.next(6).json().at("/error/code").asString()).isEqualTo("INVALID_REQUEST");
            viewer.type("still here\n");
            viewer.until("still here");
            assertThat(sessions.get(id).snapshot().cols()).isEqualTo(80);
        }
    }

    @Test
    void anInputWithAnIdIsTakenOnce() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        try (Socket viewer = attach(ALICE, id, "?from=0")) {
            viewer.until("up");
            byte[] once = "\u0003abconce\n".getBytes(StandardCharsets.UTF_8);
            viewer.send(0x11, once);
            viewer.send(0x11, once);
            for (int i = 0; i < 2; i++) {
                ByteBuffer taken = viewer.next(7).body();
                assertThat(taken.getInt()).isEqualTo(5);
                assertThat(StandardCharsets.UTF_8.decode(taken).toString()).isEqualTo("abc");
            }
        }
        assertThat(sessions.stats().inputsRepeated()).isEqualTo(1);
    }

    @Test
    void aReconnectAtTheOffsetHasNoGapAndNoDuplicate() throws Exception {
        String id = api.open(ALICE, "seq 1 20000; read x");
        assertThat(api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"match\":\"20000\\n\"}").status())
                .isEqualTo(200);
        long end = sessions.get(id).output().end();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        long at = 0;
        while (at < end) {
            // Each connection takes one message and is cut.
            try (Socket viewer = attach(ALICE, id, "?from=" + at)) {
                ByteBuffer body = viewer.next(1).body();
                assertThat(body.getLong()).isEqualTo(at);
                byte[] bytes = new byte[body.remaining()];
                body.get(bytes);
                all.writeBytes(bytes);
                at += bytes.length;
            }
        }
        assertThat(all.toString(StandardCharsets.UTF_8)).isEqualTo(numbers(20000));
    }

    private static String numbers(int last) {
        StringBuilder text = new StringBuilder();
        for (int i = 1; i <= last; i++) {
            text.append(i).append("\r\n");
        }
        return text.toString();
    }

    @Test
    void acknowledgementsHoldTheOutputWithinTheWindow() throws Exception {
        String id = api.open(ALICE, "stty raw -echo; echo up; read x; head -c 3000000 /dev/zero; read y");
        try (Socket viewer = attach(ALICE, id, "?from=0")) {
            viewer.until("up");
            viewer.ack(1);
            viewer.type("go\n");
            int window = ServerSettings.ViewerLimits.DEFAULT.windowBytes();
            long at = 0;
            while (at < 1 + window) {
                ByteBuffer body = viewer.next(1).body();
                at = body.getLong() + body.remaining();
            }
            assertThat(at).as("not a byte beyond the window").isEqualTo(1 + window);
            api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"idle_ms\":200}");
            assertThat(viewer.messages).isEmpty();
            viewer.ack(at);
            ByteBuffer more = viewer.next(1).body();
            assertThat(more.getLong()).isEqualTo(at);
        }
    }

    @Test
    void threeViewersOfAFloodOneOfWhichNeverReads() throws Exception {
        String id = api.open(ALICE, "stty raw -echo; echo up; read x; "
                + "head -c 6000000 /dev/zero | tr '\\0' 'a'; echo END; read y");
        // The JDK's client reads on only when it is asked to: this one never asks.
        List<Object> stalled = new ArrayList<>();
        var sleeper = http.newWebSocketBuilder()
                .header("Authorization", "Bearer " + ALICE)
                .buildAsync(
                        java.net.URI.create(
                                server.address().replaceFirst("http", "ws") + "api/sessions/" + id + "/attach?from=0"),
                        new java.net.http.WebSocket.Listener() {
                            @Override
                            public void onOpen(java.net.http.WebSocket socket) {
                                stalled.add(socket);
                            }
                        })
                .get();
        try (Socket one = attach(ALICE, id, "?from=0"); Socket two = attach(ADMIN, id, "?from=0")) {
            one.until("up");
            two.until("up");
            one.type("go\n");
            byte[] first = flood(one);
            byte[] second = flood(two);
            assertThat(first).hasSize(6_000_000);
            assertThat(Arrays.equals(first, second)).isTrue();
            assertThat(server.viewers().list()).as("%s %s", one.closed, two.closed).hasSize(3);
            assertThat(stalled).hasSize(1);
        } finally {
            sleeper.abort();
        }
    }

    /// Reads to the line END, without it and what stood before the flood; fails on a gap.
    private static byte[] flood(Socket viewer) throws InterruptedException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        long at = -1;
        boolean ended = false;
        while (!ended) {
            Message message = viewer.next();
            assertThat(message.kind()).as("output, not a gap").isNotEqualTo(2);
            if (message.kind() == 1) {
                ByteBuffer body = message.body();
                long offset = body.getLong();
                assertThat(at < 0 || offset == at).as("nothing left out").isTrue();
                byte[] bytes = new byte[body.remaining()];
                body.get(bytes);
                all.writeBytes(bytes);
                at = offset + bytes.length;
                ended = bytes[bytes.length - 1] == '\n' && all.size() > 6_000_000;
            }
        }
        return Arrays.copyOf(all.toByteArray(), all.size() - 4);
    }

    @Test
    void aRevokedTokenEndsItsViewersAndNoOthers() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        try (Socket mine = attach(ALICE, id, "?from=0"); Socket admins = attach(ADMIN, id, "?from=0")) {
            mine.until("up");
            admins.until("up");
            server.reload(settings().accounts(List.of(account("admin", Role.ADMIN, ADMIN))));
            assertThat(mine.closeCode()).isEqualTo(4001);
            assertThat(mine.closeReason.get()).isEqualTo("revoked");
            admins.type("on\n");
            admins.until("on");
            assertThat(api.get(ALICE, "/api/sessions").code()).isEqualTo("UNAUTHENTICATED");
        }
    }

    @Test
    void aClosedSessionTellsItsViewers() throws Exception {
        String id = api.open(ALICE, "echo up; read x");
        try (Socket viewer = attach(ALICE, id, "?from=0")) {
            viewer.until("up");
            api.delete(ALICE, "/api/sessions/" + id);
            ByteBuffer exit = viewer.next(5).body();
            exit.getLong();
            assertThat(exit.getInt()).isGreaterThan(128);
            assertThat(viewer.closeCode()).isEqualTo(1000);
            assertThat(viewer.closeReason.get()).isEqualTo("closed");
        }
    }

    @Test
    void aStoppingServerSaysGoodbye() throws Exception {
        String id = api.open(ALICE, "echo up; read x");
        try (Socket viewer = attach(ALICE, id, "?from=0")) {
            viewer.until("up");
            server.close();
            assertThat(viewer.closeCode()).isEqualTo(1001);
        }
    }

    @Test
    void theKeyboardIsTakenPrivatelyAndOthersSeeAGap() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        try (Socket mine = attach(ALICE, id, "?from=0"); Socket watcher = attach(EVE, id, "?from=0")) {
            mine.until("up\r\n");
            watcher.until("up\r\n");
            mine.send(0x15, new byte[] {2});
            assertThat(watcher.next(4).text()).isEqualTo("\1alice");
            mine.type("secret\n");
            mine.until("secret\r\n");
            mine.send(0x15, new byte[] {0});
            Message gap = watcher.next(2);
            ByteBuffer body = gap.body();
            body.getLong();
            assertThat(body.getLong()).isEqualTo(8);
            assertThat(StandardCharsets.UTF_8.decode(body).toString()).isEqualTo("private");
        }
    }
}
