package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The commands that drive sessions of a running server.
class SessionCommandsTest extends WithBelay {
    private RunningServer server;

    @BeforeEach
    void serve() throws Exception {
        server = new RunningServer(belay);
    }

    @AfterEach
    void end() throws Exception {
        server.end();
        server.close();
    }

    private String out(String... args) throws Exception {
        Belay.Outcome outcome = belay.run(args);
        assertThat(outcome.code()).as(outcome.err()).isZero();
        return outcome.out();
    }

    private static JsonNode json(String text) {
        return new JsonMapper().readTree(text);
    }

    @Test
    void aSessionIsOpenedTypedIntoWaitedForReadAndClosed() throws Exception {
        assertThat(out("open", "--name", "calc", "--label", "for=test", "--", "bc", "-q")).isEqualTo("calc\n");
        assertThat(out("wait", "calc", "--input", "--timeout", "50s")).isEmpty();
        out("send", "calc", "6*7", "--newline");
        assertThat(out("wait", "calc", "--match", "\\b42\\b", "--timeout", "50s")).isEqualTo("42\n");
        assertThat(out("read", "calc", "--strip-ansi")).contains("6*7").endsWith("42\n");
        assertThat(out("read", "calc", "--tail", "2", "--strip-ansi")).contains("42\n").doesNotContain("6*7");
        JsonNode record = json(out("ls", "--json")).path("sessions").path(0);
        assertThat(record.path("id").asString()).isEqualTo("calc");
        assertThat(record.path("labels").path("for").asString()).isEqualTo("test");
        assertThat(out("ls")).containsPattern("ID +STATE .*\ncalc +(running|waits) .* bc -q\n");
        assertThat(out("search", "4.$")).matches("calc:\\d+: 42\n");
        out("resize", "calc", "100x30");
        assertThat(json(out("ls", "--json")).path("sessions").path(0).path("cols").asInt()).isEqualTo(100);
        // Hang-up and termination are sent together.
        assertThat(out("close", "calc")).matches("Closed calc: ended 1 process \\(exit code (129|143)\\)\\.\n");
        assertThat(out("ls")).hasLineCount(1);
    }

    @Test
    void theScreenIsPrintedAsAPersonSeesIt() throws Exception {
        out("open", "--name", "drawn", "--", "sh", "-c", "printf 'xxxx\\rab\\033[3;3Hlow'; read x");
        out("wait", "drawn", "--match", "low", "--timeout", "50s");
        assertThat(out("read", "drawn", "--screen")).isEqualTo("abxx\n\n  low\n");
    }

    @Test
    void idsMayBeShortenedAndWhatIsUnclearIsTold() throws Exception {
        String generated = out("open", "--", "cat").strip();
        assertThat(out("read", generated.substring(0, 6))).isEmpty();
        assertThat(out("ls")).contains(generated.substring(0, 8)).doesNotContain(generated);
        out("open", "--name", "build-1", "--", "cat");
        out("open", "--name", "build-2", "--", "cat");
        Belay.Outcome unclear = belay.run("read", "build");
        assertThat(unclear.code()).isEqualTo(2);
        assertThat(unclear.err()).contains("'build' matches admin/build-1, admin/build-2; type more of it");
        assertThat(out("read", "admin/build-1")).isEmpty();
        Belay.Outcome mistyped = belay.run("read", "biuld-2");
        assertThat(mistyped.code()).isEqualTo(3);
        assertThat(mistyped.err()).isEqualTo("belay: There is no session 'biuld-2'. Did you mean 'build-2'?\n");
        assertThat(belay.run("read", "nonsense").err()).contains("'belay ls' lists your sessions");
        assertThat(out("close", "--all").lines()).hasSize(3).allMatch(line -> line.contains("ended 1 process"));
        assertThat(out("close", "--all")).isEqualTo("There are no sessions.\n");
    }

    @Test
    void aWaitPassesTheExitCodeOnAndTellsATimeout() throws Exception {
        out("open", "--name", "three", "--", "sh", "-c", "read x; exit 3");
        Belay.Outcome timeout = belay.run("wait", "three", "--timeout", "100ms");
        assertThat(timeout.code()).isEqualTo(124);
        assertThat(timeout.err()).isEqualTo("belay: timed out after 100ms\n");
        out("send", "three", "--keys", "x,enter");
        assertThat(belay.run("wait", "three", "--exit").code()).isEqualTo(3);
        Belay.Outcome never = belay.run("wait", "three", "--match", "never");
        assertThat(never.code()).isEqualTo(1);
        assertThat(never.err()).contains("exited before that happened (exit code 3)");
        assertThat(out("wait", "three", "--idle", "10ms", "--match", "x", "--json"))
                .contains("\"wait_result\":\"match\"");
    }

    @Test
    void keysFilesAndSignalsReachTheProgram() throws Exception {
        out("open", "--name", "sh", "--", "sh", "-c", "trap 'echo hurt' INT; while :; do read x && echo got $x; done");
        Files.writeString(folder.resolve("lines"), "one\ntwo\n");
        out("send", "sh", "--file", "lines");
        assertThat(out("wait", "sh", "--match", "got two", "--timeout", "50s")).isEqualTo("got two\n");
        out("signal", "sh", "INT");
        out("wait", "sh", "--match", "hurt", "--timeout", "50s");
        out("send", "sh", "--keys", "ctrl-c");
        out("wait", "sh", "--match", "(?s)hurt.*hurt", "--timeout", "50s");
        assertThat(belay.run("send", "sh", "--keys", "hyper-x").err()).contains("Unknown key");
        assertThat(belay.run("send", "sh").code()).isEqualTo(2);
        assertThat(belay.run("signal", "sh", "NONSENSE").code()).isEqualTo(1);
        assertThat(belay.run("resize", "sh", "big").code()).isEqualTo(2);
    }

