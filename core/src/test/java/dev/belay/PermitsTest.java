package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class PermitsTest {
    @Test
    void aPermitIsGivenBackOnceHoweverOftenItIsClosed() {
        Permits permits = new Permits(3);
        Permit first = permits.acquire();
        Permit second = permits.acquire();
        assertThat(permits.used()).isEqualTo(2);
        first.close();
        first.close();
        first.close();
        assertThat(permits.used()).isEqualTo(1);
        second.close();
        assertThat(permits.used()).isZero();
        assertThat(permits.limit()).isEqualTo(3);
    }

    @Test
    void aPermitIsGivenBackOnceAlsoByManyThreads() throws Exception {
        Permits permits = new Permits(100, what -> {
            throw new AssertionError(what);
        });
        Permit other = permits.acquire();
        for (int round = 0; round < 200; round++) {
            Permit permit = permits.acquire();
            CountDownLatch go = new CountDownLatch(1);
            List<Running<Boolean>> closers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                closers.add(Running.start(() -> {
                    go.await();
                    permit.close();
                    return true;
                }));
            }
            go.countDown();
            for (Running<Boolean> closer : closers) {
                closer.result();
            }
            assertThat(permits.used()).isEqualTo(1);
        }
        other.close();
        assertThat(permits.used()).isZero();
    }

    @Test
    void theLimitIsSaidTogetherWithWhatToDo() {
        Permits permits = new Permits(1);
        try (Permit _ = permits.acquire()) {
            assertThatExceptionOfType(SessionException.class).isThrownBy(permits::acquire)
                    .withMessageStartingWith("Maximum PTY sessions reached (1 of 1): ")
                    .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_REACHED));
            assertThat(permits.used()).isEqualTo(1);
        }
        permits.acquire().close();
    }

    @Test
    void tenThousandRacingAcquiresNeverExceedALimitOfOneAndEndAtZero() throws Exception {
        Permits permits = new Permits(1);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger got = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> racers = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            racers.add(Thread.ofVirtual().start(() -> {
                try {
                    go.await();
                } catch (InterruptedException _) {
                    return;
                }
                try (Permit _ = permits.acquire()) {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    most.accumulateAndGet(permits.used(), Math::max);
                    got.incrementAndGet();
                    inside.decrementAndGet();
                } catch (SessionException _) {
                    // Somebody else has it.
                }
            }));
        }
        go.countDown();
        for (Thread racer : racers) {
            racer.join();
        }
        assertThat(most).hasValue(1);
        assertThat(got.get()).isPositive();
        assertThat(permits.used()).isZero();
    }

    @Test
    void aDroppedPermitIsFoundReportedAndGivenBack() throws Exception {
        AtomicReference<String> said = new AtomicReference<>();
        CountDownLatch found = new CountDownLatch(1);
        Permits permits = new Permits(1, what -> {
            said.set(what);
            found.countDown();
        });
        drop(permits);
        Garbage.collectUntil(found);
        assertThat(said.get()).contains("permit");
        assertThat(permits.used()).isZero();
        permits.acquire().close();
    }

    private static void drop(Permits permits) {
        assertThat(permits.acquire()).isNotNull();
        assertThat(permits.used()).isLessThanOrEqualTo(1);
    }

    @Test
    void aClosedPermitIsNotReported() throws Exception {
        List<String> said = new ArrayList<>();
        CountDownLatch canary = new CountDownLatch(1);
        Permits permits = new Permits(1, said::add);
        for (int i = 0; i < 100; i++) {
            permits.acquire().close();
        }
        drop(new Permits(1, _ -> canary.countDown()));
        Garbage.collectUntil(canary);
        assertThat(said).isEmpty();
    }
}
