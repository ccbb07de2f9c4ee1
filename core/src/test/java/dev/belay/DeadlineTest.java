package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeadlineTest {
    @Test
    void aMomentInThePastHasPassed() {
        assertThat(Deadline.in(Duration.ZERO).passed()).isTrue();
        assertThat(Deadline.in(Duration.ofSeconds(-5)).passed()).isTrue();
        assertThat(Deadline.in(Duration.ofSeconds(-5)).park(this)).isFalse();
        assertThat(Deadline.in(Duration.ofSeconds(5)).passed()).isFalse();
    }

    @Test
    void durationsBeyondAllMeasureDoNotOverflow() {
        assertThat(Deadline.in(Duration.ofSeconds(Long.MAX_VALUE)).passed()).isFalse();
        assertThat(Deadline.in(Duration.ofSeconds(Long.MIN_VALUE)).passed()).isTrue();
        Deadline soon = Deadline.in(Duration.ofSeconds(1));
        assertThat(Deadline.in(Duration.ofSeconds(Long.MAX_VALUE)).earlier(soon)).isSameAs(soon);
        assertThat(soon.earlier(Deadline.in(Duration.ofSeconds(Long.MAX_VALUE)))).isSameAs(soon);
    }
}
