package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sessions that end by a clock, and exited ones that are forgotten.
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

    // --- clocks: what happens before a short one runs out happens before it begins, within the start ---

    @Test
    void aSessionEndsAfterItsWallClockTimeAndStaysReadable() throws Exception {
        try (Stage stage = Stage.in(folder)) {
            stage.host.onStart(process -> process.emit("so far"));
            Stage.Act act = stage.open(SessionSpec.of("sh").id("a").timeout(Duration.ofMillis(30)));
            assertThat(act.session().awaitExit(Stage.LONG)).contains(new ExitStatus.Signaled(Signal.HUP));
            stage.recorder.await("exited a TIMEOUT");
            SessionRecord record = act.session().snapshot();
            assertThat(record.state()).isEqualTo(SessionState.EXITED);
            assertThat(record.endReason()).isEqualTo(EndReason.TIMEOUT);
            assertThat(act.session().cursor().drainText(100).text()).isEqualTo("so far");
            assertThat(stage.sessions.stats().permitsUsed()).isZero();
        }
    }

    @Test
    void anIdleSessionEndsAndStaysReadable() throws Exception {
        try (Stage stage = Stage.in(folder, Limits.DEFAULT.idleTimeout(Duration.ofMillis(30)))) {
            stage.host.onStart(process -> process.emit("so far"));
            Stage.Act act = stage.open();
            stage.recorder.await("exited a IDLE_TIMEOUT");
            assertThat(act.session().cursor().drainText(100).text()).isEqualTo("so far");
        }
    }

    @Test
    void theSpecsIdleTimeGoesBeforeTheLimits() throws Exception {
        try (Stage stage = Stage.in(folder, Limits.DEFAULT.idleTimeout(Stage.LONG))) {
            stage.open(SessionSpec.of("sh").id("a").idleTimeout(Duration.ofMillis(10)));
            stage.recorder.await("exited a IDLE_TIMEOUT");
        }
    }

    @Test
    void aSessionSomebodyWaitsForIsNotIdle() throws Exception {
        Until until = Until.match("never");
        isNotIdle(session -> assertThat(session.cursor(0).await(until, Duration.ofMillis(300)).fired())
                .isEqualTo(Waited.Fired.TIMEOUT));
    }

    @Test
    void aSessionSomebodyReadsFromIsNotIdle() throws Exception {
        isNotIdle(session -> assertThat(session.output().read(0, 1, Duration.ofMillis(300)))
                .isInstanceOf(ReadResult.Chunk.class));
    }

    /// The wait begins before the idle clock does, and is longer.
    private void isNotIdle(ThrowingConsumer<Session> wait) throws Exception {
        try (Stage stage = Stage.in(folder)) {
            AtomicReference<Running<Boolean>> waiter = new AtomicReference<>();
            stage.host.onStart(_ -> waiter.set(Running.start(() -> {
                wait.accept(stage.sessions.get("a"));
                return true;
            }).parked()));
            stage.open(SessionSpec.of("sh").id("a").idleTimeout(Duration.ofMillis(30)));
            assertThat(waiter.get().result()).isTrue();
            stage.recorder.await("exited a IDLE_TIMEOUT");
        }
    }

    @Test
    void survivorsEndByTheIdleTime() throws Exception {
        try (Stage stage = Stage.in(folder)) {
            stage.host.onStart(process -> process.exitHeld(0));
            Stage.Act act = stage.open(SessionSpec.of("sh").id("a").idleTimeout(Duration.ofMillis(50)));
            Activity activity = act.session().activity();
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
            Life life = stage.open("a", SessionSpec.of("sh").timeout(Stage.LONG));
            assertThat(stage.registry.timer().getQueue()).hasSize(2);
            stage.process("a").exit(0);
            stage.flush();
            stage.registry.close(life, EndReason.CLOSED, Duration.ZERO);
            stage.flush();
            assertThat(stage.registry.timer().getQueue()).isEmpty();
        }
    }

    @Test
    void closingWaitsForThoseWhoEndASessionWhoseTimeIsUp() throws Exception {
        CountDownLatch ending = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        CompletableFuture<Boolean> closedBefore = new CompletableFuture<>();
        try (Stage stage = Stage.in(folder)) {
            stage.host.onStart(process -> process.onEnd(() -> {
                if (!Thread.currentThread().getName().equals("belay end a")) {
                    return;
                }
                ending.countDown();
                try {
                    closedBefore.complete(closed.await(300, TimeUnit.MILLISECONDS));
                } catch (InterruptedException e) {
                    closedBefore.completeExceptionally(e);
                }
            }));
            stage.open(SessionSpec.of("sh").id("a").timeout(Duration.ofMillis(1)));
            ending.await();
            stage.sessions.close();
            closed.countDown();
            assertThat(closedBefore.get()).as("closed before it was done").isFalse();
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
        try (Stage stage = Stage.in(folder, Limits.DEFAULT.retention(Duration.ofMillis(30)))) {
            Stage.Act act = stage.open();
            act.process().emit("x");
            assertThat(Folders.files(stage.logs())).hasSize(1);
            act.process().exit(0);
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
            Life kept = stage.open("kept", SessionSpec.of("sh"));
            stage.process("kept").exit(0);
            for (int i = 0; i < 5; i++) {
                Life other = stage.open("s" + i, SessionSpec.of("sh"));
                // Time enough to be kept, between its end and its forgetting.
                stage.process("s" + i).afterEnd(stage::flush);
                stage.registry.close(other, EndReason.CLOSED, Duration.ZERO);
            }
            stage.flush();
            assertThat(kept.state()).isEqualTo(SessionState.EXITED);
            assertThat(stage.registry.all()).containsExactly(kept);
        }
    }

    @Test
    void aSessionThatExitedButCouldNotBeClosedIsStillForgottenInTime() throws Exception {
        try (Backstage stage = new Backstage(Limits.DEFAULT.retention(Duration.ofMillis(20)))) {
            Life life = stage.open("a", SessionSpec.of("sh"));
            Activity activity = new Activity(life, false);
            stage.process("a").refuseToEnd(new IllegalStateException("not now"));
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> stage.registry.close(life, EndReason.CLOSED, Duration.ZERO));
            stage.process("a").refuseToEnd(null);
            stage.process("a").exit(0);
            while (life.state() != SessionState.CLOSED) {
                assertThat(activity.next(Stage.LONG)).isTrue();
            }
        }
    }

    @Test
    void anExitedSessionThatCouldNotBeForgottenIsKeptAgainAfterAWhile() throws Exception {
        try (Backstage stage = new Backstage(Limits.DEFAULT.retention(Stage.LONG))) {
            Life life = stage.open("a", SessionSpec.of("sh"));
            stage.process("a").exit(0);
            stage.flush();
            stage.process("a").refuseToEnd(new IllegalStateException("not now"));
            stage.runWhatIsDueWithin(Stage.LONG);
            stage.awaitClock();
            assertThat(life.state()).isEqualTo(SessionState.EXITED);
            stage.process("a").refuseToEnd(null);
            stage.runWhatIsDueWithin(Registry.RETRY);
            Activity activity = new Activity(life, false);
            stage.runWhatIsDueWithin(Stage.LONG);
            while (life.state() != SessionState.CLOSED) {
                assertThat(activity.next(Stage.LONG)).isTrue();
            }
        }
    }

    @Test
    void aSessionThatHadItsTimeAndCouldNotBeEndedIsEndedAfterAWhile() throws Exception {
        try (Backstage stage = new Backstage(Limits.DEFAULT)) {
            Life life = stage.open("a", SessionSpec.of("sh").timeout(Stage.LONG));
            stage.process("a").refuseToEnd(new IllegalStateException("not now"));
            stage.runWhatIsDueWithin(Stage.LONG);
            stage.awaitClock();
            assertThat(life.state()).isEqualTo(SessionState.RUNNING);
            stage.process("a").refuseToEnd(null);
            Activity activity = new Activity(life, false);
            stage.runWhatIsDueWithin(Registry.RETRY);
            while (life.state() != SessionState.EXITED) {
                assertThat(activity.next(Stage.LONG)).isTrue();
            }
            assertThat(life.record().endReason()).isEqualTo(EndReason.TIMEOUT);
        }
    }

    @Test
    void aSessionWhoseIdleTimeEndedItTheSecondTimeIsNotKeptByItsOtherClock() throws Exception {
        try (Backstage stage = new Backstage(Limits.DEFAULT.maxRetained(0))) {
            SessionSpec spec = SessionSpec.of("sh").timeout(Duration.ofDays(1)).idleTimeout(Duration.ofMillis(1));
            stage.host.onStart(process -> process.refuseToEnd(new IllegalStateException("not now")));
            Life life = stage.open("a", spec);
            Activity activity = new Activity(life, false);
            // Its end has been tried and is to be tried again.
            while (stage.dueWithin(Registry.RETRY).size() == stage.dueWithin(Duration.ofSeconds(1)).size()) {
                assertThat(Thread.interrupted()).as("it is not to be ended again").isFalse();
                Thread.onSpinWait();
            }
            stage.process("a").refuseToEnd(null);
            stage.runWhatIsDueWithin(Registry.RETRY);
            while (life.state() != SessionState.CLOSED) {
                assertThat(activity.next(Stage.LONG)).isTrue();
            }
            assertThat(stage.registry.timer().getQueue()).isEmpty();
        }
    }

    @Test
    void aStartThatFailsWhileItsSessionIsBeingForgottenIsOneClose() {
        try (Backstage stage = new Backstage(Limits.DEFAULT.maxRetained(0))) {
            stage.host.onStart(process -> {
                process.exit(0);
                stage.flush();
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
                Life life = stage.open("s" + i, SessionSpec.of("sh"));
                stage.process("s" + i).exit(0);
                stage.flush();
                stage.registry.close(life, EndReason.CLOSED, Duration.ZERO);
            }
            stage.flush();
            assertThat(stage.registry.timer().getQueue()).isEmpty();
        }
    }

    /// A registry whose timer a test can look into.
    private final class Backstage implements AutoCloseable {
        final ScriptedHost host = new ScriptedHost();
        final Registry registry;

        Backstage(Limits limits) {
            registry = new Registry(host, limits, Resources.AS_BELAY, new Environment(Map.of()), folder, List.of());
        }

        Life open(String id, SessionSpec spec) {
            return registry.open(spec.id(id));
        }

        ScriptedProcess process(String id) {
            return host.process(registry.instance() + "/" + id);
        }

        /// Has the timer do now what it was to do within a time.
        void runWhatIsDueWithin(Duration time) throws Exception {
            for (Runnable task : dueWithin(time)) {
                assertThat(registry.timer().remove(task)).as("was still to be done").isTrue();
                registry.timer().submit(task).get();
            }
        }

        List<Runnable> dueWithin(Duration time) {
            return registry.timer().getQueue().stream()
                    .filter(task -> ((Delayed) task).getDelay(TimeUnit.NANOSECONDS) <= time.toNanos())
                    .toList();
        }

        /// Returns when the timer has something to do, which somebody else's thread tells it.
        void awaitClock() {
            while (registry.timer().getQueue().isEmpty()) {
                assertThat(Thread.interrupted()).as("nothing is to be done").isFalse();
                Thread.onSpinWait();
            }
        }

        /// Returns when the timer has done what was due.
        void flush() {
            try {
                registry.timer().submit(() -> {}).get();
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            registry.closeAll();
            assertThat(host.misuses()).isEmpty();
        }
    }
}
