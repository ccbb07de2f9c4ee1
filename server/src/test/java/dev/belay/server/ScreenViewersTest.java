package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.Limits;
import dev.belay.Until;
import dev.belay.screen.Screen;
import dev.belay.screen.ScreenLimits;
import dev.belay.screen.Sight;
import dev.belay.server.Socket.Message;
import dev.belay.server.settings.ServerSettings.ViewerLimits;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Viewers that take repaints, and what viewers get of questions to the terminal.
class ScreenViewersTest extends WithServer {
    private static final int SCREEN = 8;
    private static final int LOG_BYTES = 4 << 20;
    private static final long WINDOW = ViewerLimits.DEFAULT.windowBytes();

    @Override
    Limits limits() {
        return super.limits().logBytes(LOG_BYTES);
    }

    private Socket attach(String token, String id, String query) throws Exception {
        return Socket.attach(http, server.address(), token, id, query);
    }

    private void await(String id, String text) throws Exception {
        sessions.get(id).cursor().await(Until.match(text), PATIENCE);
    }

    /// A terminal that a viewer draws on.
    private static final class Drawn {
        final Screen screen;
        final int flags;
        long offset;

        Drawn(Message message) {
            ByteBuffer body = message.body().duplicate();
            offset = body.getLong();
            screen = new Screen(body.getShort(), body.getShort(), ScreenLimits.defaults());
            flags = body.get();
            screen.feed(rest(body));
        }

        void output(Message message) {
            ByteBuffer body = message.body().duplicate();
            assertThat(body.getLong()).as("output goes on where the repaint is").isEqualTo(offset);
            byte[] bytes = rest(body);
            offset += bytes.length;
            screen.feed(bytes);
        }

        String text() {
            return screen.snapshot(Sight.ALL, 0).text();
        }
    }

    private static byte[] rest(ByteBuffer body) {
        byte[] bytes = new byte[body.remaining()];
        body.get(bytes);
        return bytes;
    }

    private String shown(String id) {
        return server.screens().look(sessions.get(id)).text();
    }

    @Test
    void aLateViewerGetsThePictureInsteadOfAReplay() throws Exception {
        String id = api.open(ALICE, "stty -echo; seq 1 400000; echo up; read x; echo \"got $x\"; read y");
        await(id, "up");
        try (Socket viewer = attach(ALICE, id, "?screen=1&history=50")) {
            Message attached = viewer.next();
            assertThat(attached.kind()).isZero();
            Message painted = viewer.next();
            assertThat(painted.kind()).isEqualTo(SCREEN);
            assertThat(painted.body().remaining()).as("bytes instead of megabytes").isLessThan(10_000);
            Drawn drawn = new Drawn(painted);
            assertThat(drawn.flags).isZero();
            assertThat(drawn.offset).isEqualTo(attached.json().get("from").asLong());
            assertThat(drawn.text()).isEqualTo(shown(id)).contains("399999\n400000\nup");
            assertThat(drawn.screen.snapshot(Sight.ALL, 50).history()).hasSize(50);
            viewer.type("it\n");
            while (!drawn.text().contains("got it")) {
                drawn.output(viewer.next(1));
            }
            assertThat(metric("belay_viewer_repaints_total{reason=\"attach\"}")).isEqualTo(1);
            assertThat(metric("belay_viewer_repaint_bytes_total")).isPositive();
        }
    }

