package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.linux.Machine;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What sessions may use, by the settings, by a client's wish, by the options of `belay run`, and by nobody's word.
class LimitsTest extends WithBelay {
    private static final String TOGETHER = "[resources.together]\nmemory = \"1 GiB\"\n";

    @AfterEach
    void nothingIsLeft() throws Exception {
        Eventually.see("no process left", belay::processes, List::isEmpty);
    }

    private void settings(String text) throws Exception {
        Files.writeString(folder.resolve("belay.toml"), text);
    }

    /// What a command prints in a session of a server.
    private static String printed(RunningServer server, String id, String more) throws Exception {
        String body = "{\"id\":\"" + id + "\",\"mode\":\"pipe\"," + more + "}";
        assertThat(server.call("POST", "api/sessions", server.token(), body)).startsWith("201 ");
        server.call("POST", "api/sessions/" + id + "/wait", server.token(), "{\"exit\":true}");
        String output = server.call("GET", "api/sessions/" + id + "/output?from=0", server.token(), "");
        assertThat(server.call("DELETE", "api/sessions/" + id, server.token(), "")).startsWith("200 ");
        return output;
    }

    @Test
    void thoseOfTheSettingsReachTheSessionsOfAServerAndAreReadAgain() throws Exception {
        String show = "\"cmd\":\"ulimit -n; ulimit -c\"";
        settings("[resources]\nopen_files = 64\n");
        try (RunningServer server = new RunningServer(belay, "--config", "belay.toml")) {
            assertThat(printed(server, "a", show)).isEqualTo("200 64\n0\n");
            assertThat(printed(server, "b", show + ",\"resources\":{\"open_files\":50,\"core_bytes\":512}"))
                    .isEqualTo("200 50\n1\n");
            assertThat(printed(server, "c", show + ",\"resources\":{\"open_files\":1000}"))
                    .as("the settings are the most").isEqualTo("200 64\n0\n");
            settings("[resources]\nopen_files = 40\n");
            server.signal("HUP");
            Eventually.see("the new limit", () -> printed(server, "d", show), now -> now.equals("200 40\n0\n"));
            server.end();
        }
    }

    @Test
    void theWallClockOfTheSettingsEndsASession() throws Exception {
        settings("[sessions]\ntimeout = \"300ms\"\n");
        try (RunningServer server = new RunningServer(belay, "--config", "belay.toml")) {
            String spec = "{\"cmd\":\"sleep 1000\",\"id\":\"a\",\"timeout_ms\":3600000}";
            assertThat(server.call("POST", "api/sessions", server.token(), spec)).startsWith("201 ");
            server.call("POST", "api/sessions/a/wait", server.token(), "{\"exit\":true}");
            assertThat(server.call("GET", "api/sessions/a", server.token(), ""))
                    .contains("\"end_reason\":\"timeout\"");
            server.end();
        }
    }

    @Test
    void thoseOfTheSettingsReachTheSessionsOfAnAgent() throws Exception {
        settings("[resources]\nopen_files = 64\n");
        Process mcp = belay.start("mcp", "--config", folder.resolve("belay.toml").toString());
        try {
            String answer = answer(mcp);
            assertThat(answer).contains("open: 64");
            assertThat(mcp.waitFor(Belay.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            mcp.destroyForcibly();
        }
    }

    /// What it answers to a call, after which its input ends.
    private static String answer(Process mcp) throws Exception {
        try (BufferedWriter in = mcp.outputWriter(); BufferedReader out = mcp.inputReader()) {
            in.write("""
                    {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",\
                    "capabilities":{},"clientInfo":{"name":"test","version":"0"}}}
                    {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"unified_exec","arguments":\
                    {"cmd":"echo open: $(ulimit -n)","yield_time_ms":30000,"wait_for":{"exit":true}}}}
                    """);
            in.flush();
            String answer = out.readLine();
            while (answer != null && !answer.contains("\"id\":2")) {
                answer = out.readLine();
            }
            return String.valueOf(answer);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"serve", "mcp"})
    void whatNoSessionCouldBeHeldToIsToldAtTheStart(String command) throws Exception {
        settings(TOGETHER);
        if (Machine.controlGroups().usable().contains("memory")) {
            try (RunningServer server = new RunningServer(belay, "--config", "belay.toml")) {
                assertThat(printed(server, "a", "\"cmd\":\"echo held\"")).isEqualTo("200 held\n");
                server.end();
            }
            return;
        }
        Belay.Outcome outcome = belay.run(command, "--config", folder.resolve("belay.toml").toString());
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.err()).contains("[resources.together]", "docs/operations.md");
        Belay.Outcome doctor = belay.run("doctor", "--config", folder.resolve("belay.toml").toString());
        assertThat(doctor.code()).isEqualTo(1);
        assertThat(doctor.out()).contains("missing  limits", "[resources.together]", "Fix: ");
    }

    @Test
    void theDoctorReadsTheSettings() throws Exception {
        settings("[sessions]\nretention = 3\n");
        Belay.Outcome outcome = belay.run("doctor", "--config", folder.resolve("belay.toml").toString());
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.out()).contains("missing  file", "belay.toml:2:1: sessions.retention must be a time");
        Path own = Files.createDirectories(folder.resolve("config/belay")).resolve("belay.toml");
        Files.writeString(own, "[sessions]\n");
        assertThat(belay.env("XDG_CONFIG_HOME", folder.resolve("config").toString()).run("doctor").out())
                .containsPattern("ok +file +" + own);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "--open-files=64 | ulimit -n   | 64",
            "--cpu=90s       | ulimit -t   | 90",
            "--memory=2GiB   | ulimit -v   | 2097152",
            "--file-size=1M  | ulimit -f   | 2048",
            "--processes=999 | ulimit -u; ulimit -p | 999",
    })
    void theOptionsOfRunLimitTheCommand(String option, String show, String value) throws Exception {
        Belay.Outcome outcome = belay.run("run", "--pipe", option, "--", "/bin/sh", "-c", show + " 2>/dev/null; :");
        assertThat(outcome.out().lines()).contains(value);
        assertThat(outcome.code()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--cpu=500ms", "--memory=much", "--open-files=0", "--open-files=many"})
    void anOptionThatNothingCanBeLimitedToIs125(String option) throws Exception {
        Belay.Outcome outcome = belay.run("run", option, "--", "echo", "ran");
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).startsWith("belay: ").doesNotContain("\tat ");
    }

    @Test
    @Tag("source-tree")
    void withoutAnyASessionHasTheLimitOfOpenFilesThatItsCallerHas() throws Exception {
        Path launcher = belay.launcher();
        ProcessBuilder builder = new ProcessBuilder(
                "/bin/sh", "-c", "ulimit -Sn 256; exec \"$0\" run -- sh -c 'ulimit -Sn; ulimit -Hn'",
                launcher.toString());
        builder.environment().putAll(belay.env());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Belay.Outcome outcome = Belay.outcome(builder.start(), new byte[0]);
        Process hard = new ProcessBuilder("/bin/sh", "-c", "ulimit -Hn").start();
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out()).isEqualTo("256\n" + Belay.outcome(hard, new byte[0]).out());
    }

    @Test
    @Tag("source-tree")
    void aStandardInputThatIsClosedIsEmpty() throws Exception {
        belay.env("JAVA_HOME", System.getProperty("java.home"));
        Process process = belay.start(List.of(
                "/bin/sh", "-c", "exec \"$0\" run --pipe -- wc -c <&-", belay.launcher().toString()));
        Belay.Outcome outcome = Belay.outcome(process, new byte[0]);
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out().strip()).isEqualTo("0");
    }
}
