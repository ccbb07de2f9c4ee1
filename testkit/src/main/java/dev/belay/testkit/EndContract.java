package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Activity;
import dev.belay.Actor;
import dev.belay.Closed;
import dev.belay.Cursor;
import dev.belay.EndReason;
import dev.belay.ErrorCode;
import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.SessionState;
import dev.belay.Sessions;
import dev.belay.Signal;
import dev.belay.Size;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Ending sessions: exits, closes, timeouts.
public interface EndContract extends Rig {
    @Test
    default void aResizeReachesTheProgram() throws InterruptedException {
        Session session = shell("trap 'stty size' WINCH; echo up; while :; do read x; done");
        Cursor cursor = session.cursor();
        expect(cursor, "up");
        session.resize(new Size(101, 37));
        expect(cursor, "37 101");
        assertThat(session.snapshot().cols()).isEqualTo(101);
        assertThat(session.output().resizes()).last().satisfies(resize -> {
            assertThat(resize.size()).isEqualTo(new Size(101, 37));
            assertThat(resize.offset()).isGreaterThanOrEqualTo(4);
        });
    }

    @Test
    default void sizesOutOfRangeAreRefused() {
        for (int[] size : new int[][] {{0, 24}, {80, 0}, {1001, 24}, {80, 1001}, {-1, 24}, {65536, 24}}) {
            refused(ErrorCode.INVALID_REQUEST, () -> new Size(size[0], size[1]));
        }
        refused(ErrorCode.INVALID_REQUEST, () -> piped("cat").resize(Size.DEFAULT));
    }

    @Test
    default void signalsAreSentByName() throws InterruptedException {
        Session session = shell("trap 'echo usr1' USR1; echo up; while :; do sleep 0.01; done");
        Cursor cursor = session.cursor();
        expect(cursor, "up");
        session.signal(Signal.of("SIGUSR1"));
        expect(cursor, "usr1");
        session.signal(Signal.of("kill"));
        assertThat(exitOf(session).signal()).contains(Signal.KILL);
        refused(ErrorCode.INVALID_REQUEST, () -> Signal.of("SIGNONE"));
        refused(ErrorCode.NOT_FOUND, () -> session.signal(Signal.TERM));
    }

    @Test
    default void aSignalGoesToTheForegroundOfATerminal() throws InterruptedException {
        Session bash = sessions().open(SessionSpec.of("bash", "--norc", "-i").env("PS1", "ready> "));
        Cursor cursor = bash.cursor();
        expect(cursor, "ready> ");
        // The job itself prints this, so it has the terminal.
        bash.writeLine("sh -c 'echo started; exec sleep 1000'; echo status=$?");
        expect(cursor, "started\\n");
        bash.signal(Signal.TERM);
        expect(cursor, "status=143");
        expect(cursor, "ready> ");
        assertThat(bash.exit()).as("the shell is alive").isEmpty();
    }

    @Test
    default void terminateAsksPolitely() throws InterruptedException {
        Session session = piped("trap 'echo bye; exit 6' TERM; echo up; while :; do sleep 0.01; done");
        expect(session.cursor(), "up");
        session.terminate();
        assertThat(exitOf(session).code()).isEqualTo(6);
        assertThat(allTextOf(session)).startsWith("up\n").endsWith("bye\n");
    }

    @Test
    default void closeGivesProcessesTheGraceToEndByThemselves() throws InterruptedException {
        Path done = workspace().resolve("done");
        Sessions patient = sessions(Limits.DEFAULT.closeGrace(PATIENCE));
        Session session = patient.open(SessionSpec.of("/bin/sh", "-c",
                "trap 'sleep 0.1; echo x > done; exit 0' HUP TERM; echo up; while :; do sleep 0.01; done"));
        expect(session.cursor(), "up");
        Closed closed = session.close(false);
        assertThat(closed.exit().code()).isZero();
        assertThat(closed.killed()).isZero();
        assertThat(done).exists();
        assertThat(session.snapshot().endReason()).isEqualTo(EndReason.CLOSED);
        assertThat(patient.find(session.id())).isEmpty();
        refused(ErrorCode.NOT_FOUND, () -> session.output().read(0, 1));
        session.close();
    }

