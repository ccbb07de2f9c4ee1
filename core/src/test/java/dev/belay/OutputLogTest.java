package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.End;
import dev.belay.ReadResult.Gap;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputLogTest {
    @TempDir
    Path folder;

    private Stage stage;
    private Session session;
    private ScriptedProcess process;
    private OutputLog output;

    @BeforeEach
    void open() {
        stage = Stage.in(folder, Limits.DEFAULT.logBytes(Limits.MIN_LOG_BYTES));
        Stage.Act act = stage.open(SessionSpec.of("sh").id("a").pipe());
        session = act.session();
        process = act.process();
        output = session.output();
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private static String text(ReadResult result) {
        return new String(((Chunk) result).bytes(), StandardCharsets.UTF_8);
    }

    private static boolean isEmptyChunk(ReadResult result) {
        return result instanceof Chunk chunk && chunk.bytes().length == 0;
    }

    private static void isRefused(ErrorCode code, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatExceptionOfType(SessionException.class).isThrownBy(call)
                .satisfies(e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void anyPartCanBeReadAgainAlsoAfterTheExit() {
        process.emit("hello ");
        process.emit("world");
        process.exit(0);
        for (int i = 0; i < 2; i++) {
            assertThat(text(output.read(0, 100))).isEqualTo("hello world");
            assertThat(text(output.read(3, 5))).isEqualTo("lo wo");
        }
        assertThat(output.start()).isZero();
        assertThat(output.end()).isEqualTo(11);
    }

    @Test
    void nothingYetIsAnEmptyChunkAndNeverTheEnd() {
        assertThat(isEmptyChunk(output.read(0, 10))).isTrue();
        process.emit("x");
        assertThat(isEmptyChunk(output.read(1, 10))).isTrue();
    }

    @Test
    void theEndComesAfterTheLastByteAndCarriesTheExit() {
        process.emit("bye");
        process.exit(7);
        assertThat(text(output.read(0, 10))).isEqualTo("bye");
        assertThat(output.read(3, 10)).isEqualTo(new End(3, new ExitStatus.Exited(7)));
    }

    @Test
    void thereIsNoEndWhileSurvivorsHoldTheTerminal() {
        process.emit("bye");
        process.exitHeld(0);
        assertThat(session.exit()).contains(new ExitStatus.Exited(0));
        assertThat(session.drained()).isFalse();
        assertThat(isEmptyChunk(output.read(3, 10))).isTrue();
        assertThat(session.snapshot().survivors()).isEqualTo(1);
        assertThat(stage.sessions.stats().permitsUsed()).isEqualTo(1);
        process.emit(" late");
        assertThat(text(output.read(3, 10))).isEqualTo(" late");
        process.release();
        assertThat(output.read(8, 10)).isEqualTo(new End(8, new ExitStatus.Exited(0)));
        assertThat(session.drained()).isTrue();
        assertThat(session.snapshot().survivors()).isZero();
        assertThat(stage.sessions.stats().permitsUsed()).isZero();
    }

    @Test
    void aWaitingReadWakesOnOutput() throws Exception {
        Running<ReadResult> reader = Running.start(() -> output.read(0, 10, Stage.LONG)).parked();
        process.emit("x");
        assertThat(text(reader.result())).isEqualTo("x");
    }

    @Test
    void aWaitingReadWakesAtTheEndAndNotAtTheExitOfAHeldSession() throws Exception {
        Running<ReadResult> reader = Running.start(() -> output.read(0, 10, Stage.LONG)).parked();
        process.exitHeld(1);
        reader.parked();
        process.release();
        assertThat(reader.result()).isEqualTo(new End(0, new ExitStatus.Exited(1)));
    }

    @Test
    void aWaitingReadEndsInTimeWithAnEmptyChunk() throws Exception {
        assertThat(isEmptyChunk(output.read(0, 10, Duration.ofMillis(5)))).isTrue();
        assertThat(isEmptyChunk(output.read(0, 10, Duration.ZERO))).isTrue();
    }

    @Test
    void aWaitingReadCanBeInterrupted() {
        Running<ReadResult> reader = Running.start(() -> output.read(0, 10, Stage.LONG)).parked();
        reader.interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(reader::result);
    }

    @Test
    void aWaitingReadEndsWhenTheSessionIsClosed() {
        Running<ReadResult> reader = Running.start(() -> {
            ReadResult result = output.read(0, 10, Stage.LONG);
            return result instanceof End ? output.read(0, 10, Stage.LONG) : result;
        }).parked();
        session.close();
        try {
            assertThat(reader.result()).isInstanceOf(End.class);
        } catch (Exception e) {
            isRefused(ErrorCode.NOT_FOUND, () -> {
                throw e;
            });
        }
    }

    @Test
    void chunksTellTheOutlet() {
        process.emit("out".getBytes(StandardCharsets.UTF_8), Outlet.STDOUT);
        process.emit("err".getBytes(StandardCharsets.UTF_8), Outlet.STDERR);
        Chunk first = (Chunk) output.read(0, 100);
        Chunk second = (Chunk) output.read(3, 100);
        assertThat(first.outlet()).isEqualTo(Outlet.STDOUT);
        assertThat(text(first)).isEqualTo("out");
        assertThat(second.outlet()).isEqualTo(Outlet.STDERR);
        assertThat(text(second)).isEqualTo("err");
    }

    @Test
    void aSlowReaderGetsAGapAndThenTheRest() {
        process.emit(Known.bytes(0, 1 << 20));
        Gap gap = (Gap) output.read(0, 100);
        assertThat(gap.reason()).isEqualTo(Gap.Reason.DROPPED);
        assertThat(gap.next()).isEqualTo(output.start());
        assertThat(((Chunk) output.read(gap.next(), 100)).bytes()).isEqualTo(Known.bytes(gap.next(), 100));
        assertThat(session.snapshot().outputStart()).isEqualTo(output.start());
        assertThat(session.snapshot().outputEnd()).isEqualTo(1 << 20);
    }

    @Test
    void wrongOffsetsAndSizesAreRefused() {
        process.emit("abc");
        isRefused(ErrorCode.INVALID_REQUEST, () -> output.read(-1, 10));
        isRefused(ErrorCode.INVALID_REQUEST, () -> output.read(4, 10));
        isRefused(ErrorCode.INVALID_REQUEST, () -> output.read(0, 0));
        isRefused(ErrorCode.INVALID_REQUEST, () -> output.read(Long.MAX_VALUE, 10));
        assertThat(text(output.read(0, Integer.MAX_VALUE))).isEqualTo("abc");
    }

    @Test
    void aClosedSessionHasNoOutput() {
        process.emit("abc");
        session.close();
        isRefused(ErrorCode.NOT_FOUND, () -> output.read(0, 10));
        isRefused(ErrorCode.NOT_FOUND, () -> session.cursor(0).peek(10));
        assertThat(Folders.files(stage.logs())).isEmpty();
    }

    @Test
    void readersThatWaitSeeEveryByteOfAStream() throws Exception {
        List<Running<Long>> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            readers.add(Running.start(() -> {
                long at = 0;
                while (true) {
                    switch (output.read(at, 1 << 16, Stage.LONG)) {
                        case Chunk chunk -> {
                            if (chunk.bytes().length == 0 || !Known.are(chunk.bytes(), at)) {
                                throw new AssertionError("nothing, or wrong bytes, at " + at);
                            }
                            at = chunk.next();
                        }
                        case Gap gap -> at = gap.next();
                        case End end -> {
                            return end.offset();
                        }
                    }
                }
            }));
        }
        for (int i = 0; i < 20_000; i++) {
            process.emit(Known.bytes(i * 37L, 37));
        }
        process.exit(0);
        for (Running<Long> reader : readers) {
            assertThat(reader.result()).isEqualTo(20_000L * 37);
        }
    }

    @Test
    void theSizesOfATerminalAreKeptWithTheirOffsets() {
        Stage.Act act = stage.open(SessionSpec.of("vi").id("b").size(100, 30));
        act.process().emit("abc");
        act.session().resize(new Size(120, 40));
        assertThat(act.session().output().resizes()).containsExactly(
                new OutputLog.Resize(0, new Size(100, 30)), new OutputLog.Resize(3, new Size(120, 40)));
        assertThat(act.session().snapshot().cols()).isEqualTo(120);
        assertThat(act.session().snapshot().rows()).isEqualTo(40);
    }

    @Test
    void activityIsSeenOnceHoweverMuchItWas() throws Exception {
        Activity activity = session.activity();
        assertThat(activity.next(Duration.ZERO)).isFalse();
        process.emit("a");
        process.emit("b");
        assertThat(activity.next(Duration.ZERO)).isTrue();
        assertThat(activity.next(Duration.ZERO)).isFalse();
        Running<Boolean> watcher = Running.start(() -> activity.next(Stage.LONG)).parked();
        process.exit(0);
        assertThat(watcher.result()).isTrue();
    }

    @Test
    void aSubscriberIsWokenByReasonsOfItsOwn() throws Exception {
        Activity activity = session.activity();
        Activity other = session.activity();
        Running<Boolean> watcher = Running.start(() -> activity.next(Stage.LONG)).parked();
        activity.wake();
        assertThat(watcher.result()).isTrue();
        assertThat(activity.next(Duration.ZERO)).as("a wake is told once").isFalse();
        activity.wake();
        assertThat(activity.next(Stage.LONG)).as("also one that came before").isTrue();
        assertThat(other.next(Duration.ZERO)).as("nobody else's business").isFalse();
    }

    @Test
    void theFirstCursorOfASessionMissesNothingThatIsPrintedMeanwhile() throws Exception {
        for (int i = 0; i < 300; i++) {
            FileLog log = new FileLog(stage.logs(), "race" + i, Limits.MIN_LOG_BYTES);
            Running<Long> starter = Running.start(() -> {
                long most = 0;
                while (log.end() == 0) {
                    most = Math.max(most, log.start());
                }
                return most;
            });
            log.append(Known.buffer(0, 10), Outlet.STDOUT);
            assertThat(starter.result()).isZero();
            log.delete();
        }
    }
}
