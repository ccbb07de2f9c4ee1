package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.ErrorCode;
import dev.belay.access.Quota;
import dev.belay.server.Api.Answer;
import dev.belay.server.wire.HttpReplies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/// The description that the server serves is of this server: every path, every error, every field of a session.
class OpenApiTest extends WithServer {
    private JsonNode description;

    @BeforeEach
    void read() throws Exception {
        Answer answer = api.get(null, "/api/openapi.yaml");
        assertThat(answer.status()).isEqualTo(200);
        description = new YAMLMapper().readTree(answer.bytes());
    }

    @Test
    void everyPathThatIsDescribedIsServedAndTheOtherWayRound() {
        TreeSet<String> described = new TreeSet<>();
        description.get("paths").properties().forEach(path -> path.getValue().propertyNames().forEach(method -> {
            if (!method.equals("parameters")) {
                described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey());
            }
        }));
        assertThat(described).isEqualTo(new TreeSet<>(server.routes()));
    }

    @Test
    void everyErrorCodeIsDescribedWithItsStatus() {
        List<String> codes = new ArrayList<>();
        description.at("/components/schemas/Error/properties/error/properties/code/enum")
                .forEach(code -> codes.add(code.asString()));
        assertThat(codes).containsExactlyInAnyOrder(
                Arrays.stream(ErrorCode.values()).map(Enum::name).toArray(String[]::new));
        description.get("paths").forEach(path -> path.properties().forEach(method -> {
            if (!method.getKey().equals("parameters")) {
                method.getValue().get("responses").properties().forEach(response -> {
                    String ref = response.getValue().path("$ref").asString("");
                    String name = ref.substring(ref.lastIndexOf('/') + 1);
                    if (codes.contains(name)) {
                        assertThat(HttpReplies.status(ErrorCode.valueOf(name)))
                                .as(name)
                                .isEqualTo(Integer.parseInt(response.getKey()));
                    }
                });
            }
        }));
    }

    /// What is provoked here is what the description promises for the route.
    @Test
    void errorsThatCanBeProvokedAreThoseThatAreDescribed() throws Exception {
        String id = api.open(ALICE, "echo up; read x");
        String done = api.open(ALICE, "true");
        api.post(ALICE, "/api/sessions/" + done + "/wait", "{\"exit\":true}");
        java.nio.file.Files.createDirectories(folder.resolve("workspace/in"));
        provoke("POST /api/sessions", "INVALID_REQUEST", api.post(ALICE, "/api/sessions", "{\"cmd\":1}"));
        provoke("POST /api/sessions", "INVALID_REQUEST", api.post(ALICE, "/api/sessions", "[[["));
        provoke("POST /api/sessions", "INVALID_REQUEST", api.post(ALICE, "/api/sessions", "{\"unknown\":1}"));
        provoke("POST /api/sessions", "UNAUTHENTICATED", api.post(null, "/api/sessions", "{}"));
        provoke("POST /api/sessions", "DENIED", api.post(EVE, "/api/sessions", "{\"cmd\":\"true\"}"));
        provoke("POST /api/sessions", "OUTSIDE_WORKSPACE",
                api.post(ALICE, "/api/sessions", "{\"cmd\":\"true\",\"workdir\":\"../..\"}"));
        provoke("POST /api/sessions", "ALREADY_EXISTS",
                api.post(ALICE, "/api/sessions", "{\"cmd\":\"true\",\"id\":\"" + id + "\"}"));
        provoke("POST /api/sessions", "TOO_LARGE",
                api.post(ALICE, "/api/sessions", "{\"cmd\":\"" + "x".repeat(300_000) + "\"}"));
        provoke("POST /api/sessions", "SPAWN_FAILED",
                api.post(ALICE, "/api/sessions", "{\"command\":[\"/no/such/program\"]}"));
        provoke("GET /api/sessions/{id}", "NOT_FOUND", api.get(ALICE, "/api/sessions/none"));
        provoke("GET /api/sessions/{id}/output", "INVALID_REQUEST",
                api.get(ALICE, "/api/sessions/" + id + "/output?from=99999"));
        provoke("GET /api/sessions/{id}/output", "INVALID_REQUEST",
                api.get(ALICE, "/api/sessions/" + id + "/output?from=-1"));
        provoke("POST /api/sessions/{id}/input", "NOT_WRITABLE",
                api.post(ALICE, "/api/sessions/" + done + "/input", "x"));
        provoke("POST /api/sessions/{id}/input", "TOO_LARGE",
                api.send(ALICE, "POST", "/api/sessions/" + id + "/input", new byte[(1 << 20) + 1]));
        provoke("POST /api/sessions/{id}/resize", "INVALID_REQUEST",
                api.post(ALICE, "/api/sessions/" + id + "/resize", "{\"cols\":0,\"rows\":24}"));
        provoke("POST /api/sessions/{id}/resize", "INVALID_REQUEST",
                api.post(ALICE, "/api/sessions/" + id + "/resize", "{\"cols\":65535,\"rows\":65535}"));
        provoke("POST /api/sessions/{id}/signal", "INVALID_REQUEST",
                api.post(ALICE, "/api/sessions/" + id + "/signal", "{\"signal\":\"SIGNONE\"}"));
        provoke("POST /api/sessions/{id}/wait", "INVALID_REQUEST",
                api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"match\":\"(\"}"));
        provoke("POST /api/sessions/{id}/lease", "NOT_WRITABLE",
                api.post(ALICE, "/api/sessions/" + done + "/lease", "{\"action\":\"take\"}"));
        provoke("POST /api/login", "TOO_LARGE",
                api.post(null, "/api/login", "{\"ticket\":\"" + "x".repeat(5000) + "\"}"));
        provoke("POST /api/login", "UNAUTHENTICATED", api.post(null, "/api/login", "{\"ticket\":\"x\"}"));
        server.reload(settings().quota(new Quota(0, 0, 0, 1, Duration.ofHours(1), 0)));
        provoke("POST /api/sessions", "LIMIT_REACHED", api.post(BOB, "/api/sessions", "{\"cmd\":\"true\"}"));
        provoke("POST /api/sessions", "RATE_LIMITED", api.post(BOB, "/api/sessions", "{\"cmd\":\"true\"}"));
        server.gate().shut();
        provoke("POST /api/sessions", "UNAVAILABLE", api.post(BOB, "/api/sessions", "{\"cmd\":\"true\"}"));
    }

    private void provoke(String route, String code, Answer answer) {
        assertThat(answer.code()).as("%s: %s", route, answer).isEqualTo(code);
        assertThat(answer.status()).isEqualTo(HttpReplies.status(ErrorCode.valueOf(code)));
        String[] parts = route.split(" ", -1);
        JsonNode responses =
                description.get("paths").get(parts[1]).get(parts[0].toLowerCase(Locale.ROOT)).get("responses");
        assertThat(responses.propertyNames()).as(route).contains(Integer.toString(answer.status()));
        assertThat(answer.json().at("/error/message").asString()).isNotBlank();
    }

    @Test
    void aWrongMethodIsToldWhichOnesThereAre() throws Exception {
        Answer answer = api.send(ALICE, "PUT", "/api/sessions", new byte[0]);
        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.header("Allow")).isEqualTo("GET, POST");
        assertThat(api.get(ALICE, "/api/nothing").status()).isEqualTo(404);
    }
}
