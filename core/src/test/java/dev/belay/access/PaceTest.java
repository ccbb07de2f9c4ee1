package dev.belay.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/// The clock is the test's own.
class PaceTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long NANOS = SECOND.toNanos();

    @Test
    void oneASecondWithAQueueOfThreeRefusesTheFifth() {
        Pace pace = new Pace();
        for (int waiting = 0; waiting <= 3; waiting++) {
            assertThat(pace.take(0, 1, SECOND, 3 * NANOS)).isEqualTo(waiting * NANOS);
        }
        assertThat(pace.take(0, 1, SECOND, 3 * NANOS)).as("a place is free in a second").isEqualTo(-NANOS);
        assertThat(pace.take(NANOS, 1, SECOND, 3 * NANOS)).isEqualTo(3 * NANOS);
    }

    @Test
    void aBurstIsLetThroughAndThenOneAfterTheOther() {
        Pace pace = new Pace();
        for (int i = 0; i < 10; i++) {
            assertThat(pace.take(0, 10, SECOND, 0)).isZero();
        }
        assertThat(pace.take(0, 10, SECOND, 0)).isEqualTo(-NANOS / 10);
        assertThat(pace.waitNanos(0, 10, SECOND)).isEqualTo(NANOS / 10);
        assertThat(pace.take(NANOS / 10, 10, SECOND, 0)).isZero();
        assertThat(pace.idle(NANOS)).isFalse();
        assertThat(pace.idle(2 * NANOS)).isTrue();
    }
}
