package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.belay.host.Uninterrupted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How sessions end when their time is up, and how exited sessions are forgotten.
class EndOfSessionsTest {
    @TempDir
    Path folder;

    @Test
    void aLimitOfTheWholeSessionIsTheReasonIfTheSpecAskedForOneAndTheLeaderHitNone() {
        Resources together = Resources.AS_BELAY.together(Resources.Together.UNBOUNDED.memoryBytes(1L << 30));
        try (Stage stage = Stage.in(folder)) {
            Stage.Act limited = stage.open(SessionSpec.of("sh").resources(together));
            limited.process().hits(EndReason.MEMORY_LIMIT);
            limited.process().exit(new ExitStatus.Signaled(Signal.KILL));
            assertThat(limited.session().snapshot().endReason()).isEqualTo(EndReason.MEMORY_LIMIT);

            Stage.Act unlimited = stage.open(SessionSpec.of("sh"));
            unlimited.process().hits(EndReason.MEMORY_LIMIT);
            unlimited.process().exit(new ExitStatus.Signaled(Signal.KILL));
            assertThat(unlimited.session().snapshot().endReason()).isEqualTo(EndReason.EXIT);

            Stage.Act both = stage.open(SessionSpec.of("sh").resources(together.cpu(Duration.ofSeconds(1))));
            both.process().hits(EndReason.PROCESS_LIMIT);
            both.process().exit(new ExitStatus.Signaled(Signal.XCPU));
            assertThat(both.session().snapshot().endReason()).isEqualTo(EndReason.CPU_LIMIT);
        }
    }

    // --- clocks ---

    private final MovedTime time = new MovedTime();

    private Stage timed(Limits limits) {
        return Stage.in(folder, limits, time);
    }

    @Test
    void aSessionEndsAfterItsWallClockTimeAndStaysReadable() throws Exception {
        try (Stage stage = timed(Limits.DEFAULT)) {
            Stage.Act act = stage.open(SessionSpec.of("sh").id("a").timeout(Duration.ofHours(1)));
            act.process().emit("so far");
            time.pass(Duration.ofHours(1).minusNanos(1));
            assertThat(act.session().state()).isEqualTo(SessionState.RUNNING);
            time.pass(Duration.ofNanos(1));
            stage.recorder.await("exited a TIMEOUT");
            SessionRecord record = act.session().snapshot();
            assertThat(record.state()).isEqualTo(SessionState.EXITED);
            assertThat(record.endReason()).isEqualTo(EndReason.TIMEOUT);
            assertThat(record.endedAt()).isEqualTo(record.startedAt().plus(Duration.ofHours(1)));
            assertThat(act.session().exit()).contains(new ExitStatus.Signaled(Signal.HUP));
            assertThat(act.session().cursor().drainText(100).text()).isEqualTo("so far");
            assertThat(stage.sessions.stats().permitsUsed()).isZero();
        }
    }

    @Test
    void anIdleSessionEndsAndStaysReadable() throws Exception {
        try (Stage stage = timed(Limits.DEFAULT.idleTimeout(Duration.ofMinutes(10)))) {
            Stage.Act act = stage.open();
            time.pass(Duration.ofMinutes(9));
            act.process().emit("so far");
            time.pass(Duration.ofMinutes(10).minusNanos(1));
            assertThat(act.session().state()).isEqualTo(SessionState.RUNNING);
            time.pass(Duration.ofNanos(1));
            stage.recorder.await("exited a IDLE_TIMEOUT");
            assertThat(act.session().cursor().drainText(100).text()).isEqualTo("so far");
        }
    }

    @Test
    void theSpecsIdleTimeGoesBeforeTheLimits() throws Exception {
        try (Stage stage = timed(Limits.DEFAULT.idleTimeout(Duration.ofDays(1)))) {
            stage.open(SessionSpec.of("sh").id("a").idleTimeout(Duration.ofMinutes(1)));
            time.pass(Duration.ofMinutes(1));
            stage.recorder.await("exited a IDLE_TIMEOUT");
        }
    }

    @Test
    void aSessionSomebodyWaitsForIsNotIdle() throws Exception {
        isNotIdle(session -> session.cursor(0).await(Until.match("never"), Duration.ofHours(1)));
    }

