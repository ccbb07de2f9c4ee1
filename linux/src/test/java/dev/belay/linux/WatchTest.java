package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.Approval;
import dev.belay.Approval.Answer;
import dev.belay.Approval.Check;
import dev.belay.Approval.Scope;
import dev.belay.Approval.State;
import dev.belay.Approvals;
import dev.belay.ErrorCode;
import dev.belay.ExecPolicy;
import dev.belay.ExecPolicy.Action;
import dev.belay.ExecPolicy.Verdict;
import dev.belay.Guard;
import dev.belay.Isolation;
import dev.belay.Network;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Signal;
import dev.belay.Until;
import dev.belay.Waited;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Watched sessions, with real processes: what is seen, asked, answered and compared.
class WatchTest extends WatchRig {
    @BeforeAll
    static void firstSocket() throws IOException {
        Sandboxes.firstSocket();
    }

    private Session sandboxed(String... command) {
        return sessions().open(SessionSpec.of(command).pipe()
                .guard(Guard.NONE.watched(true).isolation(Isolation.SANDBOX)));
    }

    @Test
    void allowedProgramsRunAndEveryStartIsSeen() throws Exception {
        Session session = watched("/bin/sh", "-c", "id -u; /bin/echo two; true");
        assertThat(output(session)).endsWith("two\n");
        assertThat(seen.stream().map(one -> one.first().name())).contains("id", "echo");
        assertThat(Objects.requireNonNull(session.snapshot().guard()).watched()).isTrue();
        assertThat(session.survivors()).isZero();
    }

    @Test
    void aProgramThatNeedsAnAnswerWaitsForItAndRuns() throws Exception {
        Session session = watched("/bin/sh", "-c", "cd /usr; uname -s; echo done");
        Approval asked = question();
        assertThat(asked.program()).endsWith("/bin/uname");
        assertThat(asked.words()).containsExactly("uname", "-s");
        assertThat(asked.workdir()).isEqualTo("/usr");
        assertThat(asked.rule()).isEqualTo("ask-uname");
        assertThat(asked.ancestors()).anyMatch(line -> line.contains("uname -s; echo done"));
        assertThat(asked.state()).isEqualTo(State.PENDING);
        assertThat(session.cursor().drainText(1 << 10).text()).isEmpty();
        assertThat(Objects.requireNonNull(session.snapshot().guard()).approvals()).isOne();
        approvals().answer(asked.id(), "ada", Answer.ALLOW);
        assertThat(output(session)).isEqualTo("Linux\ndone\n");
        Approval told = next(closed);
        assertThat(told.state()).isEqualTo(State.ALLOWED);
        assertThat(told.by()).isEqualTo("ada");
        assertThat(next(checks)).isNotEqualTo(Check.MISMATCH);
    }

    @Test
    void aRefusedProgramFailsWithEpermAndTheAgentCanBeTold() throws Exception {
        Session session = watched("/bin/sh", "-c", "uname -s || echo no $?");
        approvals().answer(question().id(), "ada", Answer.DENY);
        assertThat(output(session)).contains("Operation not permitted").endsWith("no 126\n");
        assertThat(session.approvalNews()).singleElement()
                .satisfies(news -> assertThat(news.state()).isEqualTo(State.DENIED));
        assertThat(session.approvalNews()).isEmpty();
        // The rest of PATH is the same question.
        assertThat(closed).hasSize(1);
    }

    @Test
    void aDeniedProgramNeverStartsAndNobodyIsAsked() throws Exception {
        Session session = watched("/bin/sh", "-c", "arch; /usr/bin/env arch; echo end");
        assertThat(output(session)).doesNotContain("x86_64").endsWith("end\n");
        assertThat(next(denied).rule()).isEqualTo("no-arch");
        assertThat(approvals().pending().approvals()).isEmpty();
    }

    @Test
    void missingFilesAreMissing() throws Exception {
        Session session = watched("/bin/sh", "-c", "/nowhere/uname; echo $?");
        assertThat(output(session)).contains("not found").endsWith("127\n");
    }

    @Test
    void answersHoldForTheSessionOrTheWorkspace() throws Exception {
        Session session = watched("/bin/sh", "-c", "uname -s; uname -s; uname -m >/dev/null; echo end");
        approvals().answer(question().id(), "ada", new Answer(true, Scope.SESSION, null));
        Approval second = question();
        assertThat(second.words()).containsExactly("uname", "-m");
        approvals().answer(second.id(), "ada", new Answer(true, Scope.WORKSPACE, 1));
        assertThat(output(session)).isEqualTo("Linux\nLinux\nend\n");
        assertThat(Files.readString(folder.resolve("state/approvals.txt")))
                .contains(" allow prefix ").endsWith("/uname uname\n");
        assertThat(output(watched("/bin/sh", "-c", "uname -s; uname -n >/dev/null; echo again"))).endsWith("again\n");
        assertThat(closed).hasSize(2);
    }

