package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Starting commands.
class UnifiedExecTest extends AgentRig {
    private static final Duration LONG_TIME = Duration.ofMillis(LONG);

    @Test
    void aCommandReturnsWhenItHasExitedWithAllItPrinted() throws InterruptedException {
        ExecResult result = exited(tools.unifiedExec(ExecRequest.of("echo hi").yieldTimeMs(LONG)));
        assertThat(result.output()).isEqualTo("hi\n");
        assertThat(result.exitCode()).isZero();
        assertThat(result.truncated()).isFalse();
        assertThat(result.outputStart()).isZero();
        assertThat(result.outputEnd()).isEqualTo(4);
        assertThat(result.omittedBytes()).isZero();
        assertThat(result.originalTokens()).isEqualTo(2);
        assertThat(result.waitingForInput()).isFalse();
        assertThat(result.echoOff()).isFalse();
        assertThat(result.signal()).isNull();
        assertThat(result.hint()).isNull();
        assertThat(result.error()).isNull();
        assertThat(result.wallTimeMs()).isLessThan(LONG);
    }

    @Test
    void theTimeToWaitIsACeilingAndNoDelay() throws InterruptedException {
        ExecResult result = exited(tools.unifiedExec(ExecRequest.of("sleep 0.05").yieldTimeMs(30_000)));
        assertThat(result.exitCode()).isZero();
        assertThat(result.wallTimeMs()).isBetween(50L, 30_000L);
    }

    @Test
    void aCommandThatFailsIsASuccessOfTheTool() throws InterruptedException {
        assertThat(run("exit 3").exitCode()).isEqualTo(3);
        ExecResult killed = run("kill -KILL $$");
        assertThat(killed.exitCode()).isEqualTo(137);
        assertThat(killed.signal()).isEqualTo("SIGKILL");
        assertThat(run("trap 'exit 42' TERM; kill -TERM $$; sleep 1000").exitCode()).isEqualTo(42);
        assertThat(run("no-such-command").exitCode()).isEqualTo(127);
    }

    @Test
    void aCommandThatNeverEndsIsReturnedRunning() throws InterruptedException {
        ExecResult result = tools.unifiedExec(ExecRequest.of("echo up; exec sleep 1000").yieldTimeMs(200));
        assertThat(result.success()).isTrue();
        assertThat(result.running()).isTrue();
        assertThat(result.exitCode()).isNull();
        assertThat(result.waitResult()).isEqualTo("timeout");
        ExecResult waited = tools.writeStdin(
                WriteRequest.to(result.sessionId(), "").waitFor(WaitFor.exited()).yieldTimeMs(1));
        assertThat(waited.waitResult()).isEqualTo("timeout");
        assertThat(waited.hint()).contains(result.sessionId()).contains("ctrl-c");
    }

