package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.ErrorCode;
import dev.belay.Session;
import dev.belay.Until;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Many sessions, many calls.
class ManyCallsTest extends AgentRig {
    private String sleeper(AgentTools of) throws InterruptedException {
        ExecResult result = of.unifiedExec(ExecRequest.of("exec sleep 1000").yieldTimeMs(0));
        assertThat(result.success()).as("%s", result).isTrue();
        return result.sessionId();
    }

    @Test
    void theEleventhSessionIsRefusedWithTheOthersOldestFirst() throws InterruptedException {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            ids.add(sleeper(tools));
        }
        refusesOneMore(ids);
        assertThat(sessions.list()).as("none is ended to make room").hasSize(10)
                .allSatisfy(session -> assertThat(session.exit()).isEmpty());
        assertThat(tools.closePtySession(ids.get(3), true).success()).isTrue();
        ids.remove(3);
        ids.add(sleeper(tools));
        refusesOneMore(ids);
        // An exited session takes no place, and another agent has places of its own.
        AgentTools other = tools("other", SETTINGS);
        exited(other.unifiedExec(ExecRequest.of("true").waitFor(WaitFor.exited())));
        sleeper(other);
    }

    private void refusesOneMore(List<String> ids) throws InterruptedException {
        ToolError error = refused(tools.unifiedExec(ExecRequest.of("echo more")), ErrorCode.LIMIT_REACHED);
        assertThat(error.message()).startsWith("Maximum PTY sessions reached (10 of 10): ")
                .contains("oldest first").contains("close_pty_session").contains("sleep 1000");
        assertThat(error.message()).containsSubsequence(ids);
        assertThat(error.details()).containsEntry("sessions", String.join(",", ids));
    }

    @Test
    void callsInParallelNeverOpenMoreThanTheLimit() throws Exception {
        AgentTools few = tools(SETTINGS.maxSessions(3));
        int opened = 0;
        for (ExecResult result : inParallel(20,
                () -> few.unifiedExec(ExecRequest.of("exec sleep 1000").yieldTimeMs(0)))) {
            opened += result.success() ? 1 : 0;
        }
        assertThat(opened).isEqualTo(3);
        assertThat(sessions.stats().permitsUsed()).isEqualTo(3);
    }

    private static List<ExecResult> inParallel(int count, Callable<ExecResult> call) throws Exception {
        List<ExecResult> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<ExecResult>> under = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                under.add(threads.submit(call));
            }
            for (Future<ExecResult> each : under) {
                results.add(each.get());
            }
        }
        return results;
    }

    @Test
    void callsOnDifferentSessionsDoNotWaitForEachOther() throws Exception {
        String one = start("mkfifo go; echo up; read x < go; echo got $x", "up").sessionId();
        CountDownLatch answered = new CountDownLatch(1);
        Thread waiting = Thread.ofVirtual().start(() -> {
            try {
                tools.writeStdin(WriteRequest.to(one, "").waitFor(WaitFor.match("got")));
                answered.countDown();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(run("echo other").output()).isEqualTo("other\n");
        assertThat(answered.getCount()).isEqualTo(1);
        run("echo it > go");
        answered.await();
        assertThat(waiting.join(Rig.PATIENCE)).isTrue();
    }

    @Test
    void callsOnOneSessionFollowEachOtherAndShareItsOutputOut() throws Exception {
        ExecResult first = start("stty -echo; echo set; exec cat", "set\\n");
        String cat = first.sessionId();
        List<ExecResult> results = new ArrayList<>(inParallel(20, () -> tools.writeStdin(
                WriteRequest.to(cat, "line\n").waitFor(WaitFor.match("line\\n")))));
        // Calls that type cut the waits of those before them short.
        long end = first.outputEnd() + 20L * "line\r\n".length();
        sessions.get(cat).cursor().await(Until.offset(end), Rig.PATIENCE);
        results.add(tools.writeStdin(WriteRequest.to(cat, "")));
        StringBuilder all = new StringBuilder();
        // One that was cut short may have shown nothing.
        Comparator<ExecResult> order = Comparator.comparingLong(ExecResult::outputStart);
        results.stream().sorted(order.thenComparingLong(ExecResult::outputEnd)).forEach(result -> {
            assertThat(result.outputStart()).as("no byte is given out twice")
                    .isEqualTo(first.outputEnd() + all.length());
            all.append(result.output().replace("\n", "\r\n"));
        });
        assertThat(all.toString()).isEqualTo("line\r\n".repeat(20));
    }

    @Test
    void anInterruptedWaitLeavesTheProcessAndItsOutput() throws Exception {
        String id = start("echo one; read x; echo two; exec cat", "one").sessionId();
        Session session = sessions.get(id);
        for (int round = 0; round < 20; round++) {
            AtomicReference<Object> outcome = new AtomicReference<>();
            Thread caller = Thread.ofVirtual().start(() -> {
                try {
                    outcome.set(tools.writeStdin(WriteRequest.to(id, "").waitFor(WaitFor.match("never"))));
                } catch (InterruptedException e) {
                    outcome.set(e);
                }
            });
            caller.interrupt();
            assertThat(caller.join(Rig.PATIENCE)).isTrue();
            assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
        }
        assertThat(tools.callsUnderWay()).isZero();
        assertThat(session.exit()).isEmpty();
        session.write("x\n");
        ExecResult after = tools.writeStdin(WriteRequest.to(id, "").waitFor(WaitFor.match("two")));
        assertThat(after.output()).contains("two");
        assertThat(pages(ReadRequest.from(id, 0), after.outputEnd())).isEqualTo("one\nx\ntwo\n");
    }

    @Test
    void aSessionThatIsClosedDuringACallEndsTheCall() throws Exception {
        AtomicReference<ExecResult> result = new AtomicReference<>();
        Thread caller = Thread.ofVirtual().start(() -> {
            try {
                result.set(tools.unifiedExec(
                        ExecRequest.of("echo up; exec sleep 1000").sessionId("mine").waitFor(WaitFor.match("never"))));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        while (sessions.find("mine").isEmpty()) {
            Thread.onSpinWait();
        }
        Session session = sessions.get("mine");
        session.cursor().await(Until.match("up"), Rig.PATIENCE);
        assertThat(tools.closePtySession("mine", true).success()).isTrue();
        assertThat(caller.join(Rig.PATIENCE)).isTrue();
        assertThat(result.get().sessionId()).isEqualTo("mine");
        assertThat(result.get().running()).isFalse();
    }

    @Test
    void closingSaysHowItEnded() throws InterruptedException {
        assertThat(tools.closePtySession(run("exit 3").sessionId(), false).exitCode()).isEqualTo(3);
        CloseResult killed = tools.closePtySession(
                start("trap '' TERM HUP; echo up; while :; do sleep 0.1; done", "up").sessionId(), true);
        assertThat(killed.success()).isTrue();
        assertThat(killed.signal()).isEqualTo("SIGKILL");
        assertThat(killed.exitCode()).isEqualTo(137);
        assertThat(killed.killed()).isPositive();
        assertThat(sessions.list()).isEmpty();
    }

    @Test
    void whatACommandLeftRunningIsToldAndEndedByTheClose() throws InterruptedException {
        ExecResult left = run("trap '' HUP; (env -i setsid sleep 1000 </dev/null >/dev/null 2>&1 &) ; echo hi");
        assertThat(left.exitCode()).isZero();
        assertThat(left.survivors()).isEqualTo(1);
        CloseResult closed = tools.closePtySession(left.sessionId(), false);
        assertThat(closed.ended()).isEqualTo(1);
        assertThat(closed.killed()).isZero();
        assertThat(run("echo hi").survivors()).isZero();
    }

    @Test
    void theListSaysWhatWaitsAndWhatIsUnread() throws InterruptedException {
        String unread = run("echo one").sessionId();
        String waiting = tools.unifiedExec(ExecRequest.of("exec cat").yieldTimeMs(LONG)).sessionId();
        sessions.get(unread).drainer().moveTo(0);
        ListResult list = tools.listPtySessions();
        assertThat(list.success()).isTrue();
        assertThat(list.sessions()).extracting(entry -> entry.session().id())
                .containsExactlyElementsOf(Stream.of(unread, waiting).sorted().toList());
        assertThat(list.sessions()).allSatisfy(entry -> {
            boolean waits = entry.session().id().equals(waiting);
            assertThat(entry.waitingForInput()).isEqualTo(waits);
            assertThat(entry.unreadBytes()).isEqualTo(waits ? 0 : 5);
        });
    }

    @Test
    void twoHundredCallsLeaveNothingBehind() throws Exception {
        run("echo warm");
        sessions.closeAll();
        long descriptors = descriptors();
        int threads = belayThreads();
        for (int i = 0; i < 200; i++) {
            assertThat(run("echo " + i).output()).isEqualTo(i + "\n");
        }
        sessions.closeAll();
        assertThat(descriptors()).isLessThanOrEqualTo(descriptors);
        assertThat(belayThreads()).isEqualTo(threads);
        assertThat(tools.callsUnderWay()).isZero();
        assertThat(sessions.stats().permitsUsed()).isZero();
    }

    /// Without what the JVM opens when it pleases, such as its jars.
    private static long descriptors() throws IOException {
        try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
            return links.filter(link -> {
                try {
                    String target = Files.readSymbolicLink(link).toString();
                    return target.startsWith("/dev/pt") || target.contains("pidfd") || target.startsWith("pipe:")
                            || target.contains("/state/");
                } catch (IOException _) {
                    // Gone since it was listed.
                    return false;
                }
            }).count();
        }
    }

    private static int belayThreads() {
        return (int) Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("belay"))
                .count();
    }
}
