package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.Limits;
import dev.belay.server.Api.Answer;
import dev.belay.server.settings.ServerSettings;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Input is never lost without a word.
class InputTest extends WithServer {
    private Duration patience = Duration.ofSeconds(10);

    @Override
    Limits limits() {
        return super.limits().writeTimeout(patience);
    }

    @Override
    ServerSettings settings() {
        return super.settings().allowedOrigins(List.of("tauri://localhost"));
    }

    private String deaf() throws Exception {
        String id = api.open(ALICE, "stty raw -echo; trap 'echo got INT; exit 3' INT; echo up; "
                + "while :; do sleep 1000 & wait; done");
        api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"match\":\"up\"}");
        return id;
    }

    private static byte[] once(String id, int length) {
        byte[] name = id.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(1 + name.length + length).put((byte) name.length).put(name).array();
    }

    @Test
    void anInputThatIsNotTakenWholeIsToldAndWhatWaitsBehindItIsNotWritten() throws Exception {
        sessions.limits(limits().writeTimeout(Duration.ofMillis(500)));
        String id = deaf();
        try (Socket viewer = Socket.attach(http, server.address(), ALICE, id, "?from=0")) {
            viewer.until("up");
            viewer.type("ok");
            viewer.send(0x10, new byte[500_000]);
            viewer.type("behind");
            viewer.send(0x11, once("last", 7));
            ByteBuffer cut = viewer.next(0x0c).body();
            assertThat(cut.getInt()).as("the second one").isEqualTo(2);
            assertThat(cut.getInt()).isBetween(1, 499_999);
            assertThat(cut.getInt()).isEqualTo(500_000);
            ByteBuffer behind = viewer.next(0x0c).body();
            assertThat(List.of(behind.getInt(), behind.getInt(), behind.getInt())).isEqualTo(List.of(3, 0, 6));
            ByteBuffer last = viewer.next(0x07).body();
            assertThat(last.getInt()).isZero();
            assertThat(StandardCharsets.UTF_8.decode(last).toString()).isEqualTo("last");
        }
    }

    @Test
    void signalsResizesAndPingsPassInputThatWaits() throws Exception {
        patience = Duration.ofMinutes(3);
        sessions.limits(limits());
        String id = deaf();
        try (Socket viewer = Socket.attach(http, server.address(), ALICE, id, "?from=0")) {
            viewer.until("up");
            for (int i = 0; i < 10; i++) {
                viewer.send(0x10, new byte[100_000]);
            }
            viewer.resize(91, 33);
            ByteBuffer resized = viewer.next(3).body();
            assertThat(resized.getShort()).isEqualTo((short) 91);
            viewer.send(0x15, new byte[] {1});
            assertThat(viewer.next(4).text()).isEqualTo("\0alice");
            viewer.send(0x14, "SIGINT".getBytes(StandardCharsets.UTF_8));
            viewer.until("got INT");
            assertThat(viewer.next(5).body().getInt(8)).isEqualTo(3);
        }
    }

    @Test
    void aLineThatTheTerminalWouldCutIsRefusedOverEveryDoor() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"match\":\"up\"}");
        String tooLong = "x".repeat(4096);
        Answer rest = api.post(ALICE, "/api/sessions/" + id + "/input?newline=true&input_id=a", tooLong);
        assertThat(rest.status()).isEqualTo(409);
        assertThat(rest.code()).isEqualTo("NOT_WRITABLE");
        assertThat(rest.json().at("/error/max_line_bytes").asInt()).isEqualTo(4095);
        try (Socket viewer = Socket.attach(http, server.address(), ALICE, id, "?from=0")) {
            viewer.until("up");
            viewer.type(tooLong + "\n");
            assertThat(viewer.next(6).json().at("/error/reason").asString()).isEqualTo("line_too_long");
            assertThat(api.post(ALICE, "/api/sessions/" + id + "/input?newline=true&input_id=a", "short").status())
                    .as("nothing was written under that id").isEqualTo(200);
            assertThat(viewer.until("short")).doesNotContain("x");
        }
    }

    @Test
    void anInputIdBelongsToItsPrincipalAndItsBytes() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"match\":\"up\"}");
        String path = "/api/sessions/" + id + "/input?newline=true&input_id=k";
        assertThat(api.post(ALICE, path, "one").status()).isEqualTo(200);
        assertThat(api.post(ALICE, path, "one").json().get("taken").asInt()).isEqualTo(4);
        assertThat(api.post(ALICE, path, "two").code()).isEqualTo("ALREADY_EXISTS");
        assertThat(api.post(ADMIN, path, "three").json().get("taken").asInt()).isEqualTo(6);
        api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"match\":\"three\"}");
        assertThat(api.get(ALICE, "/api/sessions/" + id + "/output?from=0").text()).isEqualTo("up\r\none\r\nthree\r\n");
        assertThat(sessions.stats().inputsRepeated()).isEqualTo(1);
    }

    @Test
    void unknownQueryParametersAreRefusedOnEveryRoute() throws Exception {
        String id = api.open(ALICE, "stty -echo; echo up; cat");
        for (String route : server.routes()) {
            String[] parts = route.replaceAll("\\{\\w+}", id).split(" ", -1);
            byte[] body = parts[0].equals("POST") ? "{}".getBytes(StandardCharsets.UTF_8) : null;
            Answer answer = api.send(ADMIN, parts[0], parts[1] + "?nonsense=1", body);
            assertThat(answer.status()).as("%s: %s", route, answer).isEqualTo(400);
            assertThat(answer.text()).contains("nonsense");
        }
        Answer typo = api.post(ALICE, "/api/sessions/" + id + "/input?inputId=1", "x\n");
        assertThat(typo.text()).contains("did you mean input_id?");
        assertThat(api.get(ALICE, "/api/sessions/" + id + "/output?form=0").text()).contains("did you mean from?");
        assertThat(api.get(ALICE, "/api/me?from=0").text()).contains("it takes none");
        assertThat(api.post(ALICE, "/api/sessions", "{\"cmd\":\"true\",\"lables\":{}}").text())
                .contains("did you mean labels?");
        String ticket = api.post(ALICE, "/api/tickets", "").json().get("ticket").asString();
        assertThatThrownBy(
                () -> Socket.attach(http, server.address(), null, id, "?form=0&ticket=" + ticket))
                .hasCauseInstanceOf(WebSocketHandshakeException.class);
        try (Socket viewer = Socket.attach(http, server.address(), null, id, "?from=0&ticket=" + ticket)) {
            viewer.until("up");
        }
        assertThat(sessions.get(id).output().end()).as("nothing was typed").isEqualTo(4);
    }

    @Test
    void aPageOfAnAllowedOriginMayReadEveryHeaderOfBelay() throws Exception {
        String id = api.open(ALICE, "true");
        api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"exit\":true}");
        Answer end =
                api.send(ALICE, "GET", "/api/sessions/" + id + "/output?from=0", null, "Origin", "tauri://localhost");
        List<String> exposed = List.of(end.header("Access-Control-Expose-Headers").toLowerCase(java.util.Locale.ROOT)
                .split(", "));
        assertThat(end.header("Belay-End")).isEqualTo("true");
        assertThat(end.response().headers().map().keySet().stream().filter(name -> name.startsWith("belay-")))
                .hasSizeGreaterThanOrEqualTo(4)
                .allMatch(exposed::contains);
        assertThat(exposed).contains("retry-after", "belay-gap", "mcp-session-id");
    }
}
