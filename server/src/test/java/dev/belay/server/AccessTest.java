package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.server.Api.Answer;
import dev.belay.server.auth.Account;
import dev.belay.server.auth.Quota;
import dev.belay.server.auth.Role;
import dev.belay.server.auth.TokenHash;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Who gets in, and to what.
class AccessTest extends WithServer {
    private static final Map<String, String> BODIES = Map.of(
            "resize", "{\"cols\":80,\"rows\":24}",
            "signal", "{\"signal\":\"SIGKILL\"}",
            "wait", "{\"exit\":true,\"timeout_ms\":1}",
            "lease", "{\"action\":\"take\"}",
            "input", "x");

    private Answer call(String token, String route, String id) throws Exception {
        String[] parts = route.replace("{id}", id).split(" ", -1);
        String body = BODIES.getOrDefault(parts[1].substring(parts[1].lastIndexOf('/') + 1), "{}");
        return api.send(token, parts[0], parts[1],
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
            boolean reads = route.startsWith("GET ") || route.endsWith("/wait");
            Answer answer = call(EVE, route, id);
            assertThat(answer.status()).as("%s: %s", route, answer).isEqualTo(reads ? 200 : 403);
        }
        assertThat(api.post(EVE, "/api/sessions", "{\"cmd\":\"true\"}").code()).isEqualTo("DENIED");
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
        assertThat(server.admission().overQuota()).isEqualTo(refused);
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
        assertThat(server.admission().rateLimited()).isEqualTo(1);
    }

    @Test
    void theServersRoomIsForEverybody() throws Exception {
        server.reload(settings().maxSessions(1));
        api.open(ALICE, "read x");
        Answer refused = api.post(BOB, "/api/sessions", "{\"cmd\":\"true\"}");
        assertThat(refused.text()).contains("(1 of 1)", "max_sessions");
        assertThat(api.get(ADMIN, "/api/health").json().at("/sessions/limit").asInt()).isEqualTo(1);
    }
}
