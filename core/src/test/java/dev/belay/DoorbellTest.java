package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DoorbellTest {
    private final Doorbell bell = new Doorbell();

    @Test
    void aRingBeforeTheWaitIsNotMissed() throws Exception {
        long seen = bell.rings();
        bell.ring();
        assertThat(bell.await(seen, Deadline.in(Duration.ZERO))).isTrue();
    }

    @Test
    void noRingIsReportedAtTheDeadline() throws Exception {
        assertThat(bell.await(bell.rings(), Deadline.in(Duration.ofMillis(1)))).isFalse();
    }

    @Test
    void aWaiterIsInterruptible() {
        Running<Boolean> waiter = Running.start(() -> bell.await(bell.rings(), Deadline.in(Stage.LONG)));
        waiter.parked().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(waiter::result);
    }

    @Test
    void everyRingIsSeenByEveryWaiter() throws Exception {
        int rounds = 20_000;
        AtomicLong[] heard = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
        AtomicLong rung = new AtomicLong();
        List<Running<Boolean>> waiters = new ArrayList<>();
        for (AtomicLong mine : heard) {
            waiters.add(Running.start(() -> {
                while (true) {
                    long seen = bell.rings();
                    mine.set(rung.get());
                    if (mine.get() == rounds) {
                        return true;
                    }
                    if (!bell.await(seen, Deadline.in(Stage.LONG))) {
                        return false;
                    }
                }
            }));
        }
        for (int i = 1; i <= rounds; i++) {
            rung.set(i);
            bell.ring();
            // Now and then all waiters have to catch up. A lost wake-up would hang here until the deadline.
            while (i % 10 == 0 && (heard[0].get() < i || heard[1].get() < i || heard[2].get() < i)) {
                if (waiters.stream().anyMatch(waiter -> !waiter.thread.isAlive()) && i < rounds) {
                    throw new AssertionError("a waiter slept through ring " + i);
                }
                Thread.onSpinWait();
            }
        }
        for (Running<Boolean> waiter : waiters) {
            assertThat(waiter.result()).isTrue();
        }
    }
}
