package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.belay.host.Launch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionsTest {
    @TempDir
    Path folder;

    private static SessionException isRefused(ErrorCode code, ThrowingCallable call) {
        SessionException[] thrown = new SessionException[1];
        assertThatExceptionOfType(SessionException.class).isThrownBy(call).satisfies(e -> {
            assertThat(e.code()).isEqualTo(code);
            thrown[0] = e;
        });
        return thrown[0];
    }

    // --- open ---

    @Test
    void aSessionIsListedFromOpenUntilCloseSortedById() {
        try (Stage stage = Stage.in(folder)) {
            for (String id : List.of("c", "a", "b")) {
                stage.open(id);
            }
            assertThat(stage.sessions.list()).map(Session::id).containsExactly("a", "b", "c");
            assertThat(stage.sessions.stats().permitsUsed()).isEqualTo(3);
            stage.sessions.get("b").close();
            assertThat(stage.sessions.list()).map(Session::id).containsExactly("a", "c");
            assertThat(stage.sessions.find("b")).isEmpty();
            isRefused(ErrorCode.NOT_FOUND, () -> stage.sessions.get("b\u001b"));
        }
    }

    @Test
    void aSessionWithoutAnIdGetsAUuid() {
        try (Stage stage = Stage.in(folder)) {
            Session session = stage.open(SessionSpec.of("sh")).session();
            assertThat(java.util.UUID.fromString(session.id())).hasToString(session.id());
        }
    }

    @Test
    void theProcessGetsTheEnvironmentAndTheMarkOfItsSession() {
        try (Stage stage = Stage.in(folder)) {
            Stage.Act act = stage.open(SessionSpec.of("sh", "-l").id("a").env("A", "1").workdir("w"));
            Launch pty = act.process().launch;
            String mark = act.session().identity();
            assertThat(mark).startsWith(stage.sessions.instance() + "/a/");
            assertThat(pty.env()).isEqualTo(
                    Map.of("PATH", "/bin", "TERM", "xterm-256color", "A", "1", "BELAY_SESSION", mark));
            assertThat(pty.mark()).isEqualTo(mark);
            assertThat(pty.command()).containsExactly("sh", "-l");
            assertThat(pty.workdir()).isEqualTo("w");
            Launch pipe = stage.open(SessionSpec.of("sh").pipe().env("TERM", "dumb").env("BELAY_SESSION", "x"))
                    .process().launch;
            assertThat(pipe.env()).containsEntry("TERM", "dumb").containsEntry("BELAY_SESSION", pipe.mark());
            assertThat(stage.open(SessionSpec.of("sh").env("TERM", "vt100")).process().launch.env())
                    .containsEntry("TERM", "vt100");
        }
    }

    @Test
    void theRecordTellsWhatIsKnown() {
        try (Stage stage = Stage.in(folder)) {
            Stage.Act act =
                    stage.open(SessionSpec.of("sh", "-c", "x").id("a").owner("o").label("k", "v").size(100, 30));
            SessionRecord running = act.session().snapshot();
            assertThat(running.command()).isEqualTo("sh");
            assertThat(running.args()).containsExactly("-c", "x");
            assertThat(running.pid()).isEqualTo(act.process().pid());
            assertThat(running.backend()).isEqualTo("pty");
            assertThat(running.cols()).isEqualTo(100);
            assertThat(running.owner()).isEqualTo("o");
            assertThat(running.labels()).isEqualTo(Map.of("k", "v"));
            assertThat(running.state()).isEqualTo(SessionState.RUNNING);
            assertThat(running.exitCode()).isNull();
            assertThat(running.endReason()).isNull();
            assertThat(running.endedAt()).isNull();
            act.process().emit("abc");
            act.process().exit(new ExitStatus.Signaled(Signal.INT));
            SessionRecord exited = act.session().snapshot();
            assertThat(exited.state()).isEqualTo(SessionState.EXITED);
            assertThat(exited.exitCode()).isEqualTo(130);
            assertThat(exited.signal()).isEqualTo("SIGINT");
            assertThat(exited.endReason()).isEqualTo(EndReason.EXIT);
            assertThat(exited.endedAt()).isNotNull();
            assertThat(exited.outputEnd()).isEqualTo(3);
            SessionRecord pipe = stage.open(SessionSpec.of("sh").pipe()).session().snapshot();
            assertThat(pipe.cols()).isNull();
            assertThat(pipe.backend()).isEqualTo("pipe");
        }
    }

    @Test
    void anIdCanBeUsedAgainOnceItsSessionIsClosed() {
        try (Stage stage = Stage.in(folder)) {
            for (int i = 0; i < 50; i++) {
                Stage.Act act = stage.open();
                act.process().emit("round " + i);
                assertThat(act.session().cursor().drainText(100).text()).isEqualTo("round " + i);
                isRefused(ErrorCode.ALREADY_EXISTS, stage::open);
                assertThat(stage.sessions.stats().permitsUsed()).isEqualTo(1);
                act.session().close();
            }
        }
    }

    @Test
    void ofTwoConcurrentOpensWithOneIdExactlyOneWins() throws Exception {
        try (Stage stage = Stage.in(folder)) {
            for (int round = 0; round < 300; round++) {
                CountDownLatch go = new CountDownLatch(1);
                List<Running<Session>> openers = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    openers.add(Running.start(() -> {
                        go.await();
                        try {
                            return stage.sessions.open(SessionSpec.of("sh").id("same"));
                        } catch (SessionException e) {
                            assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_EXISTS);
                            return null;
                        }
                    }));
                }
                go.countDown();
                List<Session> won = new ArrayList<>();
                for (Running<Session> opener : openers) {
                    won.add(opener.result());
                }
                assertThat(won).filteredOn(session -> session != null).hasSize(1);
                assertThat(stage.sessions.stats().permitsUsed()).isEqualTo(1);
                assertThat(stage.host.living()).isEqualTo(1);
                stage.sessions.get("same").close();
            }
        }
    }

    @Test
    void aFailedSpawnGivesThePermitBackAndLeavesNothing() throws Exception {
        try (Stage stage = Stage.in(folder, Limits.DEFAULT.maxSessions(1))) {
            for (RuntimeException failure : List.of(
                    new SessionException(ErrorCode.SPAWN_FAILED, "no such program"),
                    new IllegalStateException("a bug"))) {
                stage.host.onSpawn(_ -> {
                    throw failure;
                });
                assertThatExceptionOfType(RuntimeException.class).isThrownBy(stage::open).isSameAs(failure);
                assertThat(stage.sessions.stats().permitsUsed()).isZero();
                assertThat(stage.sessions.list()).isEmpty();
                assertThat(Folders.files(stage.logs())).isEmpty();
            }
            stage.recorder.await("rejected SPAWN_FAILED");
            stage.host.onSpawn(_ -> {});
            stage.open();
            stage.recorder.await("opened a");
            assertThat(stage.recorder.lines("closed")).isEmpty();
        }
    }

    @Test
    void aStartThatFailsEndsTheProcessAndPairsTheEvents() throws Exception {
        try (Stage stage = Stage.in(folder)) {
            stage.host.onStart(process -> {
                process.emit("first words");
                throw new IllegalStateException("a bug");
            });
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(stage::open);
            assertThat(stage.host.living()).isZero();
            assertThat(stage.sessions.stats().permitsUsed()).isZero();
            assertThat(stage.sessions.list()).isEmpty();
            assertThat(Folders.files(stage.logs())).isEmpty();
            stage.recorder.await("closed a");
            assertThat(stage.recorder.lines("opened")).hasSize(1);
        }
    }

    @Test
    void theLimitHoldsUntilASessionEndsOrIsClosed() {
        try (Stage stage = Stage.in(folder, Limits.DEFAULT.maxSessions(1))) {
            Stage.Act act = stage.open();
            assertThat(isRefused(ErrorCode.LIMIT_REACHED, () -> stage.open("b")))
                    .hasMessageStartingWith("Maximum PTY sessions reached (1 of 1): ");
            act.process().exit(0);
            Stage.Act second = stage.open("b");
            isRefused(ErrorCode.LIMIT_REACHED, () -> stage.open("c"));
            second.session().close();
            stage.open("c");
            assertThat(stage.sessions.stats().rejected()).isEqualTo(2);
        }
    }

    @Test
    void racingOpensNeverExceedTheLimit() throws Exception {
        try (Stage stage = Stage.in(folder, Limits.DEFAULT.maxSessions(1))) {
            AtomicInteger most = new AtomicInteger();
            AtomicInteger opened = new AtomicInteger();
            stage.host.onSpawn(_ -> most.accumulateAndGet((int) stage.host.living() + 1, Math::max));
            List<Thread> openers = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                openers.add(Thread.ofVirtual().start(() -> {
                    try (Session _ = stage.sessions.open(SessionSpec.of("sh"))) {
                        opened.incrementAndGet();
                    } catch (SessionException e) {
                        assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_REACHED);
                    }
                }));
            }
            for (Thread opener : openers) {
                opener.join();
            }
            assertThat(most).hasValue(1);
            assertThat(opened.get()).isPositive();
            Stats stats = stage.sessions.stats();
            assertThat(stats.permitsUsed()).isZero();
            assertThat(stats.opened()).isEqualTo(stats.closed()).isEqualTo(opened.get());
            assertThat(stats.opened() + stats.rejected()).isEqualTo(2000);
        }
    }

    @Test
    void anInterruptOfTheOpeningThreadLeaksNothing() throws Exception {
        try (Stage stage = Stage.in(folder, Limits.DEFAULT.maxSessions(1))) {
            CountDownLatch never = new CountDownLatch(1);
            stage.host.onSpawn(_ -> {
                try {
                    never.await();
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                    throw new SessionException(ErrorCode.UNAVAILABLE, "interrupted");
                }
            });
            Running<Stage.Act> opener = Running.start(stage::open).parked();
            assertThat(stage.sessions.stats().permitsUsed()).isEqualTo(1);
            opener.interrupt();
            isRefused(ErrorCode.UNAVAILABLE, opener::result);
            assertThat(stage.sessions.stats().permitsUsed()).isZero();
            assertThat(stage.sessions.list()).isEmpty();

            stage.host.onSpawn(_ -> {});
            stage.host.onStart(process -> {
                // A host's loop has its own thread.
                Running<Boolean> loop = Running.start(() -> process.emit("x"));
                while (loop.thread.isAlive()) {
                    Thread.onSpinWait();
                }
            });
            Running<String> interrupted = Running.start(() -> {
                Thread.currentThread().interrupt();
                Stage.Act act = stage.open("b");
                assertThat(act.session().cursor().drainText(10).text()).isEqualTo("x");
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                act.session().close();
                return Thread.interrupted() ? "kept" : "lost";
            });
            assertThat(interrupted.result()).isEqualTo("kept");
        }
    }

    @Test
    void aSessionThatIsStillStartingIsListedAndCannotBeUsedYet() throws Exception {
        try (Stage stage = Stage.in(folder)) {
            CountDownLatch go = new CountDownLatch(1);
            stage.host.onSpawn(_ -> awaitUnchecked(go));
            Running<Stage.Act> opener = Running.start(stage::open).parked();
            Session early = stage.sessions.get("a");
            assertThat(early.snapshot().state()).isEqualTo(SessionState.STARTING);
            isRefused(ErrorCode.UNAVAILABLE, early::close);
            isRefused(ErrorCode.UNAVAILABLE, () -> early.write("x"));
            stage.sessions.closeAll();
            assertThat(stage.sessions.prune()).isZero();
            go.countDown();
            assertThat(opener.result().session().snapshot().state()).isEqualTo(SessionState.RUNNING);
        }
    }

    @Test
    void whoeverWaitsForASessionThatNeverStartedLearnsThatItIsGone() throws Exception {
        try (Stage stage = Stage.in(folder)) {
            CountDownLatch go = new CountDownLatch(1);
            stage.host.onSpawn(_ -> {
                awaitUnchecked(go);
                throw new SessionException(ErrorCode.SPAWN_FAILED, "no such program");
            });
            Running<Stage.Act> opener = Running.start(stage::open).parked();
            Session early = stage.sessions.get("a");
            Running<java.util.Optional<ExitStatus>> exit =
                    Running.start(() -> early.awaitExit(Stage.LONG.multipliedBy(10))).parked();
            Running<ReadResult> read =
                    Running.start(() -> early.output().read(0, 1, Stage.LONG.multipliedBy(10))).parked();
            go.countDown();
            isRefused(ErrorCode.SPAWN_FAILED, opener::result);
            assertThat(exit.result()).isEmpty();
            isRefused(ErrorCode.NOT_FOUND, read::result);
        }
    }

    @Test
    void whoeverEndsASessionWaitsUntilItsProcessIsHeard() throws Exception {
        try (Stage stage = Stage.in(folder)) {
            CountDownLatch go = new CountDownLatch(1);
            stage.host.onStart(_ -> awaitUnchecked(go));
            Running<Stage.Act> opener = Running.start(stage::open).parked();
            Session early = stage.sessions.get("a");
            assertThat(early.snapshot().state()).isEqualTo(SessionState.STARTING);
            Running<Closed> closer = Running.start(() -> early.close(true)).parked();
            assertThat(stage.host.living()).as("nobody ends what its opener is about to use").isEqualTo(1);
            go.countDown();
            assertThat(opener.result().session().id()).isEqualTo("a");
            closer.result();
            stage.recorder.await("closed a");
            assertThat(stage.recorder.lines()).containsExactly("opened a", "exited a CLOSED", "closed a");
        }
    }

    @Test
    void aStartThatFailsAfterTheExitWasHeardIsToldAsOneClose() throws Exception {
        try (Stage stage = Stage.in(folder, Limits.DEFAULT.maxRetained(0))) {
            stage.host.onStart(process -> {
                process.exit(0);
                throw new SessionException(ErrorCode.UNAVAILABLE, "no memory to wait for it");
            });
            isRefused(ErrorCode.UNAVAILABLE, stage::open);
            stage.host.onStart(_ -> {});
            stage.open("b").session().close();
            stage.recorder.await("closed b");
            assertThat(stage.recorder.lines("closed")).containsExactly("closed a", "closed b");
            assertThat(stage.sessions.stats().closed()).isEqualTo(2);
        }
    }

    @Test
    void aRecordThatSaysExitedSaysHow() throws Exception {
        try (Stage stage = Stage.in(folder)) {
            for (int i = 0; i < 500; i++) {
                Stage.Act act = stage.open("s" + i);
                Running<SessionRecord> looking = Running.start(() -> {
                    SessionRecord record = act.session().snapshot();
                    while (record.state() != SessionState.EXITED) {
                        assertThat(record.exitCode()).isNull();
                        assertThat(record.endReason()).isNull();
                        record = act.session().snapshot();
                    }
                    return record;
                });
                act.process().exit(3);
                SessionRecord seen = looking.result();
                assertThat(seen.exitCode()).isEqualTo(3);
                assertThat(seen.endReason()).isEqualTo(EndReason.EXIT);
                assertThat(seen.endedAt()).isNotNull();
                act.session().close();
            }
        }
    }

    @Test
    void aSessionThatIsClosedBeforeItsProcessIsHeardLeavesNothing() throws Exception {
        try (Stage stage = Stage.in(folder)) {
            stage.host.onStart(process -> process.exit(0));
            Session session = stage.open().session();
            assertThat(session.exit()).contains(new ExitStatus.Exited(0));
            session.close();
            assertThat(stage.sessions.list()).isEmpty();
        }
    }

    private static void awaitUnchecked(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // --- write, signal, resize ---

    @Test
    void inputReachesTheProcessAndThePartialCountIsTold() throws Exception {
        try (Stage stage = Stage.in(folder, Limits.DEFAULT.maxInputBytes(10))) {
            Stage.Act act = stage.open();
            assertThat(act.session().writeLine("é")).isEqualTo(3);
            assertThat(act.process().input()).isEqualTo("é\n");
            isRefused(ErrorCode.TOO_LARGE, () -> act.session().write(new byte[11]));
            act.process().accepts(2);
            assertThat(act.session().write(new byte[5], Duration.ofMillis(1))).isEqualTo(2);
            act.process().exit(0);
            isRefused(ErrorCode.NOT_WRITABLE, () -> act.session().write("x"));
            assertThat(stage.sessions.stats().bytesTaken()).isEqualTo(3 + 2);
            isRefused(ErrorCode.NOT_WRITABLE, () -> act.session().resize(Size.DEFAULT));
            isRefused(ErrorCode.NOT_FOUND, act.session()::terminate);
        }
    }

    @Test
    void ctrlCIsACharacterOnATerminalAndASignalOnPipes() throws Exception {
        try (Stage stage = Stage.in(folder)) {
            Stage.Act pty = stage.open("pty");
            pty.session().interrupt();
            assertThat(pty.process().input()).isEqualTo("\u0003");
            assertThat(pty.process().signals()).isEmpty();
            isRefused(ErrorCode.INVALID_REQUEST, pty.session()::closeInput);
            Stage.Act pipe = stage.open(SessionSpec.of("cat").pipe());
            pipe.session().interrupt();
            pipe.session().terminate();
            assertThat(pipe.process().signals()).containsExactly(Signal.INT, Signal.TERM);
            isRefused(ErrorCode.INVALID_REQUEST, () -> pipe.session().resize(Size.DEFAULT));
            pipe.session().closeInput();
            assertThat(pipe.process().inputClosed()).isTrue();
            isRefused(ErrorCode.NOT_WRITABLE, () -> pipe.session().write("x"));
        }
    }

    @Test
    void readsWritesWaitsAndResizesAreActivity() throws Exception {
        MovedTime time = new MovedTime();
        try (Stage stage = Stage.in(folder, Limits.DEFAULT, time)) {
            Stage.Act act = stage.open();
            act.process().emit("x");
            Session session = act.session();
            List<ThrowingCallable> deeds = List.of(
                    () -> session.output().read(0, 1),
                    () -> session.cursor().peek(1),
                    () -> session.cursor().drainText(10),
                    () -> session.cursor().awaitMore(Duration.ZERO),
                    () -> session.cursor().await(Until.exited(), Duration.ZERO),
                    () -> session.awaitExit(Duration.ZERO),
                    () -> session.write("x"),
                    () -> session.resize(Size.DEFAULT),
                    () -> session.signal(Signal.CONT),
                    () -> act.process().emit("y"));
            for (ThrowingCallable deed : deeds) {
                Instant before = session.snapshot().lastActivityAt();
                time.pass(Duration.ofMillis(1));
                assertThat(session.snapshot().lastActivityAt()).as("looking is none").isEqualTo(before);
                try {
                    deed.call();
                } catch (Throwable e) {
                    throw new AssertionError(e);
                }
                assertThat(session.snapshot().lastActivityAt()).isAfter(before);
            }
        }
    }

    // --- close ---

    @Test
    void closingTellsHowTheSessionEndedAndIsHarmlessTwice() {
        try (Stage stage = Stage.in(folder)) {
            Stage.Act act = stage.open();
            ExitStatus hangUp = new ExitStatus.Signaled(Signal.HUP);
            assertThat(act.session().close(true)).isEqualTo(new Closed(hangUp, 1, 1, false));
            assertThat(act.session().close(false)).isEqualTo(new Closed(hangUp, 0, 0, false));
            assertThat(act.session().snapshot().state()).isEqualTo(SessionState.CLOSED);
            assertThat(act.session().snapshot().endReason()).isEqualTo(EndReason.CLOSED);
            assertThat(stage.sessions.stats().closed()).isEqualTo(1);
            Stage.Act exited = stage.open("b");
            exited.process().exit(3);
            assertThat(exited.session().close(false).exit()).isEqualTo(new ExitStatus.Exited(3));
            assertThat(exited.session().snapshot().endReason()).isEqualTo(EndReason.EXIT);
        }
    }

    @Test
    void processesThatCouldNotBeEndedAreNamed() {
        try (Stage stage = Stage.in(folder)) {
            Stage.Act act = stage.open();
            act.process().leave("4711 stuck in the kernel");
            assertThat(isRefused(ErrorCode.INTERNAL, act.session()::close))
                    .hasMessageContaining("4711 stuck in the kernel");
            assertThat(stage.sessions.list()).isEmpty();
        }
    }

    @Test
    void aSessionThatCannotBeEndedIsKeptAndCanBeClosedLater() {
        try (Stage stage = Stage.in(folder)) {
            Stage.Act act = stage.open();
            act.process().refuseToEnd(new IllegalStateException("not now"));
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(act.session()::close);
            assertThat(stage.sessions.list()).hasSize(1);
            assertThat(stage.sessions.stats().permitsUsed()).isEqualTo(1);
            act.process().refuseToEnd(null);
            act.session().close();
        }
    }

    @Test
    void manyWhoCloseAtOnceCloseOnce() throws Exception {
        try (Stage stage = Stage.in(folder)) {
            for (int round = 0; round < 50; round++) {
                Stage.Act act = stage.open();
                act.process().emit("x");
                List<Running<Closed>> closers = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    closers.add(Running.start(() -> act.session().close(false)));
                }
                for (Running<Closed> closer : closers) {
                    assertThat(closer.result().exit()).isEqualTo(new ExitStatus.Signaled(Signal.HUP));
                }
                assertThat(stage.sessions.stats().closed()).isEqualTo(round + 1);
            }
            stage.recorder.await(lines -> lines.stream().filter("closed a"::equals).count() == 50);
        }
    }

    @Test
    void pruningForgetsExitedSessionsWithoutSurvivorsOnly() {
        try (Stage stage = Stage.in(folder)) {
            stage.open("running");
            stage.open("held").process().exitHeld(0);
            for (String id : List.of("x", "y")) {
                Stage.Act act = stage.open(id);
                act.process().emit("output");
                act.process().exit(0);
            }
            assertThat(Folders.files(stage.logs())).hasSize(2);
            assertThat(stage.sessions.prune()).isEqualTo(2);
            assertThat(stage.sessions.list()).map(Session::id).containsExactly("held", "running");
            assertThat(Folders.files(stage.logs())).isEmpty();
            assertThat(stage.sessions.prune()).isZero();
        }
    }

    @Test
    void closeAllReportsEveryFailureAndClosesTheRest() {
        try (Stage stage = Stage.in(folder)) {
            stage.open("bad1").process().refuseToEnd(new IllegalStateException("first failure"));
            stage.open("bad2").process().refuseToEnd(new IllegalStateException("second failure"));
            for (int i = 0; i < 5; i++) {
                stage.open("good" + i);
            }
            SessionException e = isRefused(ErrorCode.INTERNAL, stage.sessions::closeAll);
            assertThat(e).hasMessageContaining("first failure").hasMessageContaining("second failure");
            assertThat(e.getSuppressed()).hasSize(2);
            assertThat(stage.sessions.list()).map(Session::id).containsExactly("bad1", "bad2");
            stage.sessions.list().forEach(
                    session -> stage.host.process(session.identity()).refuseToEnd(null));
            stage.sessions.closeAll();
            assertThat(stage.sessions.list()).isEmpty();
            stage.open("again");
        }
    }

    @Test
    void aCloseThatFailsForOneSessionStillGivesEverythingBack() {
        Stage stage = Stage.in(folder);
        Stage.Act bad = stage.open("bad");
        bad.process().emit("x");
        bad.process().refuseToEnd(new IllegalStateException("will not go"));
        stage.open("good");
        assertThat(isRefused(ErrorCode.INTERNAL, stage.sessions::close)).hasMessageContaining("will not go");
        assertThat(stage.host.closed()).isTrue();
        assertThat(stage.host.misuses()).isEmpty();
        assertThat(Folders.files(folder.resolve("sessions"))).isEmpty();
        stage.sessions.close();
        // Later calls do no harm.
        bad.process().emit("y");
        bad.process().exit(0);
    }

    @Test
    void afterTheCloseNothingCanBeOpened() throws Exception {
        Stage stage = Stage.in(folder);
        Session session = stage.open().session();
        stage.close();
        isRefused(ErrorCode.UNAVAILABLE, stage::open);
        assertThat(session.snapshot().state()).isEqualTo(SessionState.CLOSED);
        assertThat(session.snapshot().endReason()).isEqualTo(EndReason.SHUTDOWN);
        stage.sessions.close();
        assertThat(stage.sessions.stats().permitsUsed()).isZero();
    }

    @Test
    void aCloseWaitsForAnOpenThatIsUnderWayAndClosesItsSession() throws Exception {
        Stage stage = Stage.in(folder);
        CountDownLatch go = new CountDownLatch(1);
        stage.host.onSpawn(_ -> awaitUnchecked(go));
        Running<Stage.Act> opener = Running.start(stage::open).parked();
        Running<Boolean> closer = Running.start(() -> {
            stage.close();
            return true;
        }).parked();
        go.countDown();
        opener.result();
        assertThat(closer.result()).isTrue();
        assertThat(stage.host.living()).isZero();
    }

    @Test
    void opensAndACloseThatRaceLeaveNothing() throws Exception {
        for (int round = 0; round < 50; round++) {
            Stage stage = Stage.in(folder.resolve("r" + round), Limits.DEFAULT.maxSessions(1000));
            CountDownLatch some = new CountDownLatch(3);
            List<Running<Integer>> openers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                openers.add(Running.start(() -> {
                    for (int n = 0; n < 300; n++) {
                        try {
                            stage.sessions.open(SessionSpec.of("sh"));
                        } catch (SessionException e) {
                            assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                            return n;
                        }
                        some.countDown();
                    }
                    return 300;
                }));
            }
            some.await();
            stage.close();
            for (Running<Integer> opener : openers) {
                opener.result();
            }
            assertThat(stage.host.living()).isZero();
            assertThat(stage.sessions.stats().permitsUsed()).isZero();
        }
    }

    @Test
    void twoWhoCloseBothWaitUntilAllIsGone() throws Exception {
        Stage stage = Stage.in(folder);
        for (int i = 0; i < 5; i++) {
            stage.open("s" + i);
        }
        List<Running<Boolean>> closers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            closers.add(Running.start(() -> {
                stage.sessions.close();
                return Files.exists(stage.logs()) || !stage.host.closed();
            }));
        }
        for (Running<Boolean> closer : closers) {
            assertThat(closer.result()).isFalse();
        }
        stage.sessions.close();
    }

    // --- dropped ---

    @Test
    void sessionsThatAreDroppedAreClosedByTheCollector() throws Exception {
        ScriptedHost host = new ScriptedHost();
        CountDownLatch leaked = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        drop(host, new SessionObserver() {
            @Override
            public void leaked(String what) {
                leaked.countDown();
            }

            @Override
            public void closed(SessionRecord session) {
                closed.countDown();
            }
        });
        Garbage.collectUntil(leaked);
        closed.await();
        assertThat(host.living()).isZero();
        while (!host.closed() || !Folders.files(folder.resolve("sessions")).isEmpty()) {
            Thread.onSpinWait();
        }
        assertThat(host.misuses()).isEmpty();
    }

    private void drop(ScriptedHost host, SessionObserver observer) {
        Sessions sessions = Sessions.builder(host).state(folder).observer(observer).build();
        sessions.open(SessionSpec.of("sh"));
        assertThat(host.living()).isEqualTo(1);
    }

    @Test
    void sessionsOfWhichOneIsInUseAreNotCollected() throws Exception {
        ScriptedHost host = new ScriptedHost();
        Session used = Sessions.builder(host).state(folder).build().open(SessionSpec.of("sh"));
        CountDownLatch canary = new CountDownLatch(1);
        ScriptedHost other = new ScriptedHost();
        new SessionsTestDrop().drop(other, folder, canary);
        Garbage.collectUntil(canary);
        assertThat(host.closed()).isFalse();
        assertThat(used.snapshot().state()).isEqualTo(SessionState.RUNNING);
        used.close();
    }

    private static final class SessionsTestDrop {
        void drop(ScriptedHost host, Path folder, CountDownLatch leaked) {
            Sessions.builder(host).state(folder).observer(new SessionObserver() {
                @Override
                public void leaked(String what) {
                    leaked.countDown();
                }
            }).build();
        }
    }
}
