package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvironmentTest {
    @ParameterizedTest
    @ValueSource(strings = {
            "GITHUB_TOKEN", "TOKEN", "my_token_2", "AWS_SECRET_ACCESS_KEY", "SECRET", "PGPASSWORD", "Password",
            "OPENAI_API_KEY",
            "API_KEY_2", "BELAY_TOKEN", "BELAY_SESSION", "belay_x"})
    void whatLooksSecretIsNotInherited(String name) {
        assertThat(Environment.inherited(Map.of(name, "x", "EDITOR", "vi")).variables())
                .isEqualTo(Map.of("EDITOR", "vi"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PATH", "EDITOR", "MY_BELAY_X", "APIKEY", "PASS", "http_proxy", "_", "TOKE"})
    void theRestIsInherited(String name) {
        assertThat(Environment.inherited(Map.of(name, "x")).variables()).containsEntry(name, "x");
    }

    @Test
    void secretsCanBeNamedOtherwise() {
        Map<String, String> caller = Map.of("A.B", "1", "AXB", "2", "GITHUB_TOKEN", "3", "PREFIX_1", "4");
        assertThat(Environment.inherited(caller, List.of("a.b", "prefix_*")).variables())
                .containsOnlyKeys("AXB", "GITHUB_TOKEN");
        assertThat(Environment.inherited(caller, List.of()).variables()).isEqualTo(caller);
        assertThat(Environment.inherited(caller, List.of("*")).variables()).isEmpty();
    }

    @Test
    void aServerStartsFromAShortList() {
        Map<String, String> caller = Map.ofEntries(
                Map.entry("PATH", "/bin"),
                Map.entry("HOME", "/h"),
                Map.entry("LANG", "C"),
                Map.entry("LC_ALL", "C"),
                Map.entry("TZ", "UTC"),
                Map.entry("TMPDIR", "/t"),
                Map.entry("http_proxy", "p"),
                Map.entry("HTTPS_PROXY", "p"),
                Map.entry("JAVA_HOME", "/j"),
                Map.entry("SSH_AUTH_SOCK", "/s"),
                Map.entry("EDITOR", "vi"),
                Map.entry("LD_PRELOAD", "x"),
                Map.entry("TERM", "dumb"),
                Map.entry("GITHUB_TOKEN", "x"));
        assertThat(Environment.basic(caller).variables()).containsOnlyKeys(
                "PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "http_proxy", "HTTPS_PROXY", "JAVA_HOME",
                "SSH_AUTH_SOCK");
    }

    @Test
    void moreVariablesReplaceThoseThere() {
        Environment base = new Environment(Map.of("A", "1", "B", "2"));
        assertThat(base.with(Map.of("B", "3", "C", "4")).variables()).isEqualTo(Map.of("A", "1", "B", "3", "C", "4"));
        assertThat(base.variables()).isEqualTo(Map.of("A", "1", "B", "2"));
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "DATABASE_URL", "GH_PAT", "OPENAI_KEY", "AWS_ACCESS_KEY_ID", "MYSQL_PWD", "PASSPHRASE", "CREDENTIALS",
            "npm_config__auth", "SSH_AUTH_SOCK", "HTTPS_PROXY", "MAKEFLAGS", "LD_PRELOAD", "path"})
    void aSandboxInheritsOnlyWhatIsHarmless(String name) {
        Map<String, String> caller = Map.of(name, "x", "PATH", "/bin", "LC_ALL", "C", "EDITOR", "vi");
        assertThat(Environment.inherited(caller, List.of()).inSandbox().variables())
                .containsOnlyKeys("PATH", "LC_ALL", "EDITOR");
    }

    @Test
    void aSandboxGetsWhatIsNamed() {
        Environment base = new Environment(Map.of("DATABASE_URL", "inherited", "OTHER", "x"));
        assertThat(base.with(Map.of("DATABASE_URL", "named")).with(Map.of("B", "2")).inSandbox().variables())
                .isEqualTo(Map.of("DATABASE_URL", "named", "B", "2"));
    }

    @Test
    void valuesAreNeverShown() {
        assertThat(new Environment(Map.of("A", "hush")).toString()).contains("A").doesNotContain("hush");
    }
}
