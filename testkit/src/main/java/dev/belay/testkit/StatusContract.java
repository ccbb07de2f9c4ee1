package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Activity;
import dev.belay.Actor;
import dev.belay.EndReason;
import dev.belay.ErrorCode;
import dev.belay.ExitStatus;
import dev.belay.ProcessRecord;
import dev.belay.Session;
import dev.belay.SessionRecord;
import dev.belay.SessionSpec;
import dev.belay.SessionState;
import dev.belay.Signal;
import dev.belay.Until;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/// What is known about a session: its record, its activity, its survivors.
public interface StatusContract extends Rig {
    @Test
    default void theListIsSortedById() throws InterruptedException {
        for (String id : List.of("b", "c", "a")) {
            exitOf(sessions().open(SessionSpec.of("true").id(id)));
        }
        assertThat(sessions().list()).extracting(Session::id).containsExactly("a", "b", "c");
        assertThat(sessions().get("b").id()).isEqualTo("b");
        assertThat(sessions().find("d")).isEmpty();
        assertThat(refused(ErrorCode.NOT_FOUND, () -> sessions().get("d"))).hasMessageContaining("'d'");
    }

    @Test
    default void anExitCodeAndASignalAreTold() throws InterruptedException {
        assertThat(exitOf(shell("exit 3"))).isEqualTo(new ExitStatus.Exited(3));
        Session killed = shell("kill -9 $$");
        assertThat(exitOf(killed)).isEqualTo(new ExitStatus.Signaled(Signal.KILL));
        SessionRecord record = killed.snapshot();
        assertThat(record.exitCode()).isEqualTo(137);
        assertThat(record.signal()).isEqualTo("SIGKILL");
        assertThat(record.state()).isEqualTo(SessionState.EXITED);
        assertThat(record.endReason()).isEqualTo(EndReason.EXIT);
        assertThat(record.endedAt()).isNotNull().isAfterOrEqualTo(record.startedAt());
        assertThat(killed.drained()).isTrue();
    }

    @Test
    default void activityIsSeenOnOutputForATerminal() throws Exception {
        activityIsSeen(SessionSpec.of("/bin/sh", "-c", "read x; printf hello; read x"));
    }

    @Test
    default void activityIsSeenOnOutputForPipes() throws Exception {
        activityIsSeen(SessionSpec.of("/bin/sh", "-c", "read x; printf hello; read x").pipe());
    }

