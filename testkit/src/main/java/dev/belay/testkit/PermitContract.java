package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.ErrorCode;
import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionObserver;
import dev.belay.SessionRecord;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Permits: how many sessions may be open.
public interface PermitContract extends Rig {
    @Test
    default void aPermitIsReleasedAutomatically() throws InterruptedException {
        Sessions one = sessions(Limits.DEFAULT.maxSessions(1));
        for (SessionSpec spec : List.of(SessionSpec.of("true"), SessionSpec.of("true").pipe())) {
            Session session = one.open(spec);
            exitOf(session);
            assertThat(one.stats().permitsUsed()).as("the permit is back when the exit is seen").isZero();
        }
    }

    @Test
    default void severalPermitsAreHeldAtOnce() {
        List<Session> open = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            open.add(open("cat"));
            assertThat(sessions().stats().permitsUsed()).isEqualTo(i);
        }
        for (int left = 4; left >= 0; left--) {
            open.removeLast().close(true);
            assertThat(sessions().stats().permitsUsed()).isEqualTo(left);
        }
    }

    @Test
    default void theMaximumIsEnforcedWithItsMessage() {
        Sessions two = sessions(Limits.DEFAULT.maxSessions(2));
        two.open(SessionSpec.of("cat"));
        two.open(SessionSpec.of("cat").pipe());
        SessionException refusal =
                refused(ErrorCode.LIMIT_REACHED, () -> two.open(SessionSpec.of("cat")));
        assertThat(refusal).hasMessageStartingWith("Maximum PTY sessions reached (2 of 2): ");
        assertThat(refusal).hasMessageContaining("close a session");
    }

    @Test
    default void theLimitMayChangeWhileSessionsRun() {
        Sessions some = sessions(Limits.DEFAULT.maxSessions(2));
        some.open(SessionSpec.of("cat"));
        Session second = some.open(SessionSpec.of("cat"));
        some.limits(Limits.DEFAULT.maxSessions(1));
        assertThat(some.stats().permitsUsed()).as("no session is ended for it").isEqualTo(2);
        refused(ErrorCode.LIMIT_REACHED, () -> some.open(SessionSpec.of("cat")));
        second.close(true);
        refused(ErrorCode.LIMIT_REACHED, () -> some.open(SessionSpec.of("cat")));
        some.limits(Limits.DEFAULT.maxSessions(2));
        some.open(SessionSpec.of("cat"));
    }

    @Test
    default void theLimitHoldsUntilTheSessionEndsOrIsClosed() throws InterruptedException {
        Sessions one = sessions(Limits.DEFAULT.maxSessions(1));
        Session first = one.open(SessionSpec.of("cat").id("run-1"));
        refused(ErrorCode.LIMIT_REACHED, () -> one.open(SessionSpec.of("true").id("run-2")));
        first.close();
        Session third = one.open(SessionSpec.of("cat").id("run-3"));
        refused(ErrorCode.LIMIT_REACHED, () -> one.open(SessionSpec.of("true").id("run-4")));
        third.write("\u0004");
        exitOf(third);
        one.open(SessionSpec.of("cat").id("run-5"));
    }

    @Test
    default void survivorsThatHoldTheTerminalKeepThePermit() throws InterruptedException {
        Sessions one = sessions(Limits.DEFAULT.maxSessions(1));
        Session session = one.open(SessionSpec.of("/bin/sh", "-c", "trap '' HUP; sleep 1000 & echo left"));
        assertThat(exitOf(session).code()).isZero();
        assertThat(one.stats().permitsUsed()).isEqualTo(1);
        assertThat(session.snapshot().survivors()).isEqualTo(1);
        refused(ErrorCode.LIMIT_REACHED, () -> one.open(SessionSpec.of("true")));
        session.close();
        assertThat(one.stats().permitsUsed()).isZero();
    }

    @Test
    default void thePermitComesBackOnEveryPath() throws InterruptedException {
        Sessions one = closing(builder()
                .limits(Limits.DEFAULT.maxSessions(1))
                .observer(new SessionObserver() {
                    @Override
                    public void opened(SessionRecord session) {
                        throw new IllegalStateException("an observer that fails");
                    }
                })
                .build());
        one.open(SessionSpec.of("cat")).close(true);
        refused(ErrorCode.SPAWN_FAILED, () -> one.open(SessionSpec.of("no-such-program")));
        refused(ErrorCode.NOT_FOUND, () -> one.open(SessionSpec.of("true").workdir("none")));
        Session timed = one.open(SessionSpec.of("cat").timeout(Duration.ofMillis(50)));
        exitOf(timed);
        assertThat(one.stats().permitsUsed()).isZero();
        Thread.currentThread().interrupt();
        Session interrupted = one.open(SessionSpec.of("cat"));
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
        Thread.currentThread().interrupt();
        interrupted.close();
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
        assertThat(one.stats().permitsUsed()).isZero();
        one.open(SessionSpec.of("cat"));
        one.close();
        assertThat(one.stats().permitsUsed()).isZero();
    }

    @Test
    default void tenThousandRacingOpensAgainstALimitOfOneNeverExceedItAndEndAtZero() throws Exception {
        Sessions one = sessions(Limits.DEFAULT.maxSessions(1));
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger opened = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        int threads = 50;
        CountDownLatch start = new CountDownLatch(1);
        try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            List<java.util.concurrent.Future<?>> all = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                all.add(pool.submit(() -> {
                    start.await();
                    for (int i = 0; i < 10_000 / threads; i++) {
                        try {
                            Session session = one.open(SessionSpec.of("cat"));
                            assertThat(inside.incrementAndGet()).as("sessions at once").isEqualTo(1);
                            assertThat(one.stats().permitsUsed()).isEqualTo(1);
                            inside.decrementAndGet();
                            session.close(true);
                            opened.incrementAndGet();
                        } catch (SessionException e) {
                            assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_REACHED);
                            refused.incrementAndGet();
                        }
                    }
                    return null;
                }));
            }
            start.countDown();
            for (var each : all) {
                each.get();
            }
        }
        assertThat(opened.get() + refused.get()).isEqualTo(10_000);
        assertThat(opened.get()).isPositive();
        assertThat(one.stats().permitsUsed()).isZero();
    }
}
