package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Actor;
import dev.belay.ErrorCode;
import dev.belay.Lease;
import dev.belay.Session;
import dev.belay.Until;
import dev.belay.testkit.Rig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/// Talking to commands.
class WriteStdinTest extends AgentRig {
    private static final String SHELL = "PS1='ready> ' exec bash --norc --noprofile -i";

    private String shell() throws InterruptedException {
        return start(SHELL, "ready> ").sessionId();
    }

    /// Waits without naming anything, until the command is seen to wait. How soon a machine gets round to it is its own
    /// affair, so a call that came too early is followed by another.
    private ExecResult rests(ExecResult first, String prompt) throws InterruptedException {
        StringBuilder output = new StringBuilder(first.output());
        ExecResult result = first;
        while (!(output.toString().endsWith(prompt) && Boolean.TRUE.equals(result.waitingForInput()))) {
            assertThat(result.waitResult()).as("%s %s", output, result).isEqualTo("input");
            result = tools.writeStdin(WriteRequest.to(first.sessionId(), "").yieldTimeMs(LONG));
            output.append(result.output());
        }
        return result;
    }

    @Test
    void aReplKeepsItsVariablesBetweenCalls() throws InterruptedException {
        String python = start("exec python3 -q", ">>> ").sessionId();
        type(python, "x = 6\n", ">>> ");
        type(python, "y = 7\n", ">>> ");
        assertThat(type(python, "print('answer', x * y)\n", "answer \\d+").output()).contains("answer 42");
        exited(tools.writeStdin(WriteRequest.to(python, "exit()\n").waitFor(WaitFor.exited())));
    }

    @Test
    void aCallReturnsAtAPromptLongBeforeItsTimeIsUp() throws InterruptedException {
        ExecResult prompt = tools.unifiedExec(
                ExecRequest.of("printf 'name? '; read name; echo \"hello $name\"").yieldTimeMs(LONG));
        assertThat(prompt.waitResult()).isEqualTo("input");
        prompt = rests(prompt, "name? ");
        assertThat(prompt.waitingForInput()).isTrue();
        assertThat(prompt.echoOff()).isFalse();
        assertThat(prompt.running()).isTrue();
        assertThat(exited(tools.writeStdin(
                WriteRequest.to(prompt.sessionId(), "Ada\n").waitFor(WaitFor.exited()))).output())
                .isEqualTo("Ada\nhello Ada\n");
    }

    @Test
    void aPromptThatComesLateIsSeenToo() throws InterruptedException {
        ExecResult prompt = tools.unifiedExec(
                ExecRequest.of("sleep 2; printf 'name? '; read name").yieldTimeMs(LONG));
        rests(prompt, "name? ");
    }

    @Test
    void aPromptEndsTheWaitForTheExitAndTheHintSaysWhereToType() throws InterruptedException {
        ExecResult asks = tools.unifiedExec(
                ExecRequest.of("read -p 'Ok? ' a; echo got $a").waitFor(WaitFor.exited()));
        assertThat(asks.waitResult()).as("%s", asks).isEqualTo("input");
        assertThat(asks.running()).isTrue();
        assertThat(asks.hint()).contains("write_stdin").contains(asks.sessionId());
        ExecResult idle = tools.writeStdin(
                WriteRequest.to(asks.sessionId(), "").waitFor(WaitFor.idle(Duration.ofMillis(LONG))));
        assertThat(idle.waitResult()).isEqualTo("input");
        assertThat(exited(tools.writeStdin(WriteRequest.to(asks.sessionId(), "yes\n"))).output()).contains("got yes");
    }

    @Test
    void aWaitForAMatchEndsAtAPromptOnlyAfterAQuietSecond() throws InterruptedException {
        // Listens for keys while it starts, as dev servers do.
        ExecResult server = start("(sleep 0.4; echo ready) & read -r key", "ready");
        assertThat(server.waitingForInput()).isTrue();
        ExecResult asks = tools.unifiedExec(ExecRequest.of("echo name; read -r a").waitFor(WaitFor.match("never")));
        assertThat(asks.waitResult()).as("%s", asks).isEqualTo("input");
        assertThat(asks.wallTimeMs()).isBetween(1000L, LONG - 1L);
        assertThat(asks.hint()).contains("write_stdin");
    }

