package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.ErrorCode;
import dev.belay.screens.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Commands in a shell that stays: what they print, and their exit codes, are right or said to be unknown.
class PersistentShellTest extends AgentRig {
    private String shell = "bash";

    private ExecRequest asked(String cmd) {
        return ExecRequest.of(cmd).in("main").shell(shell).waitFor(WaitFor.exited());
    }

    private ExecResult in(String cmd) throws InterruptedException {
        ExecResult result = tools.unifiedExec(asked(cmd));
        assertThat(result.success()).as("%s: %s", cmd, result).isTrue();
        return result;
    }

    private void ends(String cmd, String output, Integer code) throws InterruptedException {
        ExecResult result = in(cmd);
        assertThat(result.waitResult()).as("%s: %s", cmd, result).isEqualTo("exit");
        assertThat(result.output()).as(cmd).isEqualTo(output);
        assertThat(result.exitCode()).as(cmd).isEqualTo(code);
        assertThat(result.running()).isFalse();
        assertThat(result.sessionId()).isEqualTo("main");
    }

    @ParameterizedTest
    @CsvSource({"bash,1000", "zsh,200", "fish,200"})
    void everyCommandHasItsOwnOutputAndCode(String of, int usual) throws Exception {
        shell = of;
        int many = Boolean.getBoolean("belay.long") ? 1000 : usual;
        for (int i = 0; i < many; i++) {
            ends("echo out-" + i + "; sh -c 'exit " + i % 256 + "'", "out-" + i + "\n", i % 256);
        }
        List<ShellCommand> commands = screens.commands(sessions.get("main"));
        assertThat(commands).hasSize(many).allMatch(ShellCommand::signed);
        for (int i = 0; i < many; i++) {
            assertThat(commands.get(i).command()).isEqualTo("echo out-" + i + "; sh -c 'exit " + i % 256 + "'");
            assertThat(commands.get(i).exitCode()).isEqualTo(i % 256);
        }
        assertThat(sessions.list()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void theShellStaysBetweenCalls(String of) throws Exception {
        shell = of;
        Path inside = Files.createDirectories(workspace.resolve("in; side"));
        ExecResult moved = in("cd 'in; side'");
        assertThat(moved.cwd()).isEqualTo(inside.toString());
        assertThat(moved.hint()).isEqualTo("now in " + inside);
        ends("pwd", inside + "\n", 0);
        in(of.equals("fish") ? "set -g kept yes" : "kept=yes");
        ends("echo $kept \"it's\" 'a \"b\"' \\\\ '!!'", "yes it's a \"b\" \\ !!\n", 0);
        ends("echo one\necho two # and a comment\n\nfalse", "one\ntwo\n", 1);
        ends("printf 'no line'", "no line", 0);
        ends("# only a comment", "", 0);
        assertThat(in("echo 'never closed").exitCode()).as("a syntax error").isNotZero();
        assertThat(in("no-such-program-here").exitCode()).isEqualTo(127);
        ExecResult elsewhere = tools.unifiedExec(asked("pwd").workdir("."));
        assertThat(elsewhere.output()).isEqualTo(workspace + "\n");
        assertThat(elsewhere.cwd()).isEqualTo(workspace.toString());
        assertThat(startUpFolders()).as("start-up files").isEmpty();
        ListResult list = tools.listPtySessions();
        assertThat(list.sessions()).hasSize(1);
        assertThat(list.sessions().getFirst().commands()).extracting(ShellCommand::command)
                .containsExactly("echo 'never closed", "no-such-program-here", "pwd");
    }

    private List<Path> startUpFolders() throws IOException {
        long pid = ProcessHandle.current().pid();
        assertThat(pid).isPositive();
        try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return all.filter(path -> path.getFileName().toString().startsWith("belay-shell-"))
                    .filter(path -> mine(path)).toList();
        }
    }

    /// Other runs on this machine may be starting shells.
    private boolean mine(Path path) {
        String env = sessions.get("main").spec().env() + " " + sessions.get("main").spec().command();
        return env.contains(path.toString());
    }

    @Test
    void hereDocumentsAndFunctionsOfManyLines() throws Exception {
        for (String of : List.of("bash", "zsh")) {
            shell = of;
            ends("cat <<'END'\n$HOME; \t'\"\nEND\ncat <<END\n$((1 + 2))\nEND", "$HOME; \t'\"\n3\n", 0);
            ends("f() {\n  echo \"in $1\"\n  return 4\n}\nf x", "in x\n", 4);
            ends("printf '%s' $'a\\e[31mb'", "ab", 0);
            tools.closePtySession("main", true);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void aCommandThatStillRunsIsTalkedTo(String of) throws Exception {
        shell = of;
        ExecResult asks = in("sh -c 'printf \"Name? \"; read -r n; echo \"hi $n\"; exit 5'");
        assertThat(asks.waitResult()).as("%s", asks).isEqualTo("input");
        assertThat(asks.output()).isEqualTo("Name? ");
        assertThat(asks.running()).isTrue();
        ToolError busy = refused(tools.unifiedExec(asked("echo more")), ErrorCode.NOT_WRITABLE);
        assertThat(busy.message()).contains("busy with 'sh -c").contains("write_stdin");
        ExecResult done = tools.writeStdin(WriteRequest.to("main", "ann\n").waitFor(WaitFor.exited()));
        assertThat(done.exitCode()).as("%s", done).isEqualTo(5);
        assertThat(done.output()).endsWith("hi ann\n");
        assertThat(done.running()).isFalse();

        ExecResult sleeps = tools.unifiedExec(asked("sh -c 'echo up; exec sleep 1000'").waitFor(WaitFor.match("up\n")));
        assertThat(sleeps.waitResult()).isEqualTo("match");
        assertThat(sleeps.output()).isEqualTo("up\n");
        ExecResult stopped = tools.writeStdin(WriteRequest.to("main", "").keys("ctrl-c").waitFor(WaitFor.exited()));
        assertThat(stopped.exitCode()).as("%s", stopped).isEqualTo(130);
        ends("echo on", "on\n", 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void forgedMarksMakeNoCode(String of) throws Exception {
        shell = of;
        Path forged = Files.writeString(workspace.resolve("forged"),
                "\033]133;D;0\007\033]133;D;0;k=00\007\033]133;A\007\033]633;P;Cwd=/forged\007"
                        + "\033]7;file:///forged\007x\n");
        ends("cat " + forged + "; sh -c 'exit 9'", "x\n", 9);
        assertThat(in("true").cwd()).isEqualTo(workspace.toString());
        assertThat(screens.commands(sessions.get("main"))).hasSize(2);
    }

    @Test
    void aShellThatBecomesAnotherHasNoCodes() throws Exception {
        ExecResult other = tools.unifiedExec(asked("PS1='inner> ' exec bash --norc"));
        assertThat(other.running()).as("%s", other).isTrue();
        assertThat(other.exitCode()).isNull();
        assertThat(other.waitResult()).isEqualTo("input");
        assertThat(other.hint()).contains("unknown");
        refused(tools.unifiedExec(asked("true")), ErrorCode.NOT_WRITABLE);
        ExecResult typed = type("main", "echo from $((40 + 2))\n", "from 42");
        assertThat(typed.exitCode()).isNull();
        ExecResult gone = tools.writeStdin(WriteRequest.to("main", "exit 3\n").waitFor(WaitFor.exited()));
        assertThat(gone.exitCode()).isEqualTo(3);
        ends("echo again", "again\n", 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void aShellThatExitsIsStartedAgain(String of) throws Exception {
        shell = of;
        ExecResult gone = in("exit 6");
        assertThat(gone.exitCode()).as("%s", gone).isEqualTo(6);
        assertThat(gone.running()).isFalse();
        ends("echo new", "new\n", 0);
        assertThat(sessions.list()).hasSize(1);
    }

    @Test
    void whatMakesNoSenseIsRefusedWithTheReason() throws Exception {
        assertThat(refused(tools.unifiedExec(asked("true").pipes()), ErrorCode.INVALID_REQUEST).message())
                .contains("terminal");
        shell = "/bin/sh";
        assertThat(refused(tools.unifiedExec(asked("true")), ErrorCode.INVALID_REQUEST).message())
                .contains("bash, zsh or fish");
        shell = "bash";
        in("true");
        assertThat(refused(tools.unifiedExec(asked("true").env(Map.of("A", "b"))), ErrorCode.INVALID_REQUEST).message())
                .contains("export");
        shell = "zsh";
        assertThat(refused(tools.unifiedExec(asked("true")), ErrorCode.INVALID_REQUEST).message()).contains("bash");
        shell = "bash";
        start(ExecRequest.of("echo up; cat").sessionId("cat"), "up");
        assertThat(refused(tools.unifiedExec(asked("true").in("cat")), ErrorCode.INVALID_REQUEST).message())
                .contains("not a persistent shell");
    }

    @Test
    void aShellThatNeverComesToItsPromptIsRefusedAndLeavesNothing() throws Exception {
        Path home = Files.createDirectories(folder.resolve("home"));
        Files.writeString(home.resolve(".profile"), "read -r -p 'Licence accepted? ' answer\n");
        ExecRequest request = asked("true").env(Map.of("HOME", home.toString()));
        ToolError error = refused(tools.unifiedExec(request), ErrorCode.SPAWN_FAILED);
        assertThat(error.message()).contains("Licence accepted?");
        assertThat(sessions.list()).isEmpty();
        Files.writeString(home.resolve(".profile"), "from_profile=read; PROMPT_COMMAND='echo mine'; PS1='mine> '\n");
        ExecResult read = tools.unifiedExec(asked("echo $from_profile").env(Map.of("HOME", home.toString())));
        assertThat(read.output()).isEqualTo("read\n");
        assertThat(read.exitCode()).isZero();
    }
}
