package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.belay.Waited.Fired;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UntilTest {
    private static final Duration SHORT = Duration.ofMillis(20);

    @TempDir
    Path folder;

    private Stage stage;
    private Session session;
    private ScriptedProcess process;

    @BeforeEach
    void open() {
        stage = Stage.in(folder, Limits.DEFAULT.logBytes(1 << 20));
        take(stage.open(SessionSpec.of("sh").id("a").pipe()));
    }

    private void take(Stage.Act act) {
        session = act.session();
        process = act.process();
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private Waited await(Until until, Duration timeout) throws InterruptedException {
        return session.cursor(0).await(until, timeout);
    }

    private Waited await(Until until) throws InterruptedException {
        return await(until, Stage.LONG);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /// Prints this many runs of this many `x`. A search sees each run as a read of its own.
    private void emitPieces(int pieces, int chars) {
        for (int i = 0; i < pieces; i++) {
            process.emit(utf8("x".repeat(chars)), Known.outlet(i));
        }
    }

    // --- match ---

    @Test
    void aMatchTellsTheTextAndTheOffsetAfterItsLastByte() throws Exception {
        process.emit("one two three");
        assertThat(await(Until.match("t[a-z]o"))).isEqualTo(new Waited(Fired.MATCH, 7, "two"));
        assertThat(session.cursor(7).await(Until.match("t\\w+"), Stage.LONG))
                .isEqualTo(new Waited(Fired.MATCH, 13, "three"));
    }

    @Test
    void aMatchIsFoundHoweverTheOutputIsCut() throws Exception {
        byte[] all = utf8("x\u001b[31mé\u001b]0;t\u0007READY€\u001b[0m> rest");
        int expected = all.length - utf8(" rest").length;
        for (int cut = 1; cut < all.length; cut++) {
            take(stage.open(SessionSpec.of("sh").id("cut" + cut).pipe()));
            // Two outlets, so the search always gets two chunks.
            process.emit(Arrays.copyOf(all, cut), Outlet.STDOUT);
            process.emit(Arrays.copyOfRange(all, cut, all.length), Outlet.STDERR);
            assertThat(await(Until.match("éREADY€>"))).as("cut at %d", cut)
                    .isEqualTo(new Waited(Fired.MATCH, expected, "éREADY€>"));
            session.close();
        }
    }

    @Test
    void aMatchEndsBeforeTheSequenceThatFollowsIt() throws Exception {
        process.emit("\u001b[1mok\u001b[0m.");
        assertThat(await(Until.match("ok"))).isEqualTo(new Waited(Fired.MATCH, 6, "ok"));
        assertThat(await(Until.match("o.*"))).isEqualTo(new Waited(Fired.MATCH, 11, "ok."));
    }

    @Test
    void aMatchThatComesLaterWakesTheWait() throws Exception {
        process.emit("noise ");
        Running<Waited> waiter = Running.start(() -> await(Until.match("login: $"))).parked();
        process.emit("lo");
        process.emit("gin: ");
        assertThat(waiter.result()).isEqualTo(new Waited(Fired.MATCH, 13, "login: "));
    }

    @Test
    void aMatchBeginsAtTheCursorAndNotBefore() throws Exception {
        process.emit("ready ");
        assertThat(session.cursor(6).await(Until.match("ready"), SHORT).fired()).isEqualTo(Fired.TIMEOUT);
    }

    @Test
    void aMatchMaySpanNearly64KiBOverManyChunks() throws Exception {
        process.emit("BEGIN");
        emitPieces(60, 1000);
        process.emit("END");
        assertThat(await(Until.match("BEGINx+END")).offset()).isEqualTo(60_008);
    }

    @Test
    void aLongMatchIsFoundAlthoughNothingFollowsIt() throws Exception {
        process.emit("BEGIN");
        emitPieces(100, 100);
        Running<Waited> waiter = Running.start(() -> await(Until.match("BEGINx+END"))).parked();
        process.emit("END");
        assertThat(waiter.result().offset()).isEqualTo(10_008);
    }

    @Test
    void theFirstMatchIsToldAlsoIfALaterOneIsSeenBefore() throws Exception {
        process.emit("A");
        emitPieces(100, 100);
        process.emit("AB");
        assertThat(await(Until.match("A.*B")))
                .isEqualTo(new Waited(Fired.MATCH, 10_003, "A" + "x".repeat(10_000) + "AB"));
    }

    @Test
    void aLongMatchIsFoundBeforeTheExitTheQuietAndTheOffsetThatFollow() throws Exception {
        process.emit("BEGIN");
        emitPieces(100, 100);
        process.emit("END");
        process.exit(0);
        for (Until until : List.of(
                Until.match("BEGINx+END").orExited(),
                Until.match("BEGINx+END").orIdle(Duration.ofNanos(1)),
                Until.match("BEGINx+END").orOffset(10_008))) {
            assertThat(await(until).fired()).isEqualTo(Fired.MATCH);
        }
    }

    @Test
    void aMatchDoesNotReachBackWithoutBound() throws Exception {
        process.emit("BEGIN");
        emitPieces(20, 10_000);
        process.emit("END");
        assertThat(await(Until.match("BEGINx+END"), Duration.ofSeconds(2)).fired()).isEqualTo(Fired.TIMEOUT);
        assertThat(await(Until.match("x{10}END"))).isEqualTo(new Waited(Fired.MATCH, 200_008, "xxxxxxxxxxEND"));
    }

    @Test
    void theOffsetOfAMatchIsExactAfterMuchOutput() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 60_000; i++) {
            text.append("\u001b[32mé").append(i % 10);
        }
        byte[] all = utf8(text.toString());
        for (int at = 0; at < all.length; at += 30_000) {
            process.emit(Arrays.copyOfRange(all, at, Math.min(all.length, at + 30_000)),
                    Known.outlet(at / 30_000));
        }
        process.emit("\u001b[0mDONE\u001b[1m");
        assertThat(await(Until.match("DONE"))).isEqualTo(new Waited(Fired.MATCH, all.length + 8, "DONE"));
    }

    @Test
    void aGapEndsWhatWasCollectedAndTheSequenceItCutsOff() throws Exception {
        process.emit("\u001b]0;tit");
        Lease lease = session.as(new Actor("ann")).takeKeyboard(true, null);
        process.emit("le\u0007secret");
        lease.giveBack();
        process.emit("ready>");
        assertThat(await(Until.match("ready>"), Duration.ofSeconds(5)).fired()).isEqualTo(Fired.MATCH);
    }

    @Test
    void aMatchNeverSpansAGap() throws Exception {
        process.emit("rea");
        Lease lease = session.as(new Actor("ann")).takeKeyboard(true, null);
        process.emit("xx");
        lease.giveBack();
        process.emit("dy");
        assertThat(await(Until.match("ready"), SHORT).fired()).isEqualTo(Fired.TIMEOUT);
    }

    // --- hostile expressions ---

    @ParameterizedTest
    @ValueSource(strings = {"(.*a){20}b", "(a|b)*c", "(a*)*b", "(a|aa)+$z", "(?:a?){40}a{40}b", "(.*)(.*)(.*)(.*)(.*)z",
            "[^x]{500}x"})
    void aHostileExpressionEndsWithTheWait(String regex) throws Exception {
        for (int i = 0; i < 4; i++) {
            process.emit(utf8("a".repeat(10_000)), Known.outlet(i));
        }
        assertThat(await(Until.match(regex), Duration.ofMillis(300)).fired()).isEqualTo(Fired.TIMEOUT);
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "((a{100}){100}){100}", "((((a{9}){9}){9}){9}){9}", "(", "[a", "a{2,1}", "(?=a)", "(a)\\1", "*", "a**",
            "\\", "(x{1000}){1000}",
            "(?:(?:a{99}){99}b{99}){99}"})
    void anExpressionThatIsWrongOrTooLargeIsRefused(String regex) {
        assertThatExceptionOfType(SessionException.class).isThrownBy(() -> Until.match(regex))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
                .satisfies(e -> assertThat(e.getMessage()).contains(Quoted.of(regex)));
    }

    @Test
    void anExpressionOf5000CharactersIsRefused() {
        assertThatExceptionOfType(SessionException.class).isThrownBy(() -> Until.match("a".repeat(5000)))
                .withMessageContaining("5000");
        assertThatExceptionOfType(SessionException.class)
                .isThrownBy(() -> Until.match("(" + "a".repeat(990) + "){900}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            "\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3,9}Z",
            "(?:\\d{1,3}\\.){3}\\d{1,3}",
            "(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}"})
    void everydayExpressionsWithCountsAreFine(String regex) throws Exception {
        process.emit("id=123e4567-e89b-12d3-a456-426614174000 2026-01-02T03:04:05.123456Z 10.20.30.40 "
                + "2001:0db8:0000:0000:0000:ff00:0042:8329\n");
        assertThat(await(Until.match(regex)).fired()).isEqualTo(Fired.MATCH);
    }

    @Test
    void aWaitHasOneExpression() {
        assertThatExceptionOfType(SessionException.class).isThrownBy(() -> Until.match("a").orMatch("b"));
        assertThatExceptionOfType(SessionException.class).isThrownBy(() -> Until.idle(Duration.ZERO));
        assertThatExceptionOfType(SessionException.class)
                .isThrownBy(() -> Until.exited().orIdle(Duration.ofSeconds(-1)));
    }

    // --- exit, offset, idle, timeout ---

    @Test
    void theExitFiresAfterTheLastByte() throws Exception {
        process.emit("last words");
        process.exit(3);
        assertThat(await(Until.exited())).isEqualTo(new Waited(Fired.EXIT, 10, ""));
    }

    @Test
    void theExitWakesAWait() throws Exception {
        Running<Waited> waiter = Running.start(() -> await(Until.match("never").orExited())).parked();
        process.emit("x");
        process.exit(0);
        assertThat(waiter.result()).isEqualTo(new Waited(Fired.EXIT, 1, ""));
    }

    @Test
    void theExitFiresAlthoughSurvivorsHoldTheTerminal() throws Exception {
        process.emit("x");
        process.exitHeld(0);
        assertThat(await(Until.exited())).isEqualTo(new Waited(Fired.EXIT, 1, ""));
        Running<Waited> waiter = Running.start(() -> await(Until.match("never"))).parked();
        process.release();
        assertThat(waiter.result()).isEqualTo(new Waited(Fired.EXIT, 1, ""));
    }

    @Test
    void theExitFiresAlthoughSurvivorsNeverStopPrinting() throws Exception {
        process.exitHeld(0);
        AtomicBoolean done = new AtomicBoolean();
        Running<Boolean> flood = Running.start(() -> {
            byte[] noise = "ab".repeat(32 << 10).getBytes(StandardCharsets.UTF_8);
            while (!done.get()) {
                process.emit(noise);
            }
            return true;
        });
        while (session.output().end() == 0) {
            Thread.onSpinWait();
        }
        Waited waited = await(Until.match("(.*x){20}c").orExited(), Duration.ofSeconds(20));
        done.set(true);
        flood.result();
        assertThat(waited.fired()).isEqualTo(Fired.EXIT);
    }

    @Test
    void whatCanNeverComeEndsTheWaitAsExit() throws Exception {
        process.emit("x");
        process.exit(0);
        assertThat(await(Until.match("never")).fired()).isEqualTo(Fired.EXIT);
        assertThat(await(Until.offset(100)).fired()).isEqualTo(Fired.EXIT);
        assertThat(await(Until.idle(Stage.LONG)).fired()).isEqualTo(Fired.EXIT);
    }

    @Test
    void aMatchGoesBeforeTheExitAndTheOffset() throws Exception {
        process.emit("ready");
        process.exit(0);
        Until all = Until.match("ready").orExited().orOffset(1).orIdle(Duration.ofNanos(1));
        assertThat(await(all)).isEqualTo(new Waited(Fired.MATCH, 5, "ready"));
        Until rest = Until.match("never").orExited().orOffset(1).orIdle(Duration.ofNanos(1));
        assertThat(await(rest)).isEqualTo(new Waited(Fired.OFFSET, 5, ""));
    }

    @Test
    void anOffsetFiresWhenTheLogReachesIt() throws Exception {
        process.emit("abc");
        assertThat(await(Until.offset(3)).fired()).isEqualTo(Fired.OFFSET);
        assertThat(await(Until.offset(0)).fired()).isEqualTo(Fired.OFFSET);
        assertThat(await(Until.offset(4), SHORT).fired()).isEqualTo(Fired.TIMEOUT);
        Running<Waited> waiter = Running.start(() -> await(Until.offset(100).orOffset(4))).parked();
        process.emit("d");
        assertThat(waiter.result()).isEqualTo(new Waited(Fired.OFFSET, 4, ""));
    }

    @Test
    void quietFiresAfterTheLastOutput() throws Exception {
        process.emit("x");
        assertThat(await(Until.idle(Duration.ofMillis(1)))).isEqualTo(new Waited(Fired.IDLE, 1, ""));
        assertThat(await(Until.idle(Stage.LONG), SHORT)).isEqualTo(new Waited(Fired.TIMEOUT, 1, ""));
    }

    @Test
    void aQuietTimeBeyondAllMeasureIsNeverReached() throws Exception {
        assertThat(await(Until.idle(Duration.ofSeconds(Long.MAX_VALUE)), SHORT).fired()).isEqualTo(Fired.TIMEOUT);
    }

    @Test
    void aWaitThatRanOutSaysHowFarItLooked() throws Exception {
        process.emit("abc");
        assertThat(await(Until.match("z"), Duration.ZERO).fired()).isEqualTo(Fired.TIMEOUT);
        assertThat(await(Until.match("z"), SHORT)).isEqualTo(new Waited(Fired.TIMEOUT, 3, ""));
    }

    @Test
    void aWaitDoesNotMoveTheCursor() throws Exception {
        process.emit("abc");
        Cursor cursor = session.cursor();
        cursor.await(Until.match("b"), Stage.LONG);
        assertThat(cursor.position()).isZero();
    }

    @Test
    void aWaitCanBeInterrupted() {
        Running<Waited> waiter = Running.start(() -> await(Until.match("never"))).parked();
        waiter.interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(waiter::result);
    }

    @Test
    void awaitExitGivesTheExitOrNothingInTime() throws Exception {
        assertThat(session.awaitExit(SHORT)).isEmpty();
        Running<java.util.Optional<ExitStatus>> waiter = Running.start(() -> session.awaitExit(Stage.LONG)).parked();
        process.emit("x");
        process.exit(4);
        assertThat(waiter.result()).contains(new ExitStatus.Exited(4));
    }

    @Test
    void awaitExitGivesTheExitAlsoOfASessionThatIsClosedMeanwhile() throws Exception {
        Running<java.util.Optional<ExitStatus>> waiter = Running.start(() -> session.awaitExit(Stage.LONG)).parked();
        session.close();
        assertThat(waiter.result()).contains(new ExitStatus.Signaled(Signal.HUP));
        assertThat(session.awaitExit(SHORT)).contains(new ExitStatus.Signaled(Signal.HUP));
    }

    @Test
    void aCutEndsTheWaitsThatRunAndThoseToCome() throws Exception {
        Cut cut = new Cut();
        Running<Waited> waiter = Running.start(() -> await(Until.match("never").orCut(cut))).parked();
        cut.make();
        assertThat(waiter.result().fired()).isEqualTo(Fired.CUT);
        assertThat(await(Until.match("never").orCut(cut)).fired()).isEqualTo(Fired.CUT);
        process.emit("here");
        assertThat(await(Until.match("here").orCut(cut)).fired()).isEqualTo(Fired.MATCH);
    }
}
