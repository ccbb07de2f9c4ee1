package dev.belay.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.Environment;
import dev.belay.ExecPolicy;
import dev.belay.Isolation;
import dev.belay.Origin;
import dev.belay.Resources;
import dev.belay.Resources.Together;
import dev.belay.SessionException;
import dev.belay.Tier;
import dev.belay.access.Role;
import dev.belay.agent.ExecRules;
import dev.belay.agent.Rule;
import dev.belay.server.settings.TokenHash;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigTest {
    private static Config read(String text) {
        return Config.parse(text, "belay.toml");
    }

    @Test
    void anEmptyFileIsTheDefaults() {
        assertThat(read("")).isEqualTo(Config.DEFAULT);
    }

    @Test
    void settingsAreRead() {
        String hash = TokenHash.of("secret").text();
        Config config = read("""
                [server]
                port = 0
                allowed_origins = ["tauri://localhost", "https://app.example:8443", "http://[::1]:3000"]
                allowed_hosts = ["box.example:10000", "[fe80::1]:10000", "box"]
                [sessions]
                retention = "1.5m"
                log_bytes = "1 MiB"
                terminal_idle_timeout = "1h30m"
                timeout = "8h"
                [resources]
                cpu = "90s"
                memory = "4 GiB"
                file_size = "1 MiB"
                open_files = 64
                processes = 4096
                core_size = 0
                [resources.together]
                memory = "8 GiB"
                processes = 512
                cores = 1.5
                [env]
                pass = ["DATABASE_URL"]
                set = { EDITOR = "vim" }
                [[principals]]
                name = "alice"
                role = "watch"
                tokens = ["%s"]
                [principals.quota]
                sessions = 3
                """.formatted(hash));
        assertThat(config.limits().retention()).isEqualTo(Duration.ofSeconds(90));
        assertThat(config.limits().logBytes()).isEqualTo(1 << 20);
        assertThat(config.server().doors().terminalIdleTimeout()).isEqualTo(Duration.ofMinutes(90));
        assertThat(config.limits().timeout()).isEqualTo(Duration.ofHours(8));
        assertThat(config.resources()).isEqualTo(new Resources(
                Duration.ofSeconds(90), 4L << 30, 1L << 20, 64L, 4096L, 0L, new Together(8L << 30, 512L, 1.5)));
        Map<String, String> caller = Map.of("DATABASE_URL", "passed", "OTHER", "not");
        assertThat(config.environment(Environment.basic(caller), caller).inSandbox().variables())
                .isEqualTo(Map.of("EDITOR", "vim", "DATABASE_URL", "passed"));
        assertThat(config.server().accounts().getFirst().role()).isEqualTo(Role.WATCH);
        assertThat(config.server().accounts().getFirst().quota().sessions()).isEqualTo(3);
        assertThat(config.server().accounts().getFirst().quota().agentSessions()).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "[server]%nprot = 1 "
                    + "| belay.toml:2:1: unknown setting 'server.prot'; did you mean 'server.port'?",
            "[server]%nbody_timeout = '1s' "
                    + "| belay.toml:2:1: unknown setting 'server.body_timeout'; did you mean"
                    + " 'server.http.body_timeout'?",
            "[sever]%n                       | belay.toml:1:1: unknown setting 'sever'; did you mean 'server'?",
            "[nonsense]%n "
                    + "| belay.toml:1:1: unknown setting 'nonsense'; 'belay serve --print-config' lists them all.",
            "server = 1                      | belay.toml:1:1: server must be a table, [server].",
            "[server]%nhttp = 1              | belay.toml:2:1: server.http must be a table, [server.http].",
            "principals = 1                  | belay.toml:1:1: principals must be a list of tables, [[principals]].",
            "[server]%nport = 70000 "
                    + "| belay.toml:2:1: server.port must be a whole number, from 0 to 65535, not 70000.",
            "[server]%nport = '80' "
                    + "| belay.toml:2:1: server.port must be a whole number, from 0 to 65535, not '80'.",
            "[sessions]%n%nretention = 3     | belay.toml:3:1: sessions.retention must be a time such as",
            "[sessions]%nretention = 'soon'  | belay.toml:2:1: sessions.retention must be a time such as",
            "[sessions]%nlog_bytes = 'much'  | belay.toml:2:1: sessions.log_bytes must be a size",
            "[sessions]%nlog_bytes = 1 "
                    + "| belay.toml:2:1: sessions.log_bytes must be a size such as 65536 or \"64 KiB\","
                    + " at least 128 KiB, not 1.",
            "[server]%nallowed_origins = ['*'] "
                    + "| belay.toml:2:1: server.allowed_origins must be a list of origins as browsers send",
            "[server]%nallowed_origins = ['https://App.example/'] | not [\"https://App.example/\"].",
            "[server]%nallowed_origins = ['https://a.example/x']  | in lower case and without a path",
            "[server]%nallowed_origins = ['https://*.example']    | (not '*': name each)",
            "[server]%nallowed_origins = ['app.example']          | not [\"app.example\"].",
            "[server]%nallowed_origins = ['null']                 | not [\"null\"].",
            "[server]%nallowed_hosts = ['*'] "
                    + "| belay.toml:2:1: server.allowed_hosts must be a list of names with their port",
            "[server]%nallowed_hosts = ['http://box.example'] | server.allowed_hosts must be",
            "[server]%nallowed_hosts = ['box.example:1/']     | server.allowed_hosts must be",
            "[server]%nport =                | belay.toml:2:",
            "[server]%ntls_cert = 'x'        | belay.toml:2:1: server.tls_cert needs server.tls_key",
            "[server]%ntls_key = 'x'         | belay.toml:2:1: server.tls_key needs server.tls_cert",
            "[[principals]]%nrole = 'user'   | belay.toml:1:1: principals.name is missing",
            "[[principals]]%nname = 'a b'    | belay.toml:2:1: principals.name: A principal's name",
            "[[principals]]%nname = 'admin'  | belay.toml:2:1: principals.name cannot be 'admin'",
            "[[principals]]%nname = 'a'%n[[principals]]%nname = 'a' "
                    + "| belay.toml:4:1: principals.name is taken by another principal",
            "[[principals]]%nname = 'a'%nrole = 'root' "
                    + "| belay.toml:3:1: principals.role must be \"user\", \"admin\" or \"watch\", not 'root'.",
            "[[principals]]%nname = 'a'%nrol = 'user' "
                    + "| belay.toml:3:1: unknown setting 'principals.rol'; did you mean 'principals.role'?",
            "[[principals]]%nname = 'a'%ntokens = ['x'] | belay.toml:3:1: principals.tokens: A token's hash",
            "[[principals]]%nname = 'a'%nquota = { sessions = -1 } "
                    + "| belay.toml:3:11: principals.quota.sessions must be a whole number",
            "[[principals]]%nname = 'a'%nquota = { session = 1 } "
                    + "| belay.toml:3:11: unknown setting 'principals.quota.session'; did you mean",
            "[[agent.rules]]%nname = 'a'%nmatch = '('   | belay.toml:2:1: agent.rules.name: ",
            "[[agent.rules]]%nname = 'a'%naction = 'allow'%nhas = ['x'] | belay.toml:2:1: agent.rules.name: ",
            "[approvals]%nwatch = ['door']   | belay.toml:2:1: approvals.watch must be a list of",
            "[sessions]%ntimeout = '0s'      | belay.toml:2:1: sessions.timeout must be \"none\" or a time such as",
            "[resources]%ncpu = '500ms' "
                    + "| belay.toml:2:1: resources.cpu must be a time such as \"500ms\", \"30s\" or \"1h30m\","
                    + " at least 1s, not '500ms'.",
            "[resources]%nmemory = 0         | belay.toml:2:1: resources.memory must be a size such as",
            "[resources]%nmemory = '9999999 T' | belay.toml:2:1: resources.memory must be a size",
            "[resources.together]%ncores = 0 "
                    + "| belay.toml:2:1: resources.together.cores must be a number, at least 0.01, not 0.",
            "[resources.together]%ncpu = 1 "
                    + "| belay.toml:2:1: unknown setting 'resources.together.cpu'; did you mean 'resources.cpu'?",
            "[env]%nset = { A = 1 }          | belay.toml:2:1: env.set must be a table of strings",
            "[[principals]]%nname = 'a'%n"
                    + "tokens = ['sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855']"
                    + "| belay.toml:3:1: principals.tokens: This is the hash of an empty token;"
                    + " make a token and its hash",
    })
    void aMistakeIsToldWithItsPlace(String text, String message) {
        assertThatThrownBy(() -> read(text.formatted()))
                .isInstanceOf(SessionException.class)
                .hasMessageContaining(message)
                .hasMessageMatching("(?s).*[^.][.?]");
    }

    @Test
    void whatChangedIsNamedAsItStandsInTheFile() {
        Config before = read("""
                [sessions]
                retention = "5m"
                [server]
                allowed_hosts = ["a:1", "b:1"]
                [[principals]]
                name = "alice"
                [[principals]]
                name = "bob"
                """);
        Config now = read("""
                [sessions]
                retention = "6m"
                [server]
                port = 1
                allowed_hosts = ["a:1", "c:1"]
                [env]
                set = { EDITOR = "vim" }
                [[principals]]
                name = "bob"
                role = "watch"
                [[principals]]
                name = "eve"
                """);
        assertThat(before.changed(now)).isEqualTo(now.changed(before)).containsExactly(
                "env.set", "principals.alice", "principals.bob", "principals.eve", "server.allowed_hosts",
                "server.port", "sessions.retention");
        assertThat(now.changed(now)).isEmpty();
    }

    @Test
    void aTokenOfTwoPrincipalsIsRefusedAndOneOfTheSameTwiceIsNot() {
        String hash = TokenHash.of("secret").text();
        String two = """
                [[principals]]
                name = "alice"
                tokens = ["%1$s", "%1$s"]
                """.formatted(hash);
        assertThat(read(two).server().accounts()).hasSize(1);
        assertThatThrownBy(() -> read(two + two.replace("alice", "bob")))
                .hasMessageStartingWith("belay.toml:6:1: principals.tokens: alice and bob have the same token")
                .hasMessageEndingWith("make one for each with 'belay token NAME'.");
    }

    @Test
    void aPrincipalsIsolationIsTheStricterOfItsOwnAndEverybodys() {
        Config config = Config.parse("""
                [isolation]
                tier = "limits"
                network = "on"
                [[principals]]
                name = "coder"
                isolation = { tier = "sandbox", files = "read-only", network = ["example.org"] }
                [[principals]]
                name = "loose"
                isolation = { tier = "none" }
                """, "belay.toml");
        Isolation coder = config.server().accounts().getFirst().isolation();
        assertThat(coder.tier()).isEqualTo(Tier.SANDBOX);
        assertThat(coder.readOnly()).isTrue();
        assertThat(coder.network().label()).isEqualTo("hosts");
        assertThat(config.server().accounts().getLast().isolation().tier()).isEqualTo(Tier.LIMITS);
        assertThat(config.isolations()).hasSize(2);
    }

    @Test
    void sandboxesAreByLandlockOnlyWhereItIsNamed() {
        assertThat(Config.DEFAULT.by()).containsExactly("bubblewrap");
        assertThat(read("[isolation]\nby = [\"bubblewrap\", \"landlock\"]\n").by())
                .containsExactly("bubblewrap", "landlock");
        assertThat(Config.DEFAULT.restartNeeded(read("[isolation]\nby = [\"landlock\"]\n")))
                .containsExactly("isolation.by");
        assertThatThrownBy(() -> read("[isolation]\nby = []\n")).hasMessageContaining("isolation.by must name");
        assertThatThrownBy(() -> read("[isolation]\nby = [\"docker\"]\n")).hasMessageContaining("isolation.by must be");
    }

    @Test
    void approvalsAndTheirRulesAreRead() {
        Config config = Config.parse("""
                [approvals]
                watch = ["agent", "api"]
                otherwise = "ask"
                timeout = "30s"
                max_pending = 4
                max_waiting = 8
                [[agent.rules]]
                name = "publish"
                action = "ask"
                programs = ["git"]
                has = ["push"]
                workdir = "/srv"
                principals = ["coder"]
                [[agent.rules]]
                name = "status"
                action = "allow"
                programs = ["git"]
                args = ["status"]
                [[principals]]
                name = "coder"
                approvers = ["alice", "client"]
                """, "belay.toml");
        assertThat(config.approvals().watch()).containsExactlyInAnyOrder(Origin.AGENT, Origin.API);
        assertThat(config.approvals().timeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.approvals().most()).isEqualTo(4);
        assertThat(config.approvals().waiting()).isEqualTo(8);
        ExecRules rules = (ExecRules) config.approvals().policy();
        assertThat(rules.otherwise()).isEqualTo(ExecPolicy.Action.ASK);
        assertThat(rules.rules()).extracting(Rule::name).containsExactly("publish", "status");
        assertThat(rules.rules().getFirst().has()).containsExactly("push");
        assertThat(rules.rules().getLast().args()).containsExactly("status");
        assertThat(config.server().accounts().getFirst().approvers()).containsExactly("alice", "client");
        assertThat(config.changed(Config.DEFAULT)).contains("approvals.watch", "approvals.otherwise", "agent.rules");
    }

    @Test
    void readyRulesAreRead() {
        Config config = Config.parse("""
                [[agent.rules]]
                name = "stash"
                action = "allow"
                programs = ["git"]
                args = ["stash"]
                [[agent.rules]]
                ready = "publish"
                action = "ask"
                principals = ["coder"]
                """, "belay.toml");
        ExecRules rules = (ExecRules) config.approvals().policy();
        assertThat(rules.rules().getFirst().name()).isEqualTo("stash");
        assertThat(rules.rules().subList(1, rules.rules().size())).hasSizeGreaterThan(5).allSatisfy(rule -> {
            assertThat(rule.name()).isEqualTo("publish");
            assertThat(rule.action()).isEqualTo(ExecPolicy.Action.ASK);
            assertThat(rule.principals()).containsExactly("coder");
        });
        assertThatThrownBy(() -> read("[[agent.rules]]\nready = \"publish\"\nprograms = [\"git\"]\n"))
                .hasMessageContaining("agent.rules.ready does not go with programs");
        assertThatThrownBy(() -> read("[[agent.rules]]\nready = \"publish\"\naction = \"allow\"\n"))
                .hasMessageContaining("can only ask or deny");
    }
}