    @Test
    void aCommandOfADevelopmentToolIsWaitedForLonger() throws InterruptedException {
        AgentTools patient = tools(SETTINGS.yields(Duration.ofMillis(1), LONG_TIME, Duration.ZERO));
        assertThat(patient.unifiedExec(ExecRequest.of("sleep 1000")).waitResult()).isEqualTo("timeout");
        ExecResult tool = exited(patient.unifiedExec(ExecRequest.of("sleep 0.3; git --version; exit 5")));
        assertThat(tool.exitCode()).isEqualTo(5);
        assertThat(exited(patient.unifiedExec(ExecRequest.of("which sleep"))).output()).contains("/sleep");
        assertThat(AgentSettings.DEFAULT.yield()).isEqualTo(Duration.ofSeconds(10));
        assertThat(AgentSettings.DEFAULT.toolchainYield()).isEqualTo(AgentSettings.DEFAULT.maxCall());
        assertThat(AgentSettings.DEFAULT.poll()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void noCallTakesLongerThanCallsMay() throws InterruptedException {
        AgentTools hasty = tools(SETTINGS.maxCall(Duration.ofMillis(50)));
        ExecResult result = hasty.unifiedExec(ExecRequest.of("sleep 1000").yieldTimeMs(LONG));
        assertThat(result.waitResult()).isEqualTo("timeout");
        assertThat(result.running()).isTrue();
        assertThat(result.hint()).contains("Still running");
        assertThat(hasty.unifiedExec(ExecRequest.of("sleep 1000").waitFor(WaitFor.exited())).hint()).isNotNull();
    }

    @Test
    void aWaitEndsWithTheFirstThatHappens() throws InterruptedException {
        ExecResult match = start("echo one; echo ready on 80; exec sleep 1000", "ready on \\d+");
        assertThat(match.output()).contains("one\nready on 80");
        assertThat(match.running()).isTrue();
        ExecResult coloured = start("printf 'rea\\033[31mdy\\033[0m'; exec sleep 1000", "ready");
        assertThat(coloured.output()).isEqualTo("ready");
        ExecResult idle = tools.unifiedExec(
                ExecRequest.of("echo x; exec sleep 1000").waitFor(WaitFor.idle(Duration.ofMillis(300))));
        assertThat(idle.waitResult()).isEqualTo("idle");
        assertThat(tools.unifiedExec(ExecRequest.of("exit 1").waitFor(WaitFor.match("never"))).waitResult())
                .isEqualTo("exit");
        // Also where the command is over by the time of the answer, the match is what ended the wait.
        ExecResult both = tools.unifiedExec(ExecRequest.of("echo ready").waitFor(WaitFor.match("ready")));
        assertThat(both.waitResult()).isEqualTo("match");
        assertThat(tools.unifiedExec(
                ExecRequest.of("sleep 1000").waitFor(WaitFor.match("never")).yieldTimeMs(10)).waitResult())
                .isEqualTo("timeout");
    }

    @Test
    void aBadOrHostileExpressionIsRefusedBeforeAnythingIsStarted() throws InterruptedException {
        for (String regex : List.of("(", "a{1000}{1000}", "((a{100}){100}){100}", "x".repeat(1001), "(?=a)")) {
            ToolError error = refused(
                    tools.unifiedExec(ExecRequest.of("touch started").waitFor(WaitFor.match(regex))),
                    ErrorCode.INVALID_REQUEST);
            assertThat(error.message()).contains("regular expression");
        }
        assertThat(sessions.stats().opened()).isZero();
        assertThat(workspace.resolve("started")).doesNotExist();
    }

    @Test
    void anExpressionThatBacktracksElsewhereTakesNoTimeHere() throws InterruptedException {
        ExecResult result = tools.unifiedExec(ExecRequest.of("printf '%040000d' 0 | tr 0 a; echo; echo end")
                .waitFor(WaitFor.match("(a+)+$x|(.*a){20}b|end")));
        assertThat(result.waitResult()).isEqualTo("match");
    }

    @Test
    void whatCannotBeRunIsRefusedWithTheReason() throws InterruptedException {
        assertThat(refused(tools.unifiedExec(ExecRequest.of("")), ErrorCode.INVALID_REQUEST).message())
                .contains("cmd is empty");
        refused(tools.unifiedExec(ExecRequest.of(" \n")), ErrorCode.INVALID_REQUEST);
        refused(tools.unifiedExec(ExecRequest.of("a\0b")), ErrorCode.INVALID_REQUEST);
        refused(tools.unifiedExec(ExecRequest.of("pwd").workdir("/")), ErrorCode.OUTSIDE_WORKSPACE);
        refused(tools.unifiedExec(ExecRequest.of("pwd").workdir("..")), ErrorCode.OUTSIDE_WORKSPACE);
        assertThat(refused(tools.unifiedExec(ExecRequest.of("pwd").workdir("missing")), ErrorCode.NOT_FOUND).message())
                .contains("missing");
        refused(tools.unifiedExec(ExecRequest.of("pwd").sessionId("no spaces")), ErrorCode.INVALID_REQUEST);
        assertThatThrownBy(() -> ExecRequest.of("ls").maxOutputTokens(0)).isInstanceOf(SessionException.class);
        assertThatThrownBy(() -> ExecRequest.of("ls").yieldTimeMs(-1)).isInstanceOf(SessionException.class);
        assertThatThrownBy(() -> new WaitFor(null, null, false, null, null)).isInstanceOf(SessionException.class);
        assertThatThrownBy(() -> new WaitFor(null, 0, false, null, null)).isInstanceOf(SessionException.class);
        assertThat(sessions.list()).isEmpty();
    }

    @Test
    void itRunsWhereAndHowItIsAskedTo() throws Exception {
        Files.createDirectories(workspace.resolve("sub"));
        assertThat(exited(tools.unifiedExec(
                ExecRequest.of("pwd").workdir("sub").waitFor(WaitFor.exited()))).output().strip())
                .isEqualTo(workspace.resolve("sub").toString());
        assertThat(run("stty size").output()).isEqualTo("24 80\n");
        ExecRequest wide =
                new ExecRequest("stty size; echo $0", null, "/bin/sh", false, true, LONG, 1000, Map.of(), 120,
                        40, null, null, View.AUTO, "my-id", null, null, null);
        ExecResult result = exited(tools.unifiedExec(wide));
        assertThat(result.output()).isEqualTo("40 120\n/bin/sh\n");
        assertThat(result.sessionId()).isEqualTo("my-id");
        ExecRequest login = new ExecRequest("shopt -q login_shell && echo login", null, "/bin/bash", true, false, LONG,
                1000, Map.of("HOME", folder.toString()), 80, 24, null, null, View.AUTO, null, null, null, null);
        assertThat(exited(tools.unifiedExec(login)).output()).endsWith("login\n");
        assertThat(exited(tools.unifiedExec(
                ExecRequest.of("tty; echo err >&2").pipes().waitFor(WaitFor.exited()))).output())
                .contains("not a tty\n").contains("err\n");
    }

    @Test
    void theProfileKeepsProgramsFromAskingAndACallMayChangeIt() throws InterruptedException {
        String show = "echo $PAGER,$GIT_PAGER,$MANPAGER,$GIT_TERMINAL_PROMPT,$GIT_EDITOR,$DEBIAN_FRONTEND,$MINE";
        assertThat(run(show).output()).isEqualTo("cat,cat,cat,0,true,noninteractive,\n");
        assertThat(exited(tools.unifiedExec(ExecRequest.of(show)
                .env(Map.of("PAGER", "less", "MINE", "x"))
                .waitFor(WaitFor.exited()))).output())
                .isEqualTo("less,cat,cat,0,true,noninteractive,x\n");
        AgentTools bare = tools(SETTINGS.env(Map.of("MINE", "own")));
        assertThat(exited(bare.unifiedExec(ExecRequest.of(show).waitFor(WaitFor.exited()))).output())
                .endsWith(",own\n").doesNotContain("cat");
    }

    @Test
    void aDeniedCommandIsNotStartedAndTheRuleIsNamed() throws InterruptedException {
        AgentTools careful = tools(SETTINGS.policy(
                Policy.of(List.of(Rule.of("no-touching", false, List.of("touch"), null)))));
        ToolError error = refused(
                careful.unifiedExec(ExecRequest.of("echo x; sudo touch started")), ErrorCode.DENIED);
        assertThat(error.message()).contains("'no-touching'");
        assertThat(error.details()).containsEntry("rule", "no-touching");
        assertThat(sessions.stats().opened()).isZero();
        assertThat(exited(careful.unifiedExec(
                ExecRequest.of("which touch").waitFor(WaitFor.exited()))).exitCode()).isZero();
    }

    @Test
    void aCommandThatTakesTooLongIsEndedAndTheAnswerSaysWhy() throws InterruptedException {
        ExecRequest request = new ExecRequest("exec sleep 1000", null, null, false, true, LONG, 1000,
                Map.of(), 80, 24, 100, null, View.AUTO, null, null, null, null);
        ExecResult result = exited(tools.unifiedExec(request));
        assertThat(result.exitCode()).isGreaterThan(128);
        assertThat(result.hint()).contains("timeout_ms");
    }

    @Test
    void labelsSayWhichToolASessionRuns() throws InterruptedException {
        String tool = run("env A=b git --version").sessionId();
        String none = run("true").sessionId();
        assertThat(tools.listPtySessions().sessions()).allSatisfy(entry -> assertThat(entry.session().labels())
                .isEqualTo(entry.session().id().equals(tool) ? Map.of("tool", "git") : Map.of()))
                .extracting(entry -> entry.session().id())
                .containsExactlyInAnyOrder(tool, none);
    }
}