    private void activityIsSeen(SessionSpec spec) throws Exception {
        Session session = sessions().open(spec);
        Activity activity = session.activity();
        assertThat(activity.next(Duration.ofMillis(1))).as("nothing yet").isFalse();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> output = threads.submit(() -> activity.next(PATIENCE));
            session.writeLine("");
            assertThat(output.get()).isTrue();
            session.cursor().await(dev.belay.Until.match("hello"), PATIENCE);
            while (activity.next(Duration.ofMillis(1))) {
                // An echo may arrive in parts.
            }
            Future<Boolean> exit = threads.submit(() -> activity.next(PATIENCE));
            session.writeLine("");
            assertThat(exit.get()).isTrue();
            while (session.exit().isEmpty()) {
                assertThat(activity.next(PATIENCE)).isTrue();
            }
        }
    }

    @Test
    default void aWatcherMissesNothingBetweenTwoLooks() throws InterruptedException {
        Session session = piped("read x; printf hello");
        Activity activity = session.activity();
        Activity other = session.activity();
        session.writeLine("");
        exitOf(session);
        // It is told however late it asks: of output and exit together, since both happened before.
        assertThat(activity.next(Duration.ZERO)).isTrue();
        session.close(true);
        assertThat(activity.next(Duration.ZERO)).as("the close").isTrue();
        assertThat(activity.next(Duration.ofMillis(1))).as("nothing more").isFalse();
        assertThat(other.next(Duration.ZERO)).as("everything at once for a subscriber that never looked").isTrue();
        assertThat(other.next(Duration.ofMillis(1))).as("nothing more").isFalse();
    }

    @Test
    default void survivorsAreCountedHoweverNewTheyAre() throws InterruptedException {
        // The survivor is often still starting when its leader is already gone.
        for (int round = 0; round < 100; round++) {
            Session session = piped("sleep 1000 & echo leader");
            assertThat(exitOf(session).code()).isZero();
            expect(session.cursor(), "leader");
            SessionRecord record = session.snapshot();
            assertThat(record.state()).isEqualTo(SessionState.EXITED);
            assertThat(record.survivors()).as("round %d", round).isEqualTo(1);
            assertThat(session.drained()).isFalse();
            session.close(true);
            assertThat(session.snapshot().state()).isEqualTo(SessionState.CLOSED);
        }
    }

    @Test
    default void theProcessesOfASessionAreThoseThatAreEnded() throws Exception {
        java.time.Instant before = java.time.Instant.now().minusSeconds(2);
        Session session = sessions().open(SessionSpec.of(
                "/bin/sh", "-c", "sleep 1234 & setsid sleep 2345 & printf up; exec cat"));
        session.cursor().await(Until.match("up"), PATIENCE);
        List<ProcessRecord> all = session.processes();
        while (!all.stream().map(ProcessRecord::command).toList()
                .containsAll(List.of("cat", "sleep 1234", "sleep 2345"))) {
            Thread.onSpinWait(); // between fork and exec, or it has no arguments to show yet
            all = session.processes();
        }
        assertThat(all).extracting(ProcessRecord::command).containsExactlyInAnyOrder("cat", "sleep 1234", "sleep 2345");
        ProcessRecord leader = all.getFirst();
        assertThat(leader.pid()).isEqualTo(session.snapshot().pid());
        assertThat(leader.foreground()).isTrue();
        assertThat(leader.memoryBytes()).isPositive();
        assertThat(all).allSatisfy(one -> {
            assertThat(one.startedAt()).isBetween(before, java.time.Instant.now().plusSeconds(2));
            assertThat(one.state()).isNotEqualTo(ProcessRecord.State.STOPPED);
        });
        assertThat(all).filteredOn(one -> one.command().equals("sleep 2345")).singleElement()
                .satisfies(one -> assertThat(one.foreground()).as("in a kernel session of its own").isFalse());
        Session watcher = session.as(new Actor("eve").asWatcher());
        refused(ErrorCode.DENIED, watcher::processes);
        assertThat(session.close(true).ended()).isEqualTo(3);
        assertThat(session.processes()).isEmpty();
    }

    @Test
    default void whatSurvivorsPrintIsKeptAndTheSessionEndsWithThem() throws Exception {
        java.nio.file.Path fifo = workspace().resolve("fifo");
        new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor();
        Session session = piped("(read x < fifo; echo late) & echo leader");
        assertThat(exitOf(session).code()).isZero();
        assertThat(session.drained()).isFalse();
        assertThat(sessions().stats().permitsUsed()).isEqualTo(1);
        java.nio.file.Files.writeString(fifo, "go\n");
        assertThat(allTextOf(session)).isEqualTo("leader\nlate\n");
        assertThat(session.drained()).isTrue();
        assertThat(sessions().stats().permitsUsed()).isZero();
    }

    @Test
    default void theExitOfALeaderIsNotHeldBackBySurvivorsThatFlood() throws InterruptedException {
        // Large pipes and many writers, so megabytes follow the leader's last byte. It exits while they are writing.
        String script = "trap '' HUP; python3 -c 'import fcntl; [fcntl.fcntl(f, 1031, 1 << 20) for f in (1, 2)]'; "
                + "yes & yes >&2 & cat /dev/zero & cat /dev/zero >&2 & head -c 4000000 /dev/zero; exit 5";
        SessionSpec spec = SessionSpec.of("/bin/sh", "-c", script);
        for (SessionSpec each : List.of(spec, spec.pipe())) {
            Session session = sessions().open(each);
            assertThat(exitOf(session).code()).isEqualTo(5);
            assertThat(session.snapshot().survivors()).isEqualTo(4);
            assertThat(session.drained()).isFalse();
            long then = session.output().end();
            session.output().read(then, 1, PATIENCE);
            assertThat(session.output().end()).as("the flood goes on").isGreaterThan(then);
            session.close(true);
        }
    }
}