    @Test
    default void closeHangsUpAndTerminates() throws InterruptedException {
        Sessions patient = sessions(Limits.DEFAULT.closeGrace(PATIENCE));
        for (String heard : List.of("HUP", "TERM")) {
            String ignored = heard.equals("HUP") ? "TERM" : "HUP";
            Path said = workspace().resolve(heard);
            // On pipes, because the kernel hangs up when a terminal goes away.
            Session session = patient.open(SessionSpec.of("/bin/sh", "-c",
                    "trap '' " + ignored + "; trap 'echo x > " + heard + "; exit 0' " + heard
                            + "; echo up; while :; do sleep 0.01; done")
                    .pipe());
            expect(session.cursor(), "up");
            Closed closed = session.close(false);
            assertThat(closed.killed()).as(heard).isZero();
            assertThat(closed.exit().code()).as(heard).isZero();
            assertThat(said).exists();
        }
    }

    @Test
    default void aForcedCloseSkipsTheGrace() throws InterruptedException {
        Path done = workspace().resolve("done");
        Session session = shell("trap 'echo x > done; exit 0' HUP TERM; echo up; while :; do sleep 0.01; done");
        expect(session.cursor(), "up");
        assertThat(session.close(true).exit().signal()).contains(Signal.KILL);
        assertThat(done).doesNotExist();
    }

    @Test
    default void closingLeavesUnrelatedProcessesAlone() throws Exception {
        Process stranger = new ProcessBuilder("sleep", "1000").start();
        try {
            Session other = open("cat");
            Session session = shell("sleep 1000 & sleep 1000");
            session.close(true);
            assertThat(stranger.isAlive()).isTrue();
            assertThat(other.exit()).isEmpty();
        } finally {
            stranger.destroyForcibly().waitFor();
        }
    }

    @Test
    default void aWallClockTimeoutEndsTheSessionAndKeepsItsOutput() throws InterruptedException {
        SessionSpec spec = SessionSpec.of("/bin/sh", "-c", "echo before; : > said; sleep 1000");
        Session session = timedOut(sessions(), spec, workspace().resolve("said"));
        assertThat(session.snapshot().endReason()).isEqualTo(EndReason.TIMEOUT);
        assertThat(allTextOf(session)).startsWith("before");
    }

    @Test
    default void anIdleSessionEnds() throws InterruptedException {
        Session idle = sessions().open(SessionSpec.of("cat").idleTimeout(Duration.ofMillis(200)));
        exitOf(idle.as(new Actor("x")), idle);
        assertThat(idle.snapshot().endReason()).isEqualTo(EndReason.IDLE_TIMEOUT);
    }

    /// The session prints eight times per idle time, for one and a half idle times. If a slow machine makes it pause
    /// for too long, all times are doubled.
    @Test
    default void aSessionThatPrintsIsNotIdle() throws InterruptedException {
        EndReason reason = EndReason.IDLE_TIMEOUT;
        for (long idle = 400; reason == EndReason.IDLE_TIMEOUT; idle *= 2) {
            assertThat(idle).as("a sufficient idle time in ms").isLessThan(10_000);
            String script = "i=0; while [ $i -lt 12 ]; do echo $i; sleep " + idle / 8000.0 + "; i=$((i+1)); done";
            Session busy =
                    sessions().open(SessionSpec.of("/bin/sh", "-c", script).idleTimeout(Duration.ofMillis(idle)));
            exitOf(busy, busy);
            reason = busy.snapshot().endReason();
        }
        assertThat(reason).isEqualTo(EndReason.EXIT);
    }

    /// Waits for the exit through its activity subscription, which does not count as activity.
    private static void exitOf(Session watcher, Session session) throws InterruptedException {
        Activity activity = watcher.activity();
        while (session.exit().isEmpty()) {
            assertThat(activity.next(PATIENCE)).isTrue();
        }
    }

