package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.Environment;
import dev.belay.ErrorCode;
import dev.belay.ExitStatus;
import dev.belay.Limits;
import dev.belay.ReadResult;
import dev.belay.Resources;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Signal;
import dev.belay.Until;
import dev.belay.Waited;
import dev.belay.linux.Injector.Site;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// What each failure of the kernel means to the users of sessions.
@ExtendWith(LeakCheck.class)
@Timeout(120)
class FaultTest {
    private static final Predicate<Site> TO_WATCH = call("epollCtl " + Abi.EPOLL_CTL_ADD);
    private static final Predicate<Site> TO_READ = Predicate.isEqual(new Site("read", "OutputReader.read"));
    private static final Predicate<Site> TO_LOOK = Predicate.isEqual(new Site("open", "ProcFile.read"));

    @TempDir
    Path folder;

    private Sessions sessions;

    @BeforeEach
    void open() {
        sessions = Sessions.builder(LinuxHost.inOwnProcess(folder))
                .state(folder.resolve("state"))
                .environment(Environment.basic(System.getenv()))
                .limits(Limits.DEFAULT.logBytes(512 << 10).closeGrace(Duration.ofMillis(100)))
                .build();
    }

    @AfterEach
    void close() throws IOException {
        sessions.close();
        assertThat(sessions.stats().permitsUsed()).as("permits").isZero();
        assertThat(Rig.marked(sessions.instance() + "/")).as("processes").isEmpty();
    }

    private static Predicate<Site> call(String name) {
        return site -> site.call().equals(name);
    }

    private static Injector always(int errno, Predicate<Site> which) {
        return Injector.of(Set.of(), (site, _) -> which.test(site) ? errno : 0);
    }

    private static Injector once(int errno, Predicate<Site> which) {
        return Injector.of(Set.of(), (site, nth) -> which.test(site) && nth == 1 ? errno : 0);
    }

    private static SessionException refused(ErrorCode code, ThrowingCallable call) {
        SessionException refusal = catchThrowableOfType(SessionException.class, call);
        assertThat(refusal).as("a refusal with %s", code).isNotNull();
        assertThat(refusal.code()).as(refusal.getMessage()).isEqualTo(code);
        return refusal;
    }

    private Session shell(String script) {
        return sessions.open(SessionSpec.of("/bin/sh", "-c", script));
    }

    private static void expect(Session session, String text) throws InterruptedException {
        assertThat(session.cursor().await(Until.match(text), Rig.PATIENCE).fired()).isEqualTo(Waited.Fired.MATCH);
    }

    @Test
    void aCallThatIsInterruptedIsMadeAgain() throws Exception {
        Set<Thread> interrupted = new HashSet<>();
        // Every other call of each thread.
        try (Injector _ = Injector.of(
                Set.of(),
                (site, _) -> !site.call().equals("close")
                        && (interrupted.add(Thread.currentThread()) || !interrupted.remove(Thread.currentThread()))
                                ? Errno.EINTR
                                : 0)) {
            Scenario scenario = new Scenario(sessions, () -> {}, Set.of(), false);
            scenario.play();
            assertThat(scenario.refusals()).isEmpty();
            assertThat(scenario.refusedCloses()).isEmpty();
        }
    }

    @Test
    void whoIsSeenToWaitForInputHasItsQuestionInTheLogHoweverLateTheLoopIs() throws Exception {
        for (SessionSpec spec : List.of(ASKS, ASKS.pipe())) {
            // The loop reads nothing on its own.
            try (Injector _ = Injector.of(
                    Set.of(), (site, _) -> TO_READ.test(site) && !calledBy("catchUp") ? Errno.EAGAIN : 0)) {
                Session session = sessions.open(spec);
                while (!session.inputState().seenWaiting()) {
                    assertThat(Thread.interrupted()).as("it took too long").isFalse();
                }
                assertThat(session.cursor().peekText(100).text()).isEqualTo("name? ");
                session.close();
            }
        }
    }

    private static final SessionSpec ASKS = SessionSpec.of("/bin/sh", "-c", "printf 'name? '; read x; exec sleep 1000");

