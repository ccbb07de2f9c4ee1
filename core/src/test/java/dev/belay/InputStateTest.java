package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// When [Session#awaitInputState] looks once, and when it looks again.
@Timeout(60)
class InputStateTest {
    private static final Duration REST = Duration.ofMillis(20);
    private static final InputState WAITING = new InputState(true, false);
    private static final InputState UNCLEAR = new InputState(null, true);

    @TempDir
    Path folder;

    private final MovedTime time = new MovedTime();
    private Stage stage;
    private Session session;
    private ScriptedProcess process;

    @BeforeEach
    void open() {
        stage = Stage.in(folder, Limits.DEFAULT, time);
        Stage.Act act = stage.open();
        session = act.session();
        process = act.process();
    }

    @AfterEach
    void close() {
        stage.close();
    }

    @Test
    void whatIsSeenToWaitIsAnsweredForAtOnce() throws Exception {
        process.looksLike(() -> WAITING);
        process.emit("prompt");
        assertThat(session.awaitInputState(Stage.LONG)).isEqualTo(WAITING);
        assertThat(process.looks()).isEqualTo(1);
    }

    @Test
    void aSessionThatIsStillStartingIsNotLookedAt() {
        AtomicReference<InputState> seen = new AtomicReference<>();
        stage.host.onStart(starting -> {
            starting.looksLike(() -> WAITING);
            seen.set(stage.sessions.get("b").inputState());
            assertThat(starting.looks()).isZero();
        });
        Session started = stage.open("b").session();
        assertThat(seen).hasValue(InputState.UNKNOWN);
        assertThat(started.inputState()).isEqualTo(WAITING);
    }

    @Test
    void whatHasBeenQuietIsAnsweredForAtOnce() throws Exception {
        process.looksLike(() -> UNCLEAR);
        process.emit("busy");
        time.pass(REST);
        assertThat(session.awaitInputState(Stage.LONG)).isEqualTo(UNCLEAR);
        assertThat(process.looks()).isEqualTo(1);
    }

    @Test
    void whatHasJustPrintedIsLookedAtOnceMore() throws Exception {
        // The first look finds it printing its prompt, the second finds it reading.
        CountDownLatch printed = new CountDownLatch(1);
        process.looksLike(() -> {
            if (process.looks() > 1) {
                return WAITING;
            }
            process.emit("prompt");
            printed.countDown();
            return UNCLEAR;
        });
        Running<InputState> asker = Running.start(() -> session.awaitInputState(Stage.LONG));
        printed.await();
        time.pass(REST.minusNanos(1));
        asker.parked();
        assertThat(process.looks()).isEqualTo(1);
        time.pass(Duration.ofNanos(1));
        assertThat(asker.result()).isEqualTo(WAITING);
        assertThat(process.looks()).isEqualTo(2);
    }

    @Test
    void noTimeMeansOneLook() throws Exception {
        process.emit("busy");
        assertThat(session.awaitInputState(Duration.ZERO)).isEqualTo(InputState.NOBODY);
        assertThat(process.looks()).isEqualTo(1);
    }

    @Test
    void anExitEndsTheWaitAndNobodyWaits() throws Exception {
        process.looksLike(() -> {
            process.emit("the last");
            process.exit(0);
            return UNCLEAR;
        });
        assertThat(session.awaitInputState(Stage.LONG)).isEqualTo(InputState.NOBODY);
        assertThat(session.inputState()).isEqualTo(InputState.NOBODY);
        assertThat(process.looks()).isEqualTo(1);
    }
}
