package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Isolation;
import dev.belay.access.Role;
import dev.belay.server.settings.Account;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.TokenHash;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// Tiers by request, by principal and by settings: the strictest holds, and the record says so.
class IsolationTest extends WithServer {
    private static final String STATUS = "grep NoNewPrivs /proc/self/status";

    private static List<Account> accounts(Isolation ofAlice) {
        return List.of(
                account("admin", Role.ADMIN, ADMIN),
                new Account("alice", Role.USER, List.of(TokenHash.of(ALICE)), null, ofAlice, List.of()),
                account("bob", Role.USER, BOB));
    }

    @Override
    ServerSettings settings() {
        return super.settings().accounts(accounts(Isolation.LIMITS));
    }

    private JsonNode open(String token, String guard) throws Exception {
        Api.Answer answer = api.post(token, "/api/sessions",
                "{\"cmd\": \"" + STATUS + "\", \"mode\": \"pipe\"" + guard + "}");
        assertThat(answer.status()).as("%s", answer).isEqualTo(201);
        return answer.json();
    }

    private void assertPrivileges(String token, JsonNode session, boolean given) throws Exception {
        String id = session.get("id").asString();
        api.post(token, "/api/sessions/" + id + "/wait", "{\"exit\": true, \"timeout_ms\": 60000}");
        assertThat(api.get(token, "/api/sessions/" + id + "/output").text())
                .isEqualTo("NoNewPrivs:\t" + (given ? 0 : 1) + "\n");
    }

    @Test
    void aRequestAsksForATierAndTheRecordSaysWhatHolds() throws Exception {
        JsonNode plain = open(BOB, "");
        assertThat(plain.has("guard")).isFalse();
        assertPrivileges(BOB, plain, true);
        JsonNode limits = open(BOB, ", \"guard\": {\"tier\": \"limits\"}");
        assertThat(limits.at("/guard/tier").asString()).isEqualTo("limits");
        assertThat(limits.at("/guard/by").asString()).isEqualTo("kernel");
        assertThat(limits.at("/guard/no_new_privs").asBoolean()).isTrue();
        assertPrivileges(BOB, limits, false);
    }

    @Test
    void aPrincipalsTierHoldsWhateverTheRequestAsksFor() throws Exception {
        for (String guard : List.of("", ", \"guard\": {\"tier\": \"none\"}")) {
            JsonNode session = open(ALICE, guard);
            assertThat(session.at("/guard/tier").asString()).isEqualTo("limits");
            assertPrivileges(ALICE, session, false);
        }
    }

    @Test
    void badGuardsAreRefusedByName() throws Exception {
        for (String guard : List.of("{\"tier\": \"vault\"}", "{\"files\": \"all\"}", "{\"network\": \"some\"}",
                "{\"hosts\": [\"a b\"]}", "{\"watched\": 1}", "{\"tear\": \"none\"}")) {
            Api.Answer answer = api.post(BOB, "/api/sessions", "{\"cmd\": \"true\", \"guard\": " + guard + "}");
            assertThat(answer.code()).as("%s: %s", guard, answer).isEqualTo("INVALID_REQUEST");
        }
    }

    /// A sandbox, or the refusal with its fix where Belay runs as root without `run_as`: never less.
    @Test
    void aSandboxIsKeptOrRefused() throws Exception {
        Api.Answer answer = api.post(BOB, "/api/sessions",
                "{\"command\": [\"/bin/true\"], \"guard\": {\"tier\": \"sandbox\", \"files\": \"read-only\"}}");
        boolean root = ProcessHandle.current().info().user().filter("root"::equals).isPresent();
        if (root) {
            assertThat(answer.code()).isEqualTo("UNAVAILABLE");
            assertThat(answer.json().at("/error/reason").asString("")).isEqualTo("isolation");
            assertThat(answer.text()).contains("run_as");
        } else {
            assertThat(answer.json().at("/guard/by").asString()).isEqualTo("bubblewrap");
            assertThat(answer.json().at("/guard/files").asString()).isEqualTo("read-only");
            assertThat(answer.json().at("/guard/network").asString()).isEqualTo("off");
        }
    }

    @Test
    void aReloadHoldsForNewSessionsAndLeavesTheOthers() throws Exception {
        JsonNode before = open(ALICE, "");
        server.reload(server.settings().accounts(accounts(Isolation.NONE)));
        assertThat(open(ALICE, "").has("guard")).isFalse();
        assertThat(api.get(ALICE, "/api/sessions/" + before.get("id").asString()).json().at("/guard/tier").asString())
                .isEqualTo("limits");
        sessions.isolation(Isolation.LIMITS);
        assertThat(open(BOB, "").at("/guard/tier").asString()).isEqualTo("limits");
        sessions.isolation(Isolation.NONE);
        assertThat(open(BOB, "").has("guard")).isFalse();
    }
}
