package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// One call at a time per session.
@Timeout(60)
class CallTurnsTest {
    private final CallTurns turns = new CallTurns();

    @Test
    void callsOnOneSessionNeverMeet() throws InterruptedException {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger met = new AtomicInteger();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            callers.add(Thread.ofVirtual().start(() -> {
                for (int round = 0; round < 500; round++) {
                    try (var _ = turns.take("s")) {
                        met.addAndGet(inside.incrementAndGet() - 1);
                        LockSupport.parkNanos(1);
                        inside.decrementAndGet();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
            }));
        }
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(met).hasValue(0);
        assertThat(turns.size()).isZero();
    }

    @Test
    void callsOnDifferentSessionsDoNotWaitForEachOther() throws InterruptedException {
        try (var _ = turns.take("one"); var _ = turns.take("other")) {
            assertThat(turns.size()).isEqualTo(2);
        }
        assertThat(turns.size()).isZero();
    }

    @Test
    void whoeverIsInterruptedInTheQueueLeavesIt() throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        CountDownLatch gone = new CountDownLatch(1);
        try (var _ = turns.take("s")) {
            Thread waiting = Thread.ofVirtual().start(() -> {
                try (var _ = turns.take("s")) {
                    thrown.set(new AssertionError("it was not its turn"));
                } catch (InterruptedException e) {
                    thrown.set(e);
                }
                gone.countDown();
            });
            waiting.interrupt();
            gone.await();
            assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
            assertThat(turns.size()).isEqualTo(1);
        }
        assertThat(turns.size()).isZero();
    }
}