    private double metric(String name) throws Exception {
        return api.get(ADMIN, "/metrics").text().lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aGapIsFollowedByARepaintAndOutputGoesOnThere() throws Exception {
        String id = api.open(ALICE, "stty -echo; seq 1 900000; echo up; read x; echo \"got $x\"; read y");
        await(id, "up");
        try (Socket viewer = attach(ALICE, id, "?from=0&screen=1"); Socket plain = attach(ALICE, id, "?from=0")) {
            assertThat(viewer.next().kind()).isZero();
            assertThat(viewer.next().kind()).as("the gap").isEqualTo(2);
            Message painted = viewer.next();
            assertThat(painted.kind()).isEqualTo(SCREEN);
            Drawn drawn = new Drawn(painted);
            assertThat(drawn.flags).isEqualTo(1);
            assertThat(drawn.text()).isEqualTo(shown(id));
            assertThat(plain.next().kind()).isZero();
            assertThat(plain.next().kind()).isEqualTo(2);
            assertThat(plain.next().kind()).as("no repaint for a viewer that did not ask for one").isEqualTo(1);
            viewer.type("it\n");
            while (!drawn.text().contains("got it")) {
                drawn.output(viewer.next(1));
            }
        }
    }

    @Test
    void aViewerThatIsFarBehindIsSentThePictureAndNotTheWay() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; read x; seq 1 300000; echo done; read y; echo more; read z");
        await(id, "up");
        try (Socket viewer = attach(ALICE, id, "?screen=1&skip=65536")) {
            Drawn drawn = new Drawn(viewer.next(SCREEN));
            viewer.ack(drawn.offset);
            viewer.type("go\n");
            long sent = 0;
            while (!drawn.text().contains("done")) {
                Message message = viewer.next();
                if (message.kind() == SCREEN) {
                    drawn = new Drawn(message);
                    assertThat(drawn.flags).isEqualTo(2);
                    viewer.ack(drawn.offset);
                } else if (message.kind() == 1) {
                    sent += message.body().remaining();
                    drawn.output(message);
                    viewer.ack(drawn.offset);
                }
            }
            assertThat(drawn.text()).isEqualTo(shown(id));
            assertThat(sent).as("of %d bytes", drawn.offset).isLessThan(drawn.offset);
        }
        try (Socket back = attach(ALICE, id, "?screen=1&skip=65536&from=0")) {
            assertThat(new Drawn(back.next(SCREEN)).text()).isEqualTo(shown(id));
        }
        long end = sessions.get(id).output().end();
        try (Socket back = attach(ALICE, id, "?screen=1&skip=65536&from=" + end)) {
            back.next(0);
            back.type("go\n");
            assertThat(back.next().kind()).as("nothing was missed, so no repaint").isEqualTo(1);
        }
    }

