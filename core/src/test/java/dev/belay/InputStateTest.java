package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// When [Session#awaitInputState] looks once, and when once more.
@Timeout(60)
class InputStateTest {
    private static final InputState WAITING = new InputState(true, false);
    private static final InputState UNCLEAR = new InputState(null, true);

    @TempDir
    Path folder;

    private Stage stage;
    private Session session;
    private ScriptedProcess process;

    @BeforeEach
    void open() {
        stage = Stage.in(folder);
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
        session.cursor().await(Until.idle(Duration.ofMillis(30)), Stage.LONG);
        assertThat(session.awaitInputState(Stage.LONG)).isEqualTo(UNCLEAR);
        assertThat(process.looks()).isEqualTo(1);
    }

    @Test
    void whatHasJustPrintedIsLookedAtOnceMore() throws Exception {
        // The first look finds it printing its prompt, the second finds it reading. A machine that stands still for
        // 20 ms just then sees no need for the second; it does not do so every time.
        InputState seen = InputState.NOBODY;
        for (int round = 0; round < 100 && !seen.seenWaiting(); round++) {
            int first = process.looks() + 1;
            process.looksLike(() -> {
                if (process.looks() > first) {
                    return WAITING;
                }
                process.emit("prompt");
                return UNCLEAR;
            });
            seen = session.awaitInputState(Stage.LONG);
            assertThat(process.looks() - first).isLessThanOrEqualTo(1);
        }
        assertThat(seen).isEqualTo(WAITING);
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
