package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.access.Quota;
import dev.belay.access.Role;
import dev.belay.server.Api.Answer;
import dev.belay.server.settings.Account;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.TokenHash;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// Who gets in, and to what.
class AccessTest extends WithServer {
    private static final Map<String, String> BODIES = Map.of(
            "resize", "{\"cols\":80,\"rows\":24}",
            "signal", "{\"signal\":\"SIGKILL\"}",
            "wait", "{\"exit\":true,\"timeout_ms\":1}",
            "lease", "{\"action\":\"take\"}",
            "input", "x");

    private Answer call(String token, String route, String id) throws Exception {
        String[] parts = route.replace("{approval}", "none").replace("{id}", id).split(" ", -1);
        String body = BODIES.getOrDefault(parts[1].substring(parts[1].lastIndexOf('/') + 1), "{}");
        String query = parts[1].endsWith("/search") ? "?match=up" : "";
        return api.send(token, parts[0], parts[1] + query,
                parts[0].equals("POST") ? body.getBytes(java.nio.charset.StandardCharsets.UTF_8) : null);
    }

    private List<String> routesOfASession() {
        return server.routes().stream().filter(route -> route.contains("{id}")).toList();
    }

    @Test
    void anotherUsersSessionDoesNotExistOnAnyRoute() throws Exception {
        String id = api.open(ALICE, "echo up; read x");
        for (String route : routesOfASession()) {
            Answer answer = call(BOB, route, id);
            assertThat(answer.status()).as("%s: %s", route, answer).isEqualTo(404);
            assertThat(answer.text()).isEqualTo(call(BOB, route, "no-such-id").text().replace("no-such-id", id));
        }
        assertThat(api.get(BOB, "/api/sessions").json().get("sessions")).isEmpty();
        assertThatThrownBy(() -> Socket.attach(http, server.address(), BOB, id, ""))
                .hasCauseInstanceOf(WebSocketHandshakeException.class);
        assertThat(api.get(ADMIN, "/api/sessions").json().get("sessions")).hasSize(1);
        assertThat(sessions.get(id).exit()).isEmpty();
    }

    @Test
    void aWatcherMayReadEverySessionAndDoNothing() throws Exception {
        String id = api.open(ALICE, "echo up; read x");
        for (String route : routesOfASession()) {
            // Command lines may have secrets.
            boolean reads = (route.startsWith("GET ") && !route.endsWith("/processes")) || route.endsWith("/wait");
            Answer answer = call(EVE, route, id);
            assertThat(answer.status()).as("%s: %s", route, answer).isEqualTo(reads ? 200 : 403);
        }
        assertThat(api.post(EVE, "/api/sessions", "{\"cmd\":\"true\"}").code()).isEqualTo("DENIED");
        assertThat(api.post(EVE, "/api/reload", "").code()).isEqualTo("DENIED");
        assertThat(sessions.get(id).exit()).isEmpty();
        assertThat(sessions.get(id).keyboardHolder()).isEmpty();
    }

    @Test
    void nothingButHealthThePageAndSignInAnswersWithoutAToken() throws Exception {
        List<String> open = List.of("GET /api/health", "GET /api/health/live", "GET /api/health/ready",
                "GET /api/openapi.yaml");
        for (String route : server.routes()) {
            Answer answer = call(null, route, "x");
            if (!open.contains(route) && !route.equals("POST /api/login")) {
                assertThat(answer.status()).as("%s: %s", route, answer).isEqualTo(401);
                assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer");
            }
        }
        assertThat(api.get(null, "/api/health").json().propertyNames()).containsExactly("status", "ready");
        assertThat(api.get(ALICE, "/api/health").json().at("/sessions/limit_reason").asString()).isNotEmpty();
        assertThat(api.get("wrong", "/api/health").status()).isEqualTo(401);
    }

    @Test
    void anEmptyTokenOrTicketSignsInNowhere() throws Exception {
        String id = api.open(ALICE, "read x");
        for (String token : List.of("", " ")) {
            assertThat(api.get(token, "/api/sessions").code()).isEqualTo("UNAUTHENTICATED");
            assertThatThrownBy(() -> Socket.attach(http, server.address(), token, id, ""))
                    .hasCauseInstanceOf(WebSocketHandshakeException.class);
            assertThat(api.post(null, "/api/login", "{\"ticket\":\"" + token + "\"}").code())
                    .isEqualTo("UNAUTHENTICATED");
        }
        assertThatThrownBy(() -> Socket.attach(http, server.address(), null, id, "?ticket="))
                .hasCauseInstanceOf(WebSocketHandshakeException.class);
    }