    @Test
    void readFollowsToTheEndAndAReaderMayLeaveEarly() throws Exception {
        out("open", "--name", "count", "--", "sh", "-c", "seq 1000; read x; echo last");
        belay.writeLauncher();
        Process head = belay.start(java.util.List.of(
                "bash", "-c", "set -o pipefail; ./belay read count --follow | head -1; echo ${PIPESTATUS[0]}"));
        out("wait", "count", "--match", "1000", "--timeout", "50s");
        // The reader has gone; what comes now finds nobody.
        out("send", "count", "--newline");
        Belay.Outcome left = Belay.outcome(head, new byte[0]);
        assertThat(left.err()).isEmpty();
        assertThat(left.out()).matches("1\r?\n141\n");
        assertThat(out("read", "count", "--follow", "--strip-ansi")).startsWith("1\n2\n").endsWith("last\n");
        assertThat(out("read", "count", "--tail", "2", "--strip-ansi")).isEqualTo("\nlast\n");
        assertThat(out("read", "count", "--tail", "500", "--strip-ansi")).hasLineCount(500);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ls --watch", "read quiet --follow", "wait quiet --match never", "wait quiet --input",
            "wait quiet --idle 1h", "wait quiet --exit"})
    void ctrlCEndsACommandThatWaits(String command) throws Exception {
        out("open", "--name", "quiet", "--", "sleep", "1000");
        Process waiting = belay.start(command.split(" "));
        Eventually.see("a connection to the server", () -> sockets(waiting.pid()), count -> count > 0);
        new ProcessBuilder("kill", "-INT", Long.toString(waiting.pid())).start().waitFor();
        assertThat(waiting.waitFor(Belay.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(waiting.exitValue()).isEqualTo(130);
        assertThat(new String(waiting.getErrorStream().readAllBytes(), StandardCharsets.UTF_8)).isEmpty();
    }

    static long sockets(long pid) throws Exception {
        try (var fds = Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
            long count = 0;
            for (Path fd : fds) {
                count += Files.exists(fd, LinkOption.NOFOLLOW_LINKS)
                        && Files.readSymbolicLink(fd).toString().startsWith("socket:") ? 1 : 0;
            }
            return count;
        }
    }

    /// Runs commands, a line each, in one process.
    ///
    /// @return a line for each with its exit code
    private static java.util.List<String> codes(Belay belay, String... lines) throws Exception {
        Belay.Outcome all = belay.feed(String.join("\n", lines) + "\n", "train");
        return all.err().lines().filter(line -> line.matches(".*: \\d+")).toList();
    }

    @Test
    void everyClientCommandSaysThatThereIsNoServerOrThatTheTokenIsWrong() throws Exception {
        String[] commands = {"ls", "ls --watch", "top", "open -- cat", "read x", "send x y", "wait x", "attach x",
                "resize x 80x24", "signal x INT", "close x", "close --all", "search x", "link", "reload", "stop"};
        String[] absent = new String[commands.length];
        String[] wrong = new String[commands.length];
        Files.writeString(folder.resolve("wrong"), "nobodys-token\n");
        for (int i = 0; i < commands.length; i++) {
            String[] words = commands[i].split(" ", 2);
            String rest = words.length == 1 ? "" : " " + words[1];
            absent[i] = words[0] + " --state " + folder.resolve("nowhere") + rest;
            wrong[i] = words[0] + " --token-file wrong" + rest;
        }
        assertThat(codes(belay, absent)).hasSize(commands.length).allMatch(line -> line.endsWith(": 1"));
        assertThat(codes(belay, wrong)).hasSize(commands.length).allMatch(line -> line.endsWith(": 5"));
    }

    @Test
    void aReachedLimitHasItsCode() throws Exception {
        Belay.Outcome made = belay.run("token", "eve", "--out", "eve.token");
        Files.writeString(folder.resolve("limited.toml"), made.out() + "[principals.quota]\nsessions = 1\n");
        Belay other = new Belay(Files.createDirectories(folder.resolve("other")));
        try (RunningServer limited = new RunningServer(other, "--config", "../limited.toml")) {
            assertThat(other.run("open", "--token-file", "../eve.token", "--", "cat").code()).isZero();
            Belay.Outcome refused = other.run("open", "--token-file", "../eve.token", "--", "cat");
            assertThat(refused.code()).isEqualTo(4);
            assertThat(refused.err()).hasLineCount(1);
            limited.end();
        }
    }

    @Test
    void limitsRefusalsAndWrongTokensHaveTheirCodes() throws Exception {
        Files.writeString(folder.resolve("wrong"), "nobodys-token\n");
        Belay.Outcome wrong = belay.run("ls", "--token-file", "wrong");
        assertThat(wrong.code()).isEqualTo(5);
        assertThat(wrong.err()).contains("does not know this token").hasLineCount(1);
        Belay.Outcome missing = belay.run("open", "--", "no-such-program");
        assertThat(missing.code()).isEqualTo(1);
        assertThat(missing.err()).contains("no-such-program").hasLineCount(1);
        assertThat(belay.run("open", "--name", "a b", "--", "cat").code()).isEqualTo(1);
        assertThat(belay.run("open", "--label", "x", "--", "cat").code()).isEqualTo(2);
        assertThat(belay.run("ls", "surplus").err()).contains("unexpected argument 'surplus'");
        assertThat(belay.run("close").code()).isEqualTo(2);
        assertThat(belay.run("search", "(").code()).isEqualTo(2);
        assertThat(belay.run("search", "nowhere").code()).isEqualTo(3);
    }
}
