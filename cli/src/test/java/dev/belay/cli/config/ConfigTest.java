package dev.belay.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.Resources;
import dev.belay.Resources.Together;
import dev.belay.SessionException;
import dev.belay.server.auth.Role;
import dev.belay.server.auth.TokenHash;
import java.time.Duration;
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
        assertThat(read(Config.reference())).isEqualTo(Config.DEFAULT);
    }

    /// What the reference says in its comments is what holds without it; examples aside, which have no default.
    @Test
    void everyCommentedSettingOfTheReferenceIsItsDefault() {
        StringBuilder uncommented = new StringBuilder();
        Config.reference().lines()
                .filter(line -> !line.contains("tls_") && !line.contains("EDITOR"))
                .takeWhile(line -> !line.startsWith("# The principal"))
                .filter(line -> !line
                        .matches("# (cpu|memory|file_size|open_files|processes|core_size|cores|env|shell) .*"))
                .forEach(line -> uncommented.append(line.replaceFirst("^# (?=[a-z_]+ = )", "")).append('\n'));
        assertThat(uncommented).contains("\nport = 10000");
        assertThat(read(uncommented.toString())).isEqualTo(Config.DEFAULT);
    }

    @Test
    void settingsAreRead() {
        String hash = TokenHash.of("secret").text();
        Config config = read("""
                [server]
                port = 0
                allowed_origins = ["tauri://localhost"]
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
        assertThat(config.env()).containsEntry("EDITOR", "vim");
        assertThat(config.server().accounts().getFirst().role()).isEqualTo(Role.WATCH);
        assertThat(config.server().accounts().getFirst().quota().sessions()).isEqualTo(3);
        assertThat(config.server().accounts().getFirst().quota().agentSessions()).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "[server]%nprot = 1              | belay.toml:2:1: there is no setting 'server.prot'",
            "[sever]%n                       | belay.toml:1:1: there is no setting 'sever'",
            "[server]%nport = 70000          | belay.toml:2:1: server.port is a number from 0 to 65535, not 70000",
            "[server]%nport = '80'           | belay.toml:2:1: server.port is a whole number",
            "[sessions]%n%nretention = 3     | belay.toml:3:1: sessions.retention is a time",
            "[sessions]%nretention = 'soon'  | belay.toml:2:1: sessions.retention is a time such as",
            "[sessions]%nlog_bytes = 'much'  | belay.toml:2:1: sessions.log_bytes is a size",
            "[sessions]%nlog_bytes = 1       | belay.toml:2:1: sessions.log_bytes is at least",
            "[server]%nport =                | belay.toml:2:",
            "[server]%ntls_cert = 'x'        | belay.toml:2:1: server.tls_cert is given together",
            "[[principals]]%nrole = 'user'   | principals.name is needed",
            "[[principals]]%nname = 'a b'    | belay.toml:2:1: principals.name: A principal's name",
            "[[principals]]%nname = 'admin'  | belay.toml:2:1: principals.name is the name of nobody else",
            "[[principals]]%nname = 'a'%nrole = 'root'  | belay.toml:3:1: principals.role is \"admin\"",
            "[[principals]]%nname = 'a'%ntokens = ['x'] | belay.toml:3:1: principals.tokens: A token's hash",
            "[sessions]%ntimeout = '0s'      | belay.toml:2:1: sessions.timeout is a time longer than zero",
            "[resources]%ncpu = '500ms'      | belay.toml:2:1: resources.cpu: Processor time",
            "[resources]%nmemory = 0         | belay.toml:2:1: resources.memory: The limit of memory has to be",
            "[resources]%nmemory = '9999999 T' | belay.toml:2:1: resources.memory is a size",
            "[resources.together]%ncores = 0 | belay.toml:2:1: resources.together.cores",
            "[resources.together]%ncpu = 1   | belay.toml:2:1: there is no setting 'resources.together.cpu'",
            "[env]%nset = { A = 1 }          | belay.toml:2:1: env.set is a table of texts",
    })
    void aMistakeIsToldWithItsPlace(String text, String message) {
        assertThatThrownBy(() -> read(text.formatted()))
                .isInstanceOf(SessionException.class)
                .hasMessageContaining(message);
    }
}