    @Test
    void equalQuestionsAreOneAndAnsweredTogether() throws Exception {
        Session session = watched("/bin/sh", "-c", "for i in 1 2 3; do uname -s & done; wait; echo end");
        Approvals.Pending now = approvals().pending();
        while (now.approvals().isEmpty() || now.approvals().getFirst().count() < 3) {
            now = approvals().next(now.revision(), Rig.PATIENCE);
        }
        assertThat(now.approvals()).hasSize(1);
        approvals().answer(now.approvals().getFirst().id(), "ada", Answer.ALLOW);
        assertThat(output(session)).isEqualTo("Linux\nLinux\nLinux\nend\n");
    }

    @Test
    void theFirstAnswerCounts() throws Exception {
        Session session = watched("uname", "-s");
        String id = question().id();
        approvals().answer(id, "ada", Answer.DENY);
        SessionException late =
                catchThrowableOfType(SessionException.class, () -> approvals().answer(id, "bob", Answer.ALLOW));
        assertThat(late.code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(late.details()).containsEntry("state", "denied");
        assertThat(session.awaitExit(Rig.PATIENCE).orElseThrow().code()).isEqualTo(126);
    }

    @Test
    void nobodyInTimeMeansNo() throws Exception {
        approvals().settings(new Approvals.Settings(
                Set.of(), (_, execution) -> judge(execution), Duration.ofMillis(50), 32));
        assertThat(output(watched("/bin/sh", "-c", "uname -s || echo no"))).endsWith("no\n");
        assertThat(next(closed).state()).isEqualTo(State.EXPIRED);
    }

    @Test
    void whereNobodyCanBeAskedTheAnswerIsNo() throws Exception {
        Objects.requireNonNull(attends).run();
        Session session = watched("/bin/sh", "-c", "uname -s || echo no");
        assertThat(output(session)).endsWith("no\n");
        assertThat(session.approvalNews()).singleElement()
                .satisfies(news -> assertThat(news.state()).isEqualTo(State.REFUSED));
    }

    @Test
    void tooManyQuestionsAreRefused() throws Exception {
        approvals().settings(new Approvals.Settings(
                Set.of(), (_, execution) -> judge(execution), Duration.ofMinutes(5), 1));
        Session session = watched("/bin/sh", "-c", "uname -s & uname -m & wait");
        assertThat(next(denied).state()).isEqualTo(State.REFUSED);
        assertThat(approvals().pending().approvals()).hasSize(1);
        session.close();
    }

    @Test
    void aKilledProcessWithdrawsItsQuestion() throws Exception {
        Session session = watched("bash", "-c", "trap 'echo back' INT; uname -s; echo end");
        question();
        session.signal(Signal.INT);
        assertThat(next(closed).state()).isEqualTo(State.GONE);
        assertThat(output(session)).contains("end");
    }

    @Test
    void aCloseWithdrawsTheQuestion() throws Exception {
        Session session = watched("/bin/sh", "-c", "uname -s; echo end");
        question();
        session.close();
        assertThat(next(closed).state()).isEqualTo(State.GONE);
        assertThat(approvals().pending().approvals()).isEmpty();
    }

    @Test
    void aReloadJudgesOpenQuestionsAnew() throws Exception {
        Session session = watched("/bin/sh", "-c", "uname -s; echo end");
        question();
        approvals().settings(settings(ExecPolicy.ALLOW_ALL));
        assertThat(output(session)).isEqualTo("Linux\nend\n");
        assertThat(next(closed).by()).isNull();
    }

    @Test
    void anAgentsWaitEndsWithTheQuestion() throws Exception {
        Session session = watched("uname", "-s");
        Until until = Until.exited().orApproval();
        assertThat(session.drainer().await(until, Rig.PATIENCE).fired()).isEqualTo(Waited.Fired.APPROVAL);
        assertThat(session.approvalNews()).hasSize(1);
        assertThat(session.drainer().await(until, Duration.ofMillis(50)).fired()).isEqualTo(Waited.Fired.TIMEOUT);
        approvals().answer(question().id(), "ada", Answer.ALLOW);
        assertThat(session.drainer().await(until, Rig.PATIENCE).fired()).isEqualTo(Waited.Fired.EXIT);
    }

    @Test
    void aTerminalIsWatchedTheSameWay() throws Exception {
        Session session = sessions().open(SessionSpec.of("bash", "--norc").guard(Guard.NONE.watched(true)));
        session.writeLine("PS1='> '; uname -s");
        approvals().answer(question().id(), "ada", Answer.ALLOW);
        assertThat(session.drainer().await(Until.match("Linux\n"), Rig.PATIENCE).fired())
                .isEqualTo(Waited.Fired.MATCH);
        session.writeLine("exit");
        assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
    }

    @Test
    void aSandboxIsWatchedFromWithin() throws Exception {
        Session session = sandboxed("/bin/sh", "-c", "id -u >/dev/null; uname -s; arch; echo end");
        Approval asked = question();
        assertThat(asked.program()).isEqualTo("/usr/bin/uname");
        approvals().answer(asked.id(), "ada", Answer.ALLOW);
        assertThat(output(session)).startsWith("Linux\n").doesNotContain("x86_64").endsWith("end\n");
        assertThat(seen.stream().map(one -> one.first().name())).contains("id").doesNotContain("bwrap", "env");
        assertThat(next(denied).rule()).isEqualTo("no-arch");
    }

    /// The bridge to its proxy, and a forward, are Belay's own.
    @Test
    void aSandboxWithHostsIsWatchedFromWithin() throws Exception {
        Network hosts = new Network.Hosts(List.of("github.com", "db.example:5432"));
        Session session = sessions().open(SessionSpec.of("/bin/sh", "-c", "id -u; echo end").pipe()
                .guard(Guard.NONE.watched(true).isolation(Isolation.SANDBOX.network(hosts))));
        assertThat(output(session)).endsWith("end\n");
        assertThat(seen.stream().map(one -> one.first().name())).contains("id").doesNotContain("socat", "env");
    }

    /// Belay's own processes, the shell that becomes the program and bubblewrap with its many options, say nothing.
    @Test
    void ancestorsAreTheSessionsOwn() throws Exception {
        Session bare = watched("uname", "-s");
        assertThat(question().ancestors()).isEmpty();
        bare.close();
        next(closed);
        Session direct = watched("/bin/sh", "-c", "uname -s; echo end");
        assertThat(question().ancestors()).containsExactly("/bin/sh -c \"uname -s; echo end\"");
        direct.close();
        next(closed);
        sandboxed("uname", "-s");
        assertThat(question().ancestors()).isEmpty();
        approvals().answer(question().id(), "ada", Answer.DENY);
        next(closed);
        sandboxed("/bin/sh", "-c", "sh -c 'uname  -s; true'; true");
        assertThat(question().ancestors()).containsExactly(
                "sh -c \"uname⟦␠×2⟧-s; true\"", "/bin/sh -c \"sh -c \\'uname⟦␠×2⟧-s; true\\'; true\"");
    }

    @Test
    void theWatchProvesThatNobodyIsLeft() throws Exception {
        Session session = watched("/bin/sh", "-c", "env -i setsid sleep 1000 >/dev/null 2>&1 </dev/null & echo begun");
        assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
        assertThat(session.survivors()).isOne();
        session.close();
        assertThat(Rig.marked(sessions().instance() + "/")).isEmpty();
    }

    /// A thread that swaps the file between the look and the start may win. Then the other program is found and killed,
    /// or was gone before anybody could look; what is verified is what was approved.
    @Test
    void aSwappedFileIsFoundOut() throws Exception {
        LinkedBlockingQueue<String> swaps = new LinkedBlockingQueue<>();
        approvals().settings(settings((_, execution) -> {
            String name = execution.first().name();
            swaps.add(name);
            return name.equals("arch")
                    ? new Verdict(Action.DENY, "no-arch")
                    : new Verdict(Action.ALLOW, "rest", name.equals("true"));
        }));
        Session session = watched("python3", "-c", """
                import os, threading
                def swap():
                    for i in range(4000):
                        os.symlink('/usr/bin/arch' if i % 2 else '/usr/bin/true', 'next')
                        os.rename('next', 'swapped')
                swap()
                thread = threading.Thread(target=swap)
                thread.start()
                for i in range(60):
                    try:
                        os.waitpid(os.posix_spawn('./swapped', ['true'], {}), 0)
                    except OSError:
                        pass
                thread.join()
                print('end')
                """);
        assertThat(output(session)).endsWith("end\n");
        session.close();
        long allowed = swaps.stream().filter("true"::equals).count();
        assertThat(allowed + swaps.stream().filter("arch"::equals).count()).isEqualTo(60);
        // Each that was allowed is compared, and the result is one of three.
        for (long i = 0; i < allowed; i++) {
            next(checks);
        }
        assertThat(checks).isEmpty();
    }
}
