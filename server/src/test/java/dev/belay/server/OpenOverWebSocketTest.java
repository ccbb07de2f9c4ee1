package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.access.Capacity;
import dev.belay.access.Quota;
import dev.belay.access.Role;
import dev.belay.server.Socket.Message;
import dev.belay.server.attach.DetachReason;
import dev.belay.server.attach.Viewer;
import dev.belay.server.attach.ViewerListener;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Sessions that the first message of a WebSocket opens.
class OpenOverWebSocketTest extends WithServer {
    private static final String CAT = "{\"cmd\":\"stty -echo; echo up; cat\"}";

    private final CountDownLatch opening = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private volatile boolean held;

    /// An open asks how much room there is; a test can hold it there.
    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.capacity(() -> {
            if (held) {
                held = false;
                opening.countDown();
                await(goesOn);
            }
            return Capacity.UNKNOWN;
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Socket connect(String token, String query) throws Exception {
        return Socket.connect(http, server.address(), token, "api/attach" + query);
    }

    private static String code(Message error) {
        assertThat(error.kind()).isEqualTo(6);
        return error.json().at("/error/code").asString();
    }

    @Test
    void oneConnectionOpensASessionAndViewsItFromItsFirstByte() throws Exception {
        try (Socket viewer = connect(ALICE, "")) {
            viewer.open("{\"id\":\"one\",\"labels\":{\"a\":\"b\"},"
                    + "\"cmd\":\"stty -echo; echo ready; read x; echo got $x; exit 7\"}");
            Message attached = viewer.next();
            assertThat(attached.kind()).isZero();
            assertThat(attached.json().get("from").asLong()).isZero();
            assertThat(attached.json().get("mode").asString()).isEqualTo("write");
            assertThat(attached.json().at("/session/id").asString()).isEqualTo("one");
            assertThat(attached.json().at("/session/owner").asString()).isEqualTo("alice");
            assertThat(attached.json().at("/session/origin").asString()).isEqualTo("api");
            assertThat(attached.json().at("/session/labels/a").asString()).isEqualTo("b");
            assertThat(viewer.until("ready")).startsWith("ready");
            viewer.type("hi\n");
            viewer.until("got hi");
            ByteBuffer exit = viewer.next(5).body();
            exit.getLong();
            assertThat(exit.getInt()).isEqualTo(7);
        }
        String events = api.get(ALICE, "/api/events?session=one").text();
        assertThat(events).contains("\"event\":\"opened\"", "\"event\":\"attached\"", "\"origin\":\"api\"");
    }

    @Test
    void inputRightBehindTheOpenIsTypedInOrder() throws Exception {
        try (Socket viewer = connect(ALICE, "")) {
            viewer.open("{\"cmd\":\"while read x; do echo got $x; done\"}");
            StringBuilder expected = new StringBuilder();
            for (int i = 0; i < 100; i++) {
                viewer.type(i + "\n");
                expected.append("got ").append(i).append('\n');
            }
            assertThat(viewer.next().kind()).as("attached comes first").isZero();
            String all = viewer.until("got 99\r\n").replace("\r", "");
            String got = all.lines().filter(line -> line.startsWith("got ")).reduce("", (a, b) -> a + b + "\n");
            assertThat(got).isEqualTo(expected.toString());
        }
    }

    @Test
    void moreInputThanMayWaitIsHeldBackAndLosesNothing() throws Exception {
        int part = 700_000;
        try (Socket viewer = connect(ALICE, "")) {
            held = true;
            viewer.open("{\"mode\":\"pipe\",\"cmd\":\"head -c " + 4 * part + " | wc -c\"}");
            Thread sender = Thread.ofVirtual().start(() -> {
                byte[] input = new byte[part];
                Arrays.fill(input, (byte) 'x');
                for (int i = 0; i < 4; i++) {
                    try {
                        viewer.send(0x10, input);
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                }
            });
            await(opening);
            goesOn.countDown();
            viewer.until(Integer.toString(4 * part));
            sender.join();
        }
    }

    @Test
    void anOpenBeyondALimitIsRefusedAndCanBeSentAgain() throws Exception {
        server.reload(settings().quota(new Quota(1, 10, 5, 10_000, Duration.ofMinutes(1), 1L << 30)));
        String id = api.open(ALICE, "read x");
        String overRest = api.post(ALICE, "/api/sessions", CAT).text();
        try (Socket viewer = connect(ALICE, "")) {
            viewer.open(CAT);
            viewer.type("lost\n");
            Message refused = viewer.next();
            assertThat(refused.text()).as("as over REST").isEqualTo(overRest);
            assertThat(code(refused)).isEqualTo("LIMIT_REACHED");
            assertThat(code(viewer.next())).as("the input behind it").isEqualTo("INVALID_REQUEST");
            api.delete(ALICE, "/api/sessions/" + id + "?force=true");
            viewer.open(CAT);
            assertThat(viewer.next().kind()).isZero();
            viewer.until("up");
            viewer.type("typed\n");
            assertThat(viewer.until("typed")).doesNotContain("lost");
        }
        assertThat(server.gate().overQuota()).isEqualTo(2);
    }

    @Test
    void whatRestRefusesIsRefusedInTheSameWords() throws Exception {
        try (Socket viewer = connect(ALICE, "")) {
            for (String bad : List.of(
                    "{\"cmd\":",
                    "[]",
                    "{\"comand\":[\"true\"]}",
                    "{\"cmd\":1}",
                    "{\"cmd\":\"true\",\"cols\":0}",
                    "{\"cmd\":\"true\",\"workdir\":\"../..\"}",
                    "{\"command\":[\"/no/such/program\"]}")) {
                viewer.open(bad);
                assertThat(viewer.next().text()).isEqualTo(api.post(ALICE, "/api/sessions", bad).text());
            }
            viewer.open("{\"comand\":[\"true\"]}");
            assertThat(viewer.next().text()).contains("command");
            viewer.send(0x18, new byte[] {'{', '"', (byte) 0xFF, '"', ':', '1', '}'});
            assertThat(viewer.next().text()).contains("not valid UTF-8");
            viewer.open("{\"cmd\":\"" + "x".repeat(300_000) + "\"}");
            assertThat(code(viewer.next())).isEqualTo("TOO_LARGE");
            assertThat(sessions.list()).isEmpty();
            viewer.open(CAT);
            viewer.until("up");
        }
    }

    @Test
    void aWatcherMayOpenNothing() throws Exception {
        assertThatThrownBy(() -> connect(EVE, ""))
                .hasCauseInstanceOf(WebSocketHandshakeException.class)
                .cause()
                .extracting(e -> ((WebSocketHandshakeException) e).getResponse().statusCode())
                .isEqualTo(403);
    }

    @Test
    void somebodyMayOpenASessionOnlyToWatchIt() throws Exception {
        try (Socket viewer = connect(ALICE, "?mode=watch&screen=1")) {
            viewer.open(CAT);
            assertThat(viewer.next().json().get("mode").asString()).isEqualTo("watch");
            viewer.until("up");
            viewer.type("no\n");
            assertThat(code(viewer.next(6))).isEqualTo("DENIED");
        }
    }

    @Test
    void aSecondOpenIsRefusedAndChangesNothing() throws Exception {
        try (Socket viewer = connect(ALICE, "")) {
            viewer.open(CAT);
            viewer.until("up");
            viewer.open(CAT);
            assertThat(code(viewer.next(6))).isEqualTo("INVALID_REQUEST");
            viewer.type("still\n");
            viewer.until("still");
            String id = sessions.list().getFirst().id();
            try (Socket attached = Socket.attach(http, server.address(), ALICE, id, "")) {
                attached.open(CAT);
                assertThat(code(attached.next(6))).isEqualTo("INVALID_REQUEST");
            }
        }
        assertThat(sessions.stats().opened()).isEqualTo(1);
    }

    @Test
    void anythingElseIsRefusedUntilASessionIsOpen() throws Exception {
        try (Socket viewer = connect(ALICE, "")) {
            viewer.type("x");
            assertThat(viewer.next().text()).contains("send open (0x18) first");
            viewer.ack(0);
            assertThat(code(viewer.next())).isEqualTo("INVALID_REQUEST");
            viewer.send(0x77, new byte[0]);
            assertThat(code(viewer.next())).isEqualTo("INVALID_REQUEST");
            viewer.raw().sendBinary(ByteBuffer.allocate(0), true).get(60, TimeUnit.SECONDS);
            assertThat(code(viewer.next())).isEqualTo("INVALID_REQUEST");
            assertThat(sessions.stats().opened()).isZero();
            viewer.open(CAT);
            viewer.until("up");
        }
        try (Socket viewer = connect(ALICE, "")) {
            viewer.raw().sendText("{}", true).get(60, TimeUnit.SECONDS);
            assertThat(viewer.closeCode()).isEqualTo(1003);
        }
    }

    @Test
    void parametersThatMakeNoSenseHereAreRefused() {
        for (String query : List.of("?from=0", "?owner=alice", "?mod=watch")) {
            assertThatThrownBy(() -> connect(ALICE, query)).hasCauseInstanceOf(WebSocketHandshakeException.class);
        }
    }

    @Test
    void aTicketOpensOneConnection() throws Exception {
        String ticket = api.post(ALICE, "/api/tickets", "").json().get("ticket").asString();
        try (Socket viewer = connect(null, "?ticket=" + ticket)) {
            viewer.open(CAT);
            assertThat(viewer.next().json().at("/session/owner").asString()).isEqualTo("alice");
            assertThatThrownBy(() -> connect(null, "?ticket=" + ticket))
                    .hasCauseInstanceOf(WebSocketHandshakeException.class);
        }
        assertThatThrownBy(() -> connect(null, "")).hasCauseInstanceOf(WebSocketHandshakeException.class);
    }

    @Test
    void aTokenThatWasRevokedMeanwhileOpensNothing() throws Exception {
        try (Socket viewer = connect(ALICE, "")) {
            server.reload(settings().accounts(List.of(account("admin", Role.ADMIN, ADMIN))));
            // Who is not signed in any more gets to know nothing else.
            viewer.open("not JSON");
            assertThat(code(viewer.next())).isEqualTo("UNAUTHENTICATED");
            assertThat(viewer.closeCode()).isEqualTo(4001);
        }
        assertThat(sessions.stats().opened()).isZero();
    }

    @Test
    void aClientThatGoesDuringTheOpenLeavesTheSessionAsOverRest() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        server.viewers().addListener(new ViewerListener() {
            @Override
            public void came(Viewer viewer) {}

            @Override
            public void left(Viewer viewer, DetachReason why) {
                left.countDown();
            }
        });
        Socket viewer = connect(ALICE, "");
        held = true;
        viewer.open("{\"id\":\"kept\",\"cmd\":\"stty -echo; echo up; cat\"}");
        await(opening);
        viewer.close();
        goesOn.countDown();
        await(left);
        assertThat(server.viewers().list()).isEmpty();
        assertThat(api.get(ALICE, "/api/sessions/kept").json().get("state").asString()).isEqualTo("running");
        try (Socket again = Socket.attach(http, server.address(), ALICE, "kept", "?from=0")) {
            again.until("up");
        }
    }

    @Test
    void aServerThatStopsDuringTheOpenLeavesNothing() throws Exception {
        try (Socket viewer = connect(ALICE, ""); Socket idle = connect(ALICE, "")) {
            held = true;
            viewer.open(CAT);
            await(opening);
            Thread stopping = Thread.ofVirtual().start(server::close);
            assertThat(idle.closeCode()).isEqualTo(1001);
            goesOn.countDown();
            stopping.join();
        }
        assertThat(sessions.stats().opened()).isZero();
    }
}