    @Test
    default void aSessionThatIsViewedIsNotIdle() throws Exception {
        SessionSpec spec = SessionSpec.of("cat").idleTimeout(Duration.ofSeconds(1));
        Session viewed = sessions().open(spec);
        Activity viewer = viewed.viewing();
        FutureTask<Boolean> view = new FutureTask<>(() -> viewer.next(PATIENCE));
        Rig.awaitWaiting(Thread.ofVirtual().start(view));
        Session watched = sessions().open(spec);
        exitOf(watched, watched);
        assertThat(watched.snapshot().endReason()).as("a watcher is not a viewer").isEqualTo(EndReason.IDLE_TIMEOUT);
        assertThat(viewed.exit()).as("opened earlier and just as quiet").isEmpty();
        assertThat(view).isNotDone();
        viewer.wake();
        assertThat(view.get()).isTrue();
        exitOf(viewed, viewed);
        assertThat(viewed.snapshot().endReason()).as("no viewer any more").isEqualTo(EndReason.IDLE_TIMEOUT);
    }

    @Test
    default void exitedSessionsGoByTimeAndByCountAndTheirFilesWithThem() throws Exception {
        Sessions few = sessions(Limits.DEFAULT.maxRetained(2));
        Session first = few.open(SessionSpec.of("echo", "x").id("first"));
        Activity closing = first.activity();
        exitOf(first);
        for (String id : List.of("second", "third")) {
            exitOf(few.open(SessionSpec.of("echo", "x").id(id)));
        }
        awaitClosed(first, closing);
        assertThat(few.list()).extracting(Session::id).containsExactly("second", "third");
        Sessions brief = sessions(Limits.DEFAULT.retention(Duration.ofMillis(100)));
        Session passing = brief.open(SessionSpec.of("echo", "x"));
        Activity passed = passing.activity();
        awaitClosed(passing, passed);
        assertThat(brief.list()).isEmpty();
        few.prune();
        assertThat(few.list()).isEmpty();
        try (Stream<Path> files = Files.walk(state())) {
            assertThat(files.filter(file -> file.toString().endsWith(".log"))).isEmpty();
        }
    }

    private static void awaitClosed(Session session, Activity activity) throws InterruptedException {
        while (session.snapshot().state() != SessionState.CLOSED) {
            assertThat(activity.next(PATIENCE)).isTrue();
        }
    }

    @Test
    default void pruneForgetsWhatHasExitedAndNothingElse() throws InterruptedException {
        Session alive = sessions().open(SessionSpec.of("cat").id("alive"));
        exitOf(sessions().open(SessionSpec.of("true").id("dead")));
        assertThat(sessions().prune()).isEqualTo(1);
        assertThat(sessions().list()).extracting(Session::id).containsExactly("alive");
        assertThat(alive.exit()).isEmpty();
    }

    @Test
    default void closeAllClosesAllAndNewOnesCanBeOpened() {
        for (int i = 0; i < 10; i++) {
            shell("sleep 1000 & sleep 1000");
        }
        sessions().closeAll();
        assertThat(sessions().list()).isEmpty();
        assertThat(sessions().stats().permitsUsed()).isZero();
        open("cat").close(true);
    }

    @Test
    default void nothingCanBeOpenedOnceAllIsClosed() {
        Sessions closed = sessions(Limits.DEFAULT);
        closed.open(SessionSpec.of("cat"));
        closed.close();
        closed.close();
        refused(ErrorCode.UNAVAILABLE, () -> closed.open(SessionSpec.of("true")));
    }

    @Test
    default void aForcedCloseDoesNotWaitForTheGraceOfAnother() throws Exception {
        Session session = sessions(Limits.DEFAULT.closeGrace(Duration.ofHours(1)))
                .open(SessionSpec.of("/bin/sh", "-c",
                        "trap '' HUP; trap 'echo asked' TERM; echo up; while :; do sleep 1; done"));
        Cursor cursor = session.cursor();
        expect(cursor, "up");
        Thread patient = Thread.ofVirtual().start(session::close);
        expect(cursor, "asked");
        assertThat(session.close(true).killed()).isPositive();
        assertThat(patient.join(PATIENCE)).as("the patient close is done too").isTrue();
        assertThat(session.snapshot().state()).isEqualTo(SessionState.CLOSED);
    }
}