    @Test
    void aViewerThatHasNotAcknowledgedARepaintIsSentNoSecondOne() throws Exception {
        String id = api.open(ALICE, "stty -echo; seq 1 300000; echo one; read x; seq 1 300000; echo two; read y");
        await(id, "one");
        try (Socket viewer = attach(ALICE, id, "?from=0&screen=1&skip=65536")) {
            Drawn drawn = new Drawn(viewer.next(SCREEN));
            assertThat(drawn.offset).as("more than a window ahead").isGreaterThan(WINDOW);
            viewer.ack(0);
            viewer.ack(Long.MAX_VALUE);
            viewer.next(6); // so the first one has been heard
            viewer.type("go\n");
            await(id, "two");
            assertThat(viewer.messages).isEmpty();
            viewer.ack(drawn.offset);
            while (!drawn.text().contains("two")) {
                drawn = new Drawn(viewer.next(SCREEN));
                viewer.ack(drawn.offset);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&screen=1"})
    void questionsAreNulsForEveryViewerAndOffsetsStayTrue(String options) throws Exception {
        String id = api.open(ALICE, "stty raw -echo; printf up; head -c 1 >/dev/null;"
                + " printf 'a\\033[6nb\\033[cc\\033]11;?\\033\\\\d\\033[31me'; head -c 1 >/dev/null");
        await(id, "up");
        try (Socket viewer = attach(ALICE, id, "?from=0" + options)) {
            viewer.until("up");
            viewer.type("x");
            String seen = viewer.until("\033[31me");
            assertThat(seen).isEqualTo("a\0\0\0\0b\0\0\0c\0\0\0\0\0\0\0\0d\033[31me");
            assertThat(api.get(ALICE, "/api/sessions/" + id + "/output?from=2").text())
                    .as("the log has what was printed").isEqualTo("a\033[6nb\033[cc\033]11;?\033\\d\033[31me");
        }
    }

    @Test
    void aSequenceThatIsNotCompleteIsHeldBack() throws Exception {
        String id = api.open(ALICE, "stty raw -echo; printf up; head -c 1 >/dev/null; printf 'a\\033[6'; head -c 1"
                + " >/dev/null; printf 'nb\\033[3'; head -c 1 >/dev/null; printf '1mc\\033['");
        await(id, "up");
        try (Socket viewer = attach(ALICE, id, "?from=0"); Socket late = attach(ALICE, id, "?screen=1")) {
            viewer.until("up");
            viewer.type("x");
            assertThat(viewer.until("a")).isEqualTo("a");
            await(id, "a");
            try (Socket between = attach(ALICE, id, "?screen=1")) {
                Drawn drawn = new Drawn(between.next(SCREEN));
                assertThat(drawn.offset).as("it goes on where the question begins").isEqualTo(3);
                viewer.type("x");
                assertThat(viewer.until("b")).isEqualTo("\0\0\0\0b");
                assertThat(between.until("b")).isEqualTo("\0\0\0\0b");
                viewer.type("x");
                assertThat(viewer.until("c")).isEqualTo("\033[31mc");
                assertThat(between.until("c")).isEqualTo("\033[31mc");
            }
            ByteBuffer rest = viewer.next(1).body();
            assertThat(rest.getLong()).isEqualTo(14);
            assertThat(rest(rest)).as("what never became complete").isEqualTo(new byte[2]);
            assertThat(viewer.next(5).body().getLong()).isEqualTo(sessions.get(id).output().end()).isEqualTo(16);
            assertThat(late.next(SCREEN)).isNotNull();
        }
    }

    @Test
    void aSessionOnPipesIsViewedAsItIs() throws Exception {
        String id = api.post(ALICE, "/api/sessions", "{\"cmd\":\"printf 'a\\\\033[6nb'; read x\",\"mode\":\"pipe\"}")
                .json().get("id").asString();
        try (Socket viewer = attach(ALICE, id, "?screen=1&skip=65536")) {
            assertThat(viewer.until("b")).isEqualTo("a\033[6nb");
        }
    }

    @Test
    void whatMakesNoSenseIsRefusedBeforeTheUpgrade() throws Exception {
        String id = api.open(ALICE, "echo up; read x");
        for (String query : List.of("?history=5", "?skip=70000", "?screen=2", "?screen=1&skip=5",
                "?screen=1&history=-1", "?answers=me",
                "?answers=viewer&mode=watch", "?answers=viewer&screen=1&skip=70000", "?screens=1")) {
            assertThatThrownBy(() -> attach(ALICE, id, query)).as(query)
                    .hasCauseInstanceOf(WebSocketHandshakeException.class)
                    .satisfies(e -> assertThat(((WebSocketHandshakeException) e.getCause()).getResponse().statusCode())
                            .isEqualTo(400));
        }
    }

    @Test
    void theKeyboardAndPrivateOutputLeaveNothingInARepaint() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        try (Socket alice = attach(ALICE, id, "?from=0"); Socket eve = attach(EVE, id, "?screen=1")) {
            alice.until("up");
            eve.next(SCREEN);
            alice.send(0x15, new byte[] {2});
            eve.next(4);
            alice.type("secret word\n");
            alice.until("secret word");
            try (Socket late = attach(EVE, id, "?screen=1")) {
                Message painted = late.next(SCREEN);
                assertThat(painted.text()).doesNotContain("secret");
                assertThat(new Drawn(painted).text()).contains("up");
            }
            alice.send(0x15, new byte[] {0});
            assertThat(eve.next(2).text()).contains("private");
            assertThat(new Drawn(eve.next(SCREEN)).text()).contains("up").doesNotContain("secret");
            alice.type("public word\n");
            assertThat(eve.until("public word")).doesNotContain("secret");
        }
    }

    @Test
    void aViewersColoursAreToldByItsOwnMessageOnly() throws Exception {
        String id = api.open(ALICE, "echo up; cat");
        try (Socket viewer = attach(ALICE, id, "?from=0"); Socket watcher = attach(EVE, id, "?from=0")) {
            viewer.until("up");
            for (String wrong : List.of("", "{", "[]", "{\"foreground\":\"red\"}", "{\"palette\":[\"#fff\"]}",
                    "{\"colour\":\"#ffffff\"}")) {
                viewer.send(0x16, wrong.getBytes(StandardCharsets.UTF_8));
                assertThat(viewer.next(6).json().at("/error/code").asString()).as(wrong).isEqualTo("INVALID_REQUEST");
            }
            watcher.send(0x16, "{}".getBytes(StandardCharsets.UTF_8));
            assertThat(watcher.next(6).json().at("/error/code").asString()).isEqualTo("DENIED");
        }
    }
}