    @Test
    void aSessionSomebodyReadsFromIsNotIdle() throws Exception {
        isNotIdle(session -> session.output().read(0, 1, Duration.ofHours(1)));
    }

    /// The wait lasts an hour, and the session may be idle for a minute.
    private void isNotIdle(ThrowingConsumer<Session> wait) throws Exception {
        try (Stage stage = timed(Limits.DEFAULT)) {
            Session session = stage.open(SessionSpec.of("sh").id("a").idleTimeout(Duration.ofMinutes(1))).session();
            Running<Boolean> waiter = Running.start(() -> {
                wait.accept(session);
                return true;
            }).parked();
            time.pass(Duration.ofHours(1).minusNanos(1));
            assertThat(session.state()).isEqualTo(SessionState.RUNNING);
            time.pass(Duration.ofNanos(1));
            assertThat(waiter.result()).isTrue();
            time.pass(Duration.ofMinutes(2));
            stage.recorder.await("exited a IDLE_TIMEOUT");
        }
    }

    @Test
    void survivorsEndByTheIdleTime() throws Exception {
        try (Stage stage = timed(Limits.DEFAULT)) {
            Stage.Act act = stage.open(SessionSpec.of("sh").id("a").idleTimeout(Duration.ofMinutes(1)));
            act.process().exitHeld(0);
            Activity activity = act.session().activity();
            time.pass(Duration.ofMinutes(1));
            while (!act.session().drained()) {
                assertThat(activity.next(Stage.LONG)).isTrue();
            }
            assertThat(stage.sessions.stats().permitsUsed()).isZero();
            assertThat(act.session().snapshot().state()).isEqualTo(SessionState.EXITED);
        }
    }

    @Test
    void clocksOfASessionThatHasEndedAreStopped() throws Exception {
        try (Backstage stage = new Backstage(Limits.DEFAULT.idleTimeout(Stage.LONG))) {
            LiveSession live = stage.open("a", SessionSpec.of("sh").timeout(Stage.LONG));
            assertThat(time.pending()).isEqualTo(2);
            stage.process("a").exit(0);
            time.flush();
            stage.registry.close(live, EndReason.CLOSED, Duration.ZERO);
            time.flush();
            assertThat(time.pending()).isZero();
        }
    }

    @Test
    void closingWaitsForThoseWhoEndASessionWhoseTimeIsUp() throws Exception {
        CountDownLatch ending = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (Stage stage = timed(Limits.DEFAULT)) {
            stage.host.onStart(process -> process.onEnd(() -> {
                if (Thread.currentThread().getName().equals("belay end a")) {
                    ending.countDown();
                    Uninterrupted.run(goOn::await);
                }
            }));
            Stage.Act act = stage.open(SessionSpec.of("sh").id("a").timeout(Duration.ofMinutes(1)));
            time.pass(Duration.ofMinutes(1));
            ending.await();
            Running<Boolean> closer = Running.start(() -> {
                stage.sessions.close();
                return true;
            });
            Activity activity = act.session().activity();
            while (act.session().state() != SessionState.CLOSED) {
                assertThat(activity.next(Stage.LONG)).isTrue();
            }
            closer.parked();
            assertThat(stage.host.closed()).as("closed before it was done").isFalse();
            goOn.countDown();
            assertThat(closer.result()).isTrue();
        }
    }

    @Test
    void timesBeyondAllMeasureAreForEver() {
        Duration ages = Duration.ofSeconds(Long.MAX_VALUE);
        try (Stage stage = Stage.in(folder, Limits.DEFAULT.idleTimeout(ages).retention(ages))) {
            Stage.Act act = stage.open(SessionSpec.of("sh").id("a").timeout(ages));
            act.process().exit(0);
        }
    }

    // --- retention ---