    @Test
    void settingsAreReadAgainForAdminsOnly() throws Exception {
        assertThat(api.post(ALICE, "/api/reload", "").code()).isEqualTo("DENIED");
        assertThat(api.post(ADMIN, "/api/reload", "").code()).as("there is no file").isEqualTo("UNAVAILABLE");
        assertThat(api.post(ADMIN, "/api/reload", "{\"x\":1}").json().at("/error/message").asString())
                .isEqualTo("There is no field 'x' here; it takes none.");
    }

    @Test
    void aTicketForTheConsoleIsGoodForLonger() throws Exception {
        assertThat(api.post(ALICE, "/api/tickets", "").json().get("expires_in_ms").asLong()).isEqualTo(30_000);
        assertThat(api.post(ALICE, "/api/tickets", "{\"for\":\"console\"}").json().get("expires_in_ms").asLong())
                .isEqualTo(600_000);
        assertThat(api.post(ALICE, "/api/tickets", "{\"for\":\"ever\"}").code()).isEqualTo("INVALID_REQUEST");
    }

    @Test
    void metricsAreForAdminsAndWatchers() throws Exception {
        assertThat(api.get(ALICE, "/metrics").code()).isEqualTo("DENIED");
        assertThat(api.get(EVE, "/metrics").text()).contains("belay_sessions_live 0");
    }

    @Test
    void aTicketIsGoodOnceAndGivesATokenForATab() throws Exception {
        String ticket = api.post(ALICE, "/api/tickets", "").json().get("ticket").asString();
        Answer login = api.post(null, "/api/login", "{\"ticket\":\"" + ticket + "\"}");
        assertThat(login.status()).isEqualTo(201);
        assertThat(login.json().at("/principal/name").asString()).isEqualTo("alice");
        String tab = login.json().get("token").asString();
        assertThat(api.get(tab, "/api/sessions").status()).isEqualTo(200);
        assertThat(api.post(null, "/api/login", "{\"ticket\":\"" + ticket + "\"}").code())
                .isEqualTo("UNAUTHENTICATED");
        assertThat(api.get(null, "/api/sessions?token=" + tab).status()).as("never in the address").isEqualTo(401);
        server.reload(settings().accounts(List.of(account("admin", Role.ADMIN, ADMIN))));
        assertThat(api.get(tab, "/api/sessions").code()).as("it ends with the token").isEqualTo("UNAUTHENTICATED");
    }

    @Test
    void theTicketOfTheConsoleIsGoodForTheSignIn() throws Exception {
        var login = server.authority().token(ADMIN, java.net.InetAddress.getLoopbackAddress());
        String ticket = server.authority().consoleTicket(login).text();
        assertThat(api.post(null, "/api/login", "{\"ticket\":\"" + ticket + "\"}").status()).isEqualTo(201);
    }

    @Test
    void failedLoginsAreLimitedAndOnLoopbackAValidTokenStillPasses() throws Exception {
        int most = ServerSettings.LoginLimits.DEFAULT.failures();
        List<Integer> answers = new ArrayList<>();
        for (int i = 0; i < most + 5; i++) {
            answers.add(api.get("wrong" + i, "/api/sessions").status());
        }
        assertThat(answers.subList(0, most)).containsOnly(401);
        assertThat(answers.getLast()).isEqualTo(429);
        Answer refused = api.get("wrong", "/api/sessions");
        assertThat(refused.code()).isEqualTo("RATE_LIMITED");
        assertThat(Integer.parseInt(refused.header("Retry-After"))).isPositive();
        assertThat(api.get(ALICE, "/api/sessions").status()).isEqualTo(200);
    }

    @Test
    void quotasRefuseAndTheCountersMatchTheRefusals() throws Exception {
        Quota two = new Quota(2, 1, 1, 1000, Duration.ofMinutes(1), 1L << 30);
        server.reload(settings().accounts(List.of(
                new Account("alice", Role.USER, List.of(TokenHash.of(ALICE)), two), account("bob", Role.USER, BOB),
                account("admin", Role.ADMIN, ADMIN))));
        String one = api.open(ALICE, "read x");
        api.open(ALICE, "read x");
        int refused = 0;
        for (int i = 0; i < 3; i++) {
            Answer answer = api.post(ALICE, "/api/sessions", "{\"cmd\":\"true\"}");
            assertThat(answer.code()).isEqualTo("LIMIT_REACHED");
            assertThat(answer.status()).isEqualTo(429);
            assertThat(answer.text()).contains("Maximum PTY sessions reached (2 of 2): ");
            refused++;
        }
        api.open(BOB, "read x");
        assertThat(server.gate().overQuota()).isEqualTo(refused);
        assertThat(api.get(ADMIN, "/metrics").text()).contains("belay_creations_over_quota_total 3.0");
        api.delete(ALICE, "/api/sessions/" + one);
        assertThat(api.post(ALICE, "/api/sessions", "{\"cmd\":\"true\"}").status()).isEqualTo(201);
    }

