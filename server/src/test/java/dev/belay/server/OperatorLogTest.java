package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Sessions;
import dev.belay.server.logs.EventLog;
import dev.belay.testkit.MovedClock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What an operator finds in the log.
class OperatorLogTest extends WithServer {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final EventLog log = EventLog.json(new PrintStream(out, true, StandardCharsets.UTF_8));
    private final MovedClock clock = new MovedClock();

    @Override
    Sessions.Builder refine(Sessions.Builder builder) {
        return builder.observer(log);
    }

    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.events(log).time(clock);
    }

    private List<String> lines(String event) {
        return out.toString(StandardCharsets.UTF_8).lines()
                .filter(line -> line.contains("\"event\":\"" + event + "\""))
                .toList();
    }

    private void await(String event) {
        await(event, "");
    }

    private void await(String event, String about) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (lines(event).stream().noneMatch(line -> line.contains(about)) && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(lines(event)).as(event).anyMatch(line -> line.contains(about));
    }

    @Test
    void failedSignInsAreLoggedOnceWithTheirAddressAndWithoutTheToken() throws Exception {
        for (int i = 0; i < 40; i++) {
            api.get("a-wrong-secret-" + i, "/api/sessions");
        }
        assertThat(lines("login_failed")).singleElement().asString().contains("\"address\":\"127.0.0.1\"");
        assertThat(lines("login_refused")).hasSize(1);
        assertThat(lines("too_many_requests")).singleElement().asString().contains("\"path\":\"/api/sessions\"");
        assertThat(out.toString(StandardCharsets.UTF_8)).doesNotContain("a-wrong-secret");
        server.close();
        assertThat(lines("login_failed")).last().asString().contains("\"more\":19");
    }

    @Test
    void aRefusedHostOriginOrSiteIsLogged() throws Exception {
        String own = "Host: 127.0.0.1:" + server.port();
        for (int i = 0; i < 10; i++) {
            refused("Host: evil.example");
            refused(own, "Origin: http://evil.example");
            refused(own, "Sec-Fetch-Site: cross-site");
        }
        assertThat(lines("request_refused")).hasSize(3)
                .anyMatch(line -> line.contains("\"host\":\"evil.example\""))
                .anyMatch(line -> line.contains("\"origin\":\"http://evil.example\""))
                .anyMatch(line -> line.contains("\"site\":\"cross-site\""));
    }

    private void refused(String... headers) throws IOException {
        try (Raw raw = new Raw(server.port())) {
            raw.send("GET / HTTP/1.1\r\n" + String.join("\r\n", headers) + "\r\n\r\n");
            assertThat(raw.status()).isEqualTo(403);
        }
    }

    @Test
    void noValueOfTheEnvironmentIsLogged() throws Exception {
        Path place = Files.createDirectory(folder.resolve("a-secret-place"));
        Files.writeString(place.resolve("not-executable"), "");
        for (String program : List.of("no-such-program", "not-executable")) {
            var answer = api.post(ALICE, "/api/sessions",
                    "{\"command\":[\"" + program + "\"],\"env\":{\"PATH\":\"" + place + "\"}}");
            assertThat(answer.code()).as("%s", answer).isEqualTo("SPAWN_FAILED");
            await("session_rejected", program);
        }
        assertThat(out.toString(StandardCharsets.UTF_8)).doesNotContain("a-secret-place");
    }

    @Test
    void degradedIsLoggedAndEndsWithItsCause() throws Exception {
        String id = api.open(ALICE, "read x; echo lost; read y");
        assertThat(status()).isEqualTo("ok");
        Path files = folder.resolve("state/sessions").resolve(sessions.instance());
        Files.delete(files);
        api.post(ALICE, "/api/sessions/" + id + "/input?newline=true", "x");
        await("degraded");
        Files.createDirectory(files);
        assertThat(status()).isEqualTo("degraded");
        clock.pass(Duration.ofMinutes(2));
        await("recovered");
        assertThat(status()).isEqualTo("ok");
        assertThat(lines("degraded")).singleElement().asString().contains("\"cause\":\"bytes_unstored\"");
        assertThat(lines("recovered")).hasSize(1);
    }

    private String status() throws Exception {
        return api.get(null, "/api/health").json().get("status").asString();
    }

    @Test
    void healthAnswersHead() throws Exception {
        for (String path : List.of("/api/health", "/api/health/live", "/api/health/ready")) {
            var answer = api.send(null, "HEAD", path, null);
            assertThat(answer.status()).as(path).isEqualTo(200);
            assertThat(answer.bytes()).isEmpty();
        }
        assertThat(api.send(ALICE, "HEAD", "/api/sessions", null).status()).isEqualTo(405);
    }
}