    @Test
    void exitedSessionsAreForgottenAfterATimeWithTheirFiles() throws Exception {
        try (Stage stage = timed(Limits.DEFAULT.retention(Duration.ofMinutes(30)))) {
            Stage.Act act = stage.open();
            act.process().emit("x");
            assertThat(Folders.files(stage.logs())).hasSize(1);
            act.process().exit(0);
            time.pass(Duration.ofMinutes(30).minusNanos(1));
            assertThat(stage.sessions.list()).hasSize(1);
            time.pass(Duration.ofNanos(1));
            stage.recorder.await("closed a");
            assertThat(stage.sessions.list()).isEmpty();
            assertThat(Folders.files(stage.logs())).isEmpty();
            assertThatExceptionOfType(SessionException.class).isThrownBy(() -> act.session().output().read(0, 1));
            assertThat(act.session().snapshot().exitCode()).isZero();
        }
    }

    @Test
    void onlySoManyExitedSessionsAreKeptAndTheOldestGoFirst() throws Exception {
        retains(Limits.DEFAULT.maxRetained(2));
    }

    @Test
    void onlySoManyAreKeptAlsoWhenTheyAreKeptForEver() throws Exception {
        retains(Limits.DEFAULT.maxRetained(2).retention(Duration.ofSeconds(Long.MAX_VALUE)));
    }

    private void retains(Limits limits) throws InterruptedException {
        try (Stage stage = Stage.in(folder, limits)) {
            stage.open("running");
            stage.open("held").process().exitHeld(0);
            for (String id : List.of("a", "b", "c", "d")) {
                Stage.Act act = stage.open(id);
                act.process().emit("x");
                act.process().exit(0);
            }
            stage.recorder.await("closed a");
            stage.recorder.await("closed b");
            assertThat(stage.sessions.list()).map(Session::id).containsExactly("c", "d", "held", "running");
            assertThat(Folders.files(stage.logs())).hasSize(2);
        }
    }

    @Test
    void noExitedSessionIsKeptWhereNoneMayBe() throws Exception {
        try (Stage stage = Stage.in(folder, Limits.DEFAULT.maxRetained(0))) {
            stage.open().process().exit(0);
            stage.recorder.await("closed a");
            assertThat(stage.sessions.list()).isEmpty();
        }
    }

    @Test
    void aSessionThatIsClosedTakesNoPlaceAmongTheKept() throws Exception {
        try (Backstage stage = new Backstage(Limits.DEFAULT.maxRetained(1))) {
            LiveSession kept = stage.open("kept", SessionSpec.of("sh"));
            stage.process("kept").exit(0);
            for (int i = 0; i < 5; i++) {
                LiveSession other = stage.open("s" + i, SessionSpec.of("sh"));
                // Gives the timer a chance to retain it between its end and its removal.
                stage.process("s" + i).afterEnd(time::flush);
                stage.registry.close(other, EndReason.CLOSED, Duration.ZERO);
            }
            time.flush();
            assertThat(kept.state()).isEqualTo(SessionState.EXITED);
            assertThat(stage.registry.all()).containsExactly(kept);
        }
    }