    @Test
    void creationsAreLimitedInTimeAndSayWhenToTryAgain() throws Exception {
        Quota slow = new Quota(100, 10, 5, 2, Duration.ofHours(1), 1L << 30);
        server.reload(settings().quota(slow));
        api.open(ALICE, "true");
        api.open(ALICE, "true");
        Answer refused = api.post(ALICE, "/api/sessions", "{\"cmd\":\"true\"}");
        assertThat(refused.code()).isEqualTo("RATE_LIMITED");
        assertThat(refused.json().at("/error/retry_after_ms").asLong()).isBetween(1L, 1_800_000L);
        assertThat(refused.header("Retry-After")).isNotEmpty();
        api.open(BOB, "true");
        assertThat(server.gate().rateLimited()).isEqualTo(1);
    }

    @Test
    void theServersRoomIsForEverybody() throws Exception {
        server.reload(settings().maxSessions(1));
        api.open(ALICE, "read x");
        Answer refused = api.post(BOB, "/api/sessions", "{\"cmd\":\"true\"}");
        assertThat(refused.text()).contains("(1 of 1)", "max_sessions");
        assertThat(api.get(ADMIN, "/api/health").json().at("/sessions/limit").asInt()).isEqualTo(1);
    }

    @Test
    void aPrincipalLearnsWhoTheyAre() throws Exception {
        JsonNode me = api.get(ALICE, "/api/me").json();
        assertThat(me.get("name").asString()).isEqualTo("alice");
        assertThat(me.get("role").asString()).isEqualTo("user");
        assertThat(me.get("expires_in_ms").isNull()).isTrue();
        assertThat(me.at("/quota/sessions").asInt()).isEqualTo(500);
        assertThat(api.get(null, "/api/me").code()).isEqualTo("UNAUTHENTICATED");
    }

    @Test
    void aTabThatSignsOutLosesItsConnectionsAndNobodyElseDoes() throws Exception {
        String id = api.open(ALICE, "read x");
        String first = tab();
        String second = tab();
        assertThat(api.get(first, "/api/me").json().get("expires_in_ms").asLong()).isEqualTo(12 * 3_600_000L);
        String ticket = api.post(first, "/api/tickets", "").json().get("ticket").asString();
        try (Socket mine = Socket.attach(http, server.address(), first, id, "");
                Socket byTicket = Socket.attach(http, server.address(), null, id, "?ticket=" + ticket);
                Socket other = Socket.attach(http, server.address(), second, id, "")) {
            for (Socket one : List.of(mine, byTicket, other)) {
                one.next(0);
            }
            assertThat(api.delete(first, "/api/login").status()).isEqualTo(200);
            assertThat(mine.closeCode()).isEqualTo(4001);
            assertThat(byTicket.closeCode()).as("the ticket came from the same tab").isEqualTo(4001);
            assertThat(api.get(first, "/api/me").status()).isEqualTo(401);
            assertThat(api.get(second, "/api/me").status()).isEqualTo(200);
            assertThat(other.closed).isNotDone();
        }
        assertThat(api.delete(ALICE, "/api/login").code()).as("a token of the settings").isEqualTo("INVALID_REQUEST");
        assertThat(api.get(ALICE, "/api/me").status()).isEqualTo(200);
    }

    private String tab() throws Exception {
        String ticket = api.post(ALICE, "/api/tickets", "").json().get("ticket").asString();
        return api.post(null, "/api/login", "{\"ticket\":\"" + ticket + "\"}").json().get("token").asString();
    }

    @Test
    void onlyWhoMayDriveASessionSeesItsProcesses() throws Exception {
        String id = api.open(ALICE, "sleep 4321 & printf up; wait");
        api.post(ALICE, "/api/sessions/" + id + "/wait", "{\"match\":\"up\"}");
        JsonNode shown = api.get(ALICE, "/api/sessions/" + id + "/processes").json();
        while (!shown.toString().contains("sleep 4321")) {
            Thread.onSpinWait(); // between fork and exec
            shown = api.get(ALICE, "/api/sessions/" + id + "/processes").json();
        }
        assertThat(shown.get("count").asInt()).isEqualTo(2);
        assertThat(shown.at("/processes/0").propertyNames()).containsExactly(
                "pid", "parent", "command", "state", "foreground", "started_at", "cpu_ms", "memory_bytes");
        assertThat(shown.at("/processes/1/parent").asLong()).isEqualTo(shown.at("/processes/0/pid").asLong());
        assertThat(api.get(ADMIN, "/api/sessions/" + id + "/processes").status()).isEqualTo(200);
        assertThat(api.get(EVE, "/api/sessions/" + id + "/processes").code()).isEqualTo("DENIED");
        assertThat(api.get(BOB, "/api/sessions/" + id + "/processes").code()).isEqualTo("NOT_FOUND");
    }
}