    private static boolean calledBy(String method) {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals(method)));
    }

    @Test
    void theExitOfALeaderIsToldAlthoughItsOutputNeverRunsDry() throws Exception {
        for (SessionSpec spec : List.of(LEAVES_A_SURVIVOR, LEAVES_A_SURVIVOR.pipe())) {
            Session session = sessions.open(spec);
            expect(session, "ready");
            try (Injector _ = Injector.of(Set.of(), (site, _) -> TO_READ.test(site) ? Injector.result(4096) : 0)) {
                session.writeLine("");
                assertThat(session.awaitExit(Rig.PATIENCE)).contains(new ExitStatus.Exited(7));
            }
            session.close();
        }
    }

    private static final SessionSpec LEAVES_A_SURVIVOR =
            SessionSpec.of("/bin/sh", "-c", "trap '' HUP; sleep 1000 & echo ready; read _; exit 7");

    @Test
    void aProcessThatCannotBeLookedAtIsNotTakenForGone() throws Exception {
        for (String call : new String[] {"open", "read"}) {
            Session session = shell("sleep 1000 & exec sleep 1000");
            try (Injector _ = always(Errno.ENOMEM, site -> site.equals(new Site(call, "ProcFile.read")))) {
                refused(ErrorCode.UNAVAILABLE, session::close);
                assertThat(sessions.find(session.id())).as("the session that was not closed").isPresent();
            }
            session.close();
            assertThat(Rig.marked(sessions.instance() + "/")).isEmpty();
        }
    }

    @Test
    void theReserveIsWholeAgainAfterItWasNeeded() {
        for (int i = 0; i < 3; i++) {
            Session session = shell("sleep 1000 & exec sleep 1000");
            try (Injector _ = Injector.of(Set.of(), new Fault(null, Errno.EMFILE, 1).plan())) {
                session.close();
            }
        }
    }

    @Test
    void anExitedSessionIsShownWithItsSurvivorsAlthoughNoDescriptorIsLeft() throws Exception {
        Session session = sessions.open(SessionSpec.of("/bin/sh", "-c", "sleep 1000 &").pipe());
        assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
        try (Injector _ = Injector.of(Set.of(), new Fault(null, Errno.EMFILE, 1).plan())) {
            assertThat(session.snapshot().survivors()).isEqualTo(1);
            session.close();
        }
    }

    @Test
    void aWriteThatTheLoopCannotTakeOverSaysWhatWasTaken() throws Exception {
        Session session = sessions.open(SessionSpec.of("sleep", "1000").pipe());
        try (Injector _ = always(Errno.ENOMEM, TO_WATCH)) {
            assertThat(session.write(new byte[1 << 20])).as("as much as a pipe holds").isEqualTo(1 << 16);
            refused(ErrorCode.UNAVAILABLE, () -> session.write("more"));
        }
        assertThat(session.write("more".getBytes(StandardCharsets.UTF_8), Duration.ZERO)).as("a pipe that is full")
                .isZero();
    }

    @Test
    void aWriteForWhichThereIsNoMemoryIsNotTakenForAClosedInput() throws Exception {
        Session session = shell("read line; echo \"got $line\"");
        try (Injector _ = once(Errno.ENOMEM, call("write").and(site -> site.caller().startsWith("InputWriter.")))) {
            refused(ErrorCode.UNAVAILABLE, () -> session.writeLine("one"));
        }
        session.writeLine("two");
        expect(session, "got two");
    }

    @Test
    void outputForWhichThereIsNoMemoryIsReadLaterAndNotWaitedForInHaste() throws Exception {
        Session session = shell("read go; echo here; exec sleep 1000");
        Duration rests = Duration.ofMillis(100);
        try (Injector _ = Injector.of(
                Set.of(), (site, nth) -> TO_READ.test(site) && nth <= 20 ? Errno.ENOMEM : 0)) {
            long began = System.nanoTime();
            session.writeLine("go");
            expect(session, "here");
            assertThat(Duration.ofNanos(System.nanoTime() - began)).as("time for 20 tries").isGreaterThan(rests);
        }
    }

    @Test
    void theLastOutputIsThereAlthoughThereWasNoMemoryForItAtTheExit() throws Exception {
        for (SessionSpec spec : new SessionSpec[] {
                SessionSpec.of("printf", "last"), SessionSpec.of("printf", "last").pipe()
        }) {
            Session session;
            try (Injector _ = always(Errno.ENOMEM, TO_READ)) {
                session = sessions.open(spec);
                assertThat(session.awaitExit(Rig.PATIENCE)).as("an exit that waits for no memory").isPresent();
                Session other = sessions.open(spec);
                other.close();
            }
            expect(session, "last");
        }
    }

    @Test
    void aLosslessProcessGoesOnAlthoughEpollTakesNothingMore() throws Exception {
        int all = 2_000_000;
        Session session = sessions.open(
                SessionSpec.of("/bin/sh", "-c", "read go; head -c " + all + " /dev/zero").pipe().lossless(true));
        try (Injector _ = always(Errno.ENOMEM, TO_WATCH)) {
            session.writeLine("go");
            // The process waits for room over and over.
            long came = 0;
            while (!(session.drainer().drain(10_000) instanceof ReadResult.End)) {
                came = session.drainer().position();
                assertThat(session.drainer().awaitMore(Rig.PATIENCE)).as("more after %d", came).isTrue();
            }
            assertThat(session.drainer().position()).isEqualTo(all);
        }
    }

    @Test
    void aProcessThatCannotBeWatchedIsEnded() throws Exception {
        for (SessionSpec spec : new SessionSpec[] {
                SessionSpec.of("sleep", "1000"), SessionSpec.of("sleep", "1000").pipe()
        }) {
            // There is no memory for anything, not even to look at processes.
            try (Injector _ = always(Errno.ENOMEM, TO_WATCH.or(TO_LOOK))) {
                assertThat(catchThrowableOfType(SessionException.class, () -> sessions.open(spec))).isNotNull();
            }
            assertThat(Rig.marked(sessions.instance() + "/")).isEmpty();
            assertThat(sessions.stats().permitsUsed()).isZero();
        }
    }

    @Test
    void whatAProcessHasStartedThatCannotBeKeptIsEndedWithIt() throws Exception {
        Path fifo = folder.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
        // Fails only after the process has started another one, which has left its group.
        try (Injector _ = Injector.of(Set.of(), (site, _) -> {
            if (site.equals(new Site("pidfdOpen", "Spawner.adopted"))) {
                try {
                    assertThat(Files.readString(fifo)).isEqualTo("up\n");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return Errno.EMFILE;
            }
            return 0;
        })) {
            refused(
                    ErrorCode.SPAWN_FAILED,
                    () -> shell("setsid sh -c 'echo up >fifo; exec sleep 1000' & exec sleep 1000"));
        }
        assertThat(Rig.marked(sessions.instance() + "/")).isEmpty();
    }

    @Test
    void whoMayNotBeKilledAtFirstIsKilledThen() throws Exception {
        Session session = shell("trap '' HUP TERM; sleep 1000 & echo up; exec sleep 1000");
        expect(session, "up");
        Site killing = new Site("pidfdSendSignal", "Ending.signal");
        // Two processes; the first attempt fails for each.
        try (Injector _ = Injector.of(
                Set.of(), (site, nth) -> site.equals(killing) && nth <= 2 ? Errno.EPERM : 0)) {
            assertThat(session.close(true).killed()).isEqualTo(2);
        }
    }

    @Test
    void sessionsThatCannotBeClosedAreEndedWithTheHost() throws Exception {
        Session terminal = shell("trap '' HUP TERM; echo up; while true; do sleep 1000; done");
        Session pipes = sessions.open(SessionSpec.of("sleep", "1000").pipe());
        expect(terminal, "up");
        try (Injector _ = always(Errno.ENOMEM, TO_LOOK)) {
            refused(ErrorCode.INTERNAL, sessions::close);
        }
        assertThat(terminal.exit().orElseThrow().signal()).contains(Signal.KILL);
        assertThat(pipes.exit()).isPresent();
        // Only the leaders were waited for.
        Rig.marked(sessions.instance() + "/").forEach(Rig::awaitDeath);
    }

    @Test
    void aHostThatCannotStartLeavesNothing() {
        for (String call : new String[] {"epollCreate", "eventfd", "epollCtl 1", "open"}) {
            try (Injector _ = once(Errno.ENOMEM, call(call).and(site -> !site.caller().startsWith("FdReserve")))) {
                refused(ErrorCode.UNAVAILABLE, () -> LinuxHost.at(folder));
            }
        }
    }

    @Test
    void theLoopGoesOnAlthoughItCannotWait() throws Exception {
        Session session = shell("while read line; do echo \"got $line\"; done");
        try (Injector _ = Injector.of(
                Set.of(), (site, nth) -> site.call().equals("epollWait") && nth % 3 != 0 ? Errno.ENOMEM : 0)) {
            for (int i = 0; i < 3; i++) {
                session.writeLine("number " + i);
                expect(session, "got number " + i);
            }
        }
    }

    @Test
    void aFolderThatCannotBeOpenedNowIsNotAMistakeOfTheCaller() {
        for (int errno : new int[] {Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EIO}) {
            try (Injector _ = once(errno, call("openat2"))) {
                refused(ErrorCode.UNAVAILABLE, () -> shell("true"));
            }
        }
        // A program renames folders for ever.
        try (Injector _ = always(Errno.EAGAIN, call("openat2"))) {
            refused(ErrorCode.UNAVAILABLE, () -> shell("true"));
        }
    }

    @Test
    void aSignalThatMayNotBeSentIsNotTakenForNobodyThere() throws Exception {
        Session session = shell("echo up; exec sleep 1000");
        expect(session, "up");
        try (Injector _ = once(Errno.EPERM, call("kill"))) {
            refused(ErrorCode.DENIED, () -> session.signal(Signal.TERM));
        }
        session.signal(Signal.TERM);
        assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
        refused(ErrorCode.NOT_FOUND, () -> session.signal(Signal.TERM));
    }

    @Test
    void aProgramWithLimitsThatCannotBeLetGoIsRefused() throws Exception {
        SessionSpec spec = SessionSpec.of("sleep", "1000").resources(Resources.AS_BELAY.openFiles(64L));
        try (Injector _ = once(Errno.EPERM, site -> site.equals(new Site("kill", "Trampoline.release")))) {
            refused(ErrorCode.SPAWN_FAILED, () -> sessions.open(spec));
        }
        assertThat(Rig.marked(sessions.instance() + "/")).isEmpty();
    }
}