    @Test
    void aSessionThatExitedButCouldNotBeClosedIsStillForgottenInTime() throws Exception {
        try (Backstage stage = new Backstage(Limits.DEFAULT.retention(Duration.ofMinutes(30)))) {
            LiveSession live = stage.open("a", SessionSpec.of("sh"));
            Activity activity = new Activity(live, null);
            stage.process("a").refuseToEnd(new IllegalStateException("not now"));
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> stage.registry.close(live, EndReason.CLOSED, Duration.ZERO));
            stage.process("a").refuseToEnd(null);
            stage.process("a").exit(0);
            time.pass(Duration.ofMinutes(30));
            while (live.state() != SessionState.CLOSED) {
                assertThat(activity.next(Stage.LONG)).isTrue();
            }
        }
    }

    @Test
    void anExitedSessionThatCouldNotBeForgottenIsKeptAgainAfterAWhile() throws Exception {
        try (Backstage stage = new Backstage(Limits.DEFAULT.retention(Stage.LONG))) {
            LiveSession live = stage.open("a", SessionSpec.of("sh"));
            stage.process("a").exit(0);
            time.flush();
            stage.process("a").refuseToEnd(new IllegalStateException("not now"));
            time.pass(Stage.LONG);
            time.awaitPending(1);
            assertThat(live.state()).isEqualTo(SessionState.EXITED);
            stage.process("a").refuseToEnd(null);
            time.pass(Registry.RETRY);
            Activity activity = new Activity(live, null);
            time.pass(Stage.LONG);
            while (live.state() != SessionState.CLOSED) {
                assertThat(activity.next(Stage.LONG)).isTrue();
            }
        }
    }

    @Test
    void aSessionThatHadItsTimeAndCouldNotBeEndedIsEndedAfterAWhile() throws Exception {
        try (Backstage stage = new Backstage(Limits.DEFAULT)) {
            LiveSession live = stage.open("a", SessionSpec.of("sh").timeout(Stage.LONG));
            stage.process("a").refuseToEnd(new IllegalStateException("not now"));
            time.pass(Stage.LONG);
            time.awaitPending(1);
            assertThat(live.state()).isEqualTo(SessionState.RUNNING);
            stage.process("a").refuseToEnd(null);
            Activity activity = new Activity(live, null);
            time.pass(Registry.RETRY);
            while (live.state() != SessionState.EXITED) {
                assertThat(activity.next(Stage.LONG)).isTrue();
            }
            assertThat(live.record().endReason()).isEqualTo(EndReason.TIMEOUT);
        }
    }

    @Test
    void aSessionWhoseIdleTimeEndedItTheSecondTimeIsNotKeptByItsOtherClock() throws Exception {
        try (Backstage stage = new Backstage(Limits.DEFAULT.maxRetained(0))) {
            SessionSpec spec = SessionSpec.of("sh").timeout(Duration.ofDays(1)).idleTimeout(Duration.ofMinutes(1));
            LiveSession live = stage.open("a", spec);
            stage.process("a").refuseToEnd(new IllegalStateException("not now"));
            Activity activity = new Activity(live, null);
            CountDownLatch tried = new CountDownLatch(1);
            stage.process("a").onEnd(tried::countDown);
            time.pass(Duration.ofMinutes(1));
            tried.await();
            stage.registry.background().join();
            stage.process("a").refuseToEnd(null);
            time.pass(Registry.RETRY);
            while (live.state() != SessionState.CLOSED) {
                assertThat(activity.next(Stage.LONG)).isTrue();
            }
            assertThat(time.pending()).isZero();
        }
    }

    @Test
    void aStartThatFailsWhileItsSessionIsBeingForgottenIsOneClose() {
        try (Backstage stage = new Backstage(Limits.DEFAULT.maxRetained(0))) {
            stage.host.onStart(process -> {
                process.exit(0);
                time.flush();
                throw new SessionException(ErrorCode.UNAVAILABLE, "no memory to wait for it");
            });
            assertThatExceptionOfType(SessionException.class)
                    .isThrownBy(() -> stage.open("a", SessionSpec.of("sh")));
            stage.registry.closeAll();
            assertThat(stage.registry.stats().closed()).isEqualTo(1);
        }
    }

    @Test
    void aSessionThatIsForgottenEarlyIsNotKeptInMemoryByItsTimer() throws Exception {
        try (Backstage stage = new Backstage(Limits.DEFAULT)) {
            for (int i = 0; i < 100; i++) {
                LiveSession live = stage.open("s" + i, SessionSpec.of("sh"));
                stage.process("s" + i).exit(0);
                time.flush();
                stage.registry.close(live, EndReason.CLOSED, Duration.ZERO);
            }
            time.flush();
            assertThat(time.pending()).isZero();
        }
    }

    /// A registry whose time the test moves, for tests that need more than the handles of sessions.
    private final class Backstage implements AutoCloseable {
        final ScriptedHost host = new ScriptedHost();
        final Registry registry;

        Backstage(Limits limits) {
            Environment none = new Environment(Map.of());
            registry = new Registry(host, limits, Resources.AS_BELAY, Isolation.NONE, none, folder, time, List.of());
        }

        LiveSession open(String id, SessionSpec spec) {
            return registry.open(spec.id(id));
        }

        ScriptedProcess process(String id) {
            return host.process(registry.instance() + "/" + id);
        }

        @Override
        public void close() {
            registry.closeAll();
            assertThat(host.misuses()).isEmpty();
        }
    }
}