    @Test
    void typingPassesACallThatWaitsAndThatReturnsWithWhatItHas() throws Exception {
        for (String id : List.of("exec", "poll")) {
            ExecRequest sleeper = ExecRequest.of("echo up; exec sleep 1000").sessionId(id);
            AtomicReference<ExecResult> first = new AtomicReference<>();
            if (id.equals("poll")) {
                start(sleeper, "up");
            }
            Thread waiting = Thread.ofVirtual().start(() -> {
                try {
                    first.set(id.equals("exec")
                            ? tools.unifiedExec(sleeper.waitFor(WaitFor.exited()))
                            : tools.writeStdin(WriteRequest.to(id, "").waitFor(WaitFor.match("never"))));
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            while (sessions.find(id).isEmpty() || tools.callsUnderWay() == 0) {
                Thread.onSpinWait();
            }
            sessions.get(id).cursor().await(Until.match("up"), Rig.PATIENCE);
            ExecResult typed = exited(tools.writeStdin(
                    WriteRequest.to(id, "").keys("ctrl-c").waitFor(WaitFor.exited())));
            assertThat(typed.exitCode()).isEqualTo(130);
            assertThat(waiting.join(Rig.PATIENCE)).isTrue();
            assertThat(first.get().waitResult()).as("%s", first).isEqualTo("timeout");
            assertThat(first.get().hint()).contains("Another call typed");
            assertThat(first.get().output() + typed.output()).contains(id.equals("exec") ? "up" : "^C");
        }
    }

    @Test
    void aPasswordPromptIsToldByItsEcho() throws InterruptedException {
        ExecResult prompt = rests(
                tools.unifiedExec(
                        ExecRequest.of("read -s -p 'Password: ' word; echo; echo ${#word}").yieldTimeMs(LONG)),
                "Password: ");
        assertThat(prompt.echoOff()).isTrue();
        ExecResult after = exited(
                tools.writeStdin(WriteRequest.to(prompt.sessionId(), "secret\n").waitFor(WaitFor.exited())));
        assertThat(after.output()).isEqualTo("\n6\n");
        assertThat(after.echoOff()).isFalse();
    }

    @Test
    void ctrlCStopsTheCommandAndTheShellLivesOn() throws InterruptedException {
        String shell = shell();
        // Said by the command itself, so it has the terminal.
        type(shell, "sh -c 'echo go\"\"es; exec sleep 1000'\n", "goes");
        type(WriteRequest.to(shell, "").keys("ctrl-c"), "ready> ");
        assertThat(type(shell, "echo code $?\n", "code \\d+").output()).contains("code 130");
        type(shell, "sh -c 'echo go\"\"es; exec cat'\n", "goes");
        type(shell, "\u0003", "ready> ");
        assertThat(exited(tools.writeStdin(
                WriteRequest.to(shell, "exit 7\n").waitFor(WaitFor.exited()))).exitCode()).isEqualTo(7);
    }

    @Test
    void aTrapDecidesTheExitCode() throws InterruptedException {
        String id = start("trap 'exit 42' INT; echo set; while :; do sleep 0.1; done", "set").sessionId();
        assertThat(exited(tools.writeStdin(
                WriteRequest.to(id, "").keys("ctrl-c").waitFor(WaitFor.exited()))).exitCode()).isEqualTo(42);
    }

    @Test
    void ctrlDEndsTheInput() throws InterruptedException {
        String cat = tools.unifiedExec(ExecRequest.of("exec cat").yieldTimeMs(LONG)).sessionId();
        type(cat, "  kept as it is \n", "is \\s+kept as it is ");
        ExecResult end = exited(tools.writeStdin(WriteRequest.to(cat, "\u0004").waitFor(WaitFor.exited())));
        assertThat(end.exitCode()).isZero();
        assertThat(pages(ReadRequest.from(cat, 0), end.outputEnd()))
                .isEqualTo("  kept as it is \n  kept as it is \n");
    }

    @Test
    void lessIsDrivenByKeys() throws Exception {
        Files.writeString(workspace.resolve("text"), "line\n".repeat(200) + "the end\n");
        String less = start("exec less text", "line").sessionId();
        type(WriteRequest.to(less, "").keys("end"), "the end");
        exited(tools.writeStdin(WriteRequest.to(less, "q").waitFor(WaitFor.exited())));
    }

    @Test
    void vimSavesWhatIsTypedAlsoByApplicationCursorKeys() throws Exception {
        Path file = Files.writeString(workspace.resolve("text"), "one\ntwo\n");
        String vim = start("exec vim -u NONE -N -i NONE text", "two").sessionId();
        assertThat(screens.cursorKeys(sessions.get(vim))).isTrue();
        tools.writeStdin(WriteRequest.to(vim, "").keys("down", "end").yieldTimeMs(LONG));
        tools.writeStdin(WriteRequest.to(vim, "A three").keys("esc").yieldTimeMs(LONG));
        exited(tools.writeStdin(WriteRequest.to(vim, ":wq").keys("enter").waitFor(WaitFor.exited())));
        assertThat(file).hasContent("one\ntwo three\n");
        assertThat(screens.cursorKeys(sessions.get(vim))).isFalse();
    }

    @Test
    void aFullScreenProgramIsShownAsItsScreenAndThenByChangedRows() throws Exception {
        Files.writeString(workspace.resolve("text"), "one\ntwo\n");
        // It asks the terminal nothing: it would draw everything again when it gets the answer.
        ExecResult vim = start("exec vim -u NONE -N -i NONE --cmd 'set t_RV= t_u7= t_RF= t_RB=' text", "two");
        assertThat(vim.output()).startsWith("one\ntwo\n~\n").contains("[screen, cursor at row 1, column 1");
        ExecResult typed = tools.writeStdin(
                WriteRequest.to(vim.sessionId(), "jA three").keys("esc").waitFor(WaitFor.match("two three")));
        assertThat(typed.output()).contains("2| two three\n").doesNotContain("one");
        assertThat(tools.readOutput(new ReadRequest(vim.sessionId(), null, null, null, 1000, View.SCREEN)).output())
                .startsWith("one\ntwo three\n~\n");
        ExecResult left = exited(tools.writeStdin(
                WriteRequest.to(vim.sessionId(), ":q!").keys("enter").waitFor(WaitFor.exited())));
        assertThat(left.output()).doesNotContain("one").doesNotContain("\u001b");
    }

    @Test
    void cursorKeysAreSentAsTheProgramAskedForThem() throws InterruptedException {
        String read = "stty raw -echo; printf '%b' \"$0\"; printf ready; head -c 3 | od -An -c; exit";
        for (String[] each : new String[][] {{"", "[ A"}, {"\\033[?1h", "O A"}, {"\\033[?1h\\033[?25;1l", "[ A"},
                {"\\033[?12;1h\\033[?25l", "O A"}, {"\\033[?1h\\033c", "[ A"}}) {
            String id =
                    start("exec bash -c '" + read.replace("'", "'\\''") + "' '" + each[0] + "'", "ready").sessionId();
            ExecResult seen = exited(tools.writeStdin(WriteRequest.to(id, "").keys("up").waitFor(WaitFor.exited())));
            assertThat(seen.output().replaceAll("\\s+", " ")).contains("033 " + each[1]);
        }
    }

    @Test
    void aPasteIsMarkedAndCannotEndItself() throws InterruptedException {
        String id = start("stty raw -echo; printf ready; head -c 14 | od -An -c", "ready").sessionId();
        ExecResult seen = exited(tools.writeStdin(WriteRequest.to(id, "a\u001b[20\u001b[201~1~b").pasted()
                .waitFor(WaitFor.exited())));
        assertThat(seen.output().replaceAll("\\s+", "")).isEqualTo("033[200~ab033[201~");
        String bash = shell();
        // The shell takes no pasted line before it is told to.
        type(WriteRequest.to(bash, "echo pa''sted\necho tw''ice").pasted(), "tw''ice");
        assertThat(type(WriteRequest.to(bash, "").keys("enter"), "twice").output()).contains("pasted")
                .contains("twice");
    }

    @Test
    void onPipesKeysThatNeedATerminalDoWhatTheyMean() throws InterruptedException {
        for (String key : List.of("ctrl-d", "Ctrl-D")) {
            String cat = tools.unifiedExec(ExecRequest.of("exec cat").pipes().yieldTimeMs(LONG)).sessionId();
            type(cat, "x\n", "x");
            assertThat(exited(tools.writeStdin(
                    WriteRequest.to(cat, "").keys(key).waitFor(WaitFor.exited()))).exitCode()).isZero();
        }
        for (String key : List.of("ctrl-c", "CTRL-C")) {
            String id = start(ExecRequest.of("trap 'exit 9' INT; echo set; while :; do sleep 0.1; done").pipes(), "set")
                    .sessionId();
            assertThat(exited(tools.writeStdin(
                    WriteRequest.to(id, "").keys(key).waitFor(WaitFor.exited()))).exitCode()).isEqualTo(9);
            assertThat(refused(tools.writeStdin(WriteRequest.to(id, "").keys(key)), ErrorCode.NOT_WRITABLE).message())
                    .contains("has exited");
        }
        String plain = tools.unifiedExec(ExecRequest.of("exec cat").pipes().yieldTimeMs(LONG)).sessionId();
        assertThat(type(WriteRequest.to(plain, "no marks\n").pasted(), "marks\n").output()).isEqualTo("no marks\n");
    }

    @Test
    void aClosedInputIsSaid() throws InterruptedException {
        String id = start(ExecRequest.of("exec 0<&-; echo closed; exec sleep 1000").pipes(), "closed").sessionId();
        tools.writeStdin(WriteRequest.to(id, "\u0004").yieldTimeMs(0));
        ToolError error = refused(tools.writeStdin(WriteRequest.to(id, "x")), ErrorCode.NOT_WRITABLE);
        assertThat(error.message()).contains("its input is closed");
    }

    @Test
    void aPersonWithTheKeyboardIsNamedAndNothingIsTyped() throws InterruptedException {
        String cat = tools.unifiedExec(ExecRequest.of("exec cat").yieldTimeMs(LONG)).sessionId();
        try (Lease _ = sessions.get(cat).as(new Actor("Ada")).takeKeyboard(false, null)) {
            ExecResult result = tools.writeStdin(WriteRequest.to(cat, "mine\n"));
            assertThat(refused(result, ErrorCode.DENIED).message()).contains("Ada has the keyboard");
            assertThat(result.running()).isTrue();
            assertThat(tools.writeStdin(WriteRequest.to(cat, "")).success()).isTrue();
        }
        assertThat(type(cat, "yours\n", "yours").output()).doesNotContain("mine");
    }

    @Test
    void whatIsPrintedInPrivateIsNotShown() throws InterruptedException {
        String cat = tools.unifiedExec(ExecRequest.of("exec cat").pipes().yieldTimeMs(LONG)).sessionId();
        type(cat, "before", "before");
        Session person = sessions.get(cat).as(new Actor("Ada"));
        try (Lease _ = person.takeKeyboard(true, null)) {
            person.write("secret");
            person.cursor(6).await(Until.match("secret"), Rig.PATIENCE);
            assertThat(tools.writeStdin(WriteRequest.to(cat, "")).output()).isEmpty();
        }
        ExecResult after = type(cat, "after\n", "after");
        assertThat(after.output())
                .isEqualTo("[Output truncated] 6 bytes are missing here: they were printed while somebody typed"
                        + " privately.\nafter\n");
        assertThat(after.omittedBytes()).isEqualTo(6);
        assertThat(after.truncated()).isTrue();
        OutputResult all = tools.readOutput(ReadRequest.from(cat, 0));
        assertThat(all.output()).startsWith("before\n[Output truncated] 6 bytes").endsWith("privately.\nafter\n");
    }

    @Test
    void inputThatIsTooLongOrNotTakenIsSaid() throws InterruptedException {
        String cat = tools.unifiedExec(ExecRequest.of("exec cat").yieldTimeMs(LONG)).sessionId();
        refused(tools.writeStdin(WriteRequest.to(cat, "x".repeat((1 << 20) + 1))), ErrorCode.TOO_LARGE);
        AgentTools hasty = tools(SETTINGS.maxCall(Duration.ofMillis(200)));
        String deaf = start(ExecRequest.of("echo up; exec sleep 1000").pipes(), "up").sessionId();
        ExecResult result = hasty.writeStdin(WriteRequest.to(deaf, "x".repeat(1 << 20)));
        ToolError error = refused(result, ErrorCode.TIMEOUT);
        assertThat((int) error.details().get("taken")).isBetween(1, (1 << 20) - 1);
        assertThat(result.running()).isTrue();
        assertThat(refused(tools.writeStdin(WriteRequest.to(cat, "").keys("f13")), ErrorCode.INVALID_REQUEST).message())
                .contains("'f13'");
    }

    @Test
    void aTypedCommandMeetsTheRulesToo() throws InterruptedException {
        Rule rule = Rule.of("no-push", false, List.of("git"), "\\spush(\\s|$)");
        AgentTools ruled = tools(SETTINGS.policy(Policy.of(List.of(rule))));
        String id = start("echo up; cat", "up").sessionId();

        for (String typed : List.of("git push\n", "git -C repo push", "cd x && /usr/bin/git push -f\n")) {
            ToolError error = refused(ruled.writeStdin(WriteRequest.to(id, typed)), ErrorCode.DENIED);
            assertThat(error.message()).startsWith("Nothing was typed: rule 'no-push'");
            assertThat(error.details()).containsEntry("rule", "no-push");
        }
        ExecResult echoed = ruled.writeStdin(
                WriteRequest.to(id, "git status\n").waitFor(WaitFor.match("(?s)git status\n.*git status\n")));
        assertThat(echoed.output()).doesNotContain("push");
        // An editor's text is no command.
        String editor = start("printf '\\033[?1049h\\033[Hopen'; cat", "open").sessionId();
        assertThat(ruled.writeStdin(WriteRequest.to(editor, "git push\n")).success()).isTrue();
    }

    @Test
    void aLineThatTheTerminalWouldCutIsRefusedWithWhatToDo() throws InterruptedException {
        String cat = start("stty -echo; echo up; exec cat", "up").sessionId();
        ToolError error = refused(
                tools.writeStdin(WriteRequest.to(cat, "x".repeat(5000) + "\n")), ErrorCode.NOT_WRITABLE);
        assertThat(error.message()).contains("5000", "shorter lines");
        assertThat(error.details()).containsEntry("max_line_bytes", 4095);
        assertThat(tools.writeStdin(WriteRequest.to(cat, "fine\n").waitFor(WaitFor.match("fine"))).output())
                .isEqualTo("fine\n");
    }

    @Test
    void anUnknownSessionIsNamedAndTheLivingAreListed() throws InterruptedException {
        assertThat(refused(tools.writeStdin(WriteRequest.to("nobody", "")), ErrorCode.NOT_FOUND).message())
                .contains("'nobody'").contains("You have none");
        String living = start("echo up; exec sleep 1000", "up").sessionId();
        ToolError error = refused(tools.writeStdin(WriteRequest.to("nobody", "")), ErrorCode.NOT_FOUND);
        assertThat(error.message()).contains(living).contains("sleep 1000");
        assertThat(tools.readOutput(ReadRequest.from("nobody", 0)).error()).isEqualTo(error);
        assertThat(tools.closePtySession("nobody", false).error()).isEqualTo(error);
        // What belongs to somebody else is as good as not there.
        AgentTools other = tools("other", SETTINGS);
        refused(other.writeStdin(WriteRequest.to(living, "x")), ErrorCode.NOT_FOUND);
        assertThat(other.listPtySessions().sessions()).isEmpty();
    }

    @Test
    void whatWasStartedToStayIsNotEndedForBeingIdle() throws Exception {
        AgentTools hasty = tools(SETTINGS.idleTimeout(Duration.ofSeconds(1)));
        String waited = hasty.unifiedExec(ExecRequest.of("echo up; exec cat").waitFor(WaitFor.match("up"))).sessionId();
        // A server whose start nobody waits for: it listens on a port.
        String server = hasty.unifiedExec(ExecRequest.of("""
                exec python3 -c 'import socket, time
                s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
                print("listening", flush=True); time.sleep(1000)'""").yieldTimeMs(0)).sessionId();
        sessions.get(server).cursor().await(Until.match("listening"), Rig.PATIENCE);
        String idle = hasty.unifiedExec(ExecRequest.of("exec sleep 1000").yieldTimeMs(0)).sessionId();
        // It began last, so the others would have ended before.
        assertThat(exits.poll(Rig.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(idle);
        assertThat(sessions.get(waited).exit()).isEmpty();
        assertThat(sessions.get(server).exit()).isEmpty();
    }

    @Test
    void theIdOfASessionThatHasExitedIsFreeAgain() throws Exception {
        ExecRequest request = ExecRequest.of("echo one; exit 3").sessionId("again").waitFor(WaitFor.exited());
        assertThat(exited(tools.unifiedExec(request)).exitCode()).isEqualTo(3);
        ExecRequest more = ExecRequest.of("echo two; cat").sessionId("again").waitFor(WaitFor.match("two"));
        assertThat(tools.unifiedExec(more).output()).isEqualTo("two\n");
        assertThat(sessions.list()).hasSize(1);
        assertThat(refused(tools.unifiedExec(request), ErrorCode.ALREADY_EXISTS).message()).contains("again");
    }

    @Test
    void aPasteAsLargeAsOneMayBeIsFollowedByKeys() throws Exception {
        String text = "x".repeat(1 << 20);
        String id = start("stty raw -echo; printf ready; head -c " + ((1 << 20) + 13) + " | tail -c 8 | od -An -c",
                "ready").sessionId();
        ExecResult seen = exited(tools.writeStdin(
                WriteRequest.to(id, text).pasted().keys("enter").waitFor(WaitFor.exited())));
        assertThat(seen.output().replaceAll("\\s+", "")).isEqualTo("x033[201~\\r");
        String cat = start("stty -echo; echo up; exec cat >/dev/null", "up").sessionId();
        refused(tools.writeStdin(WriteRequest.to(cat, text + "y").keys("enter")), ErrorCode.TOO_LARGE);
    }

    @Test
    void theCallAfterAnIdleTimeoutSaysSoAndReturnsTheRestOfTheOutput() throws InterruptedException {
        AgentTools hasty = tools(SETTINGS.idleTimeout(Duration.ofSeconds(3)));
        String id = hasty.unifiedExec(ExecRequest.of("echo one; exec cat")).sessionId();
        Session session = sessions.get(id);
        session.write("two\n");
        session.cursor().await(Until.match("two\\s+two"), Rig.PATIENCE);
        assertThat(exits.poll(Rig.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(id);
        ExecResult next = hasty.writeStdin(WriteRequest.to(id, "more\n"));
        assertThat(refused(next, ErrorCode.NOT_WRITABLE).message()).contains("idle timeout");
        assertThat(next.output()).endsWith("two\ntwo\n");
        ExecResult poll = exited(hasty.writeStdin(WriteRequest.to(id, "")));
        assertThat(poll.hint()).contains("idle timeout").contains("idle_timeout_ms 0");
        assertThat(poll.output()).isEmpty();
    }
}
