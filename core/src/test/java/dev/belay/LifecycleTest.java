package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LifecycleTest {
    private static final ExitStatus DONE = new ExitStatus.Exited(0);

    private final Lifecycle life = new Lifecycle();

    @Test
    void aSessionThatExitsBeforeItsOpenerIsDoneDoesNotRunAgain() {
        life.exited(DONE, true);
        life.running();
        assertThat(life.state()).isEqualTo(SessionState.EXITED);
        assertThat(life.isSealed()).isFalse();
        life.sealed();
        assertThat(life.isSealed()).isTrue();
        assertThat(life.state()).isEqualTo(SessionState.EXITED);
    }

    @Test
    void anExitReportedAfterTheCloseIsKnownButOpensNothingAgain() {
        life.closed();
        life.exited(DONE, true);
        assertThat(life.state()).isEqualTo(SessionState.CLOSED);
        assertThat(life.exit()).isEqualTo(DONE);
    }

    @Test
    void oneThreadForgetsTheSession() {
        life.exited(DONE, false);
        assertThat(life.leaving()).isTrue();
        assertThat(life.leaving()).isFalse();
        assertThat(life.state()).isEqualTo(SessionState.EXITED);
    }

    @Test
    void aSessionThatNeverStartedIsStartingUntilItIsClosed() {
        assertThat(life.leaving()).isTrue();
        assertThat(life.state()).isEqualTo(SessionState.STARTING);
        assertThat(life.isSealed()).isFalse();
        life.closed();
        assertThat(life.state()).isEqualTo(SessionState.CLOSED);
    }

    @Test
    void theFirstReasonCounts() {
        life.because(EndReason.TIMEOUT);
        life.because(EndReason.CLOSED);
        assertThat(life.reason()).isEqualTo(EndReason.TIMEOUT);
    }
}
