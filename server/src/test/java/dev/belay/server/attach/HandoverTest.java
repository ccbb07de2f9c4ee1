package dev.belay.server.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class HandoverTest {
    private static final int EVENTS = 2_000;
    private static final int SIGNALLERS = 3;

    /// What the sender and the loop share. Not volatile: the turn alone makes it safe.
    private int shared;

    /// A lost wake-up leaves the sender waiting for ever, because each signaller waits until its event was seen.
    @Test
    void noSignalIsLostWhileTheLoopTakesTheStateAndGivesItBack() throws Exception {
        Handover handover = new Handover();
        AtomicInteger posted = new AtomicInteger();
        AtomicInteger seen = new AtomicInteger();
        AtomicInteger uses = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        int all = EVENTS * SIGNALLERS;
        Thread sender = Thread.ofVirtual().start(() -> {
            try {
                while (seen.get() < all) {
                    handover.await();
                    shared++;
                    uses.incrementAndGet();
                    seen.set(posted.get());
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Thread loop = Thread.ofPlatform().start(() -> {
            while (!over.get()) {
                if (handover.take()) {
                    shared++;
                    uses.incrementAndGet();
                    handover.giveBack();
                }
            }
        });
        List<Thread> signallers = new ArrayList<>();
        for (int i = 0; i < SIGNALLERS; i++) {
            // Some signal twice before the sender runs, some once.
            int times = 1 + i % 2;
            signallers.add(Thread.ofVirtual().start(() -> {
                for (int event = 0; event < EVENTS; event++) {
                    int mine = posted.incrementAndGet();
                    for (int time = 0; time < times; time++) {
                        handover.signal();
                    }
                    while (seen.get() < mine) {
                        LockSupport.parkNanos(1_000);
                    }
                }
            }));
        }
        for (Thread signaller : signallers) {
            signaller.join();
        }
        sender.join();
        over.set(true);
        loop.join();
        assertThat(seen).hasValue(all);
        assertThat(shared).as("one at a time used the state").isEqualTo(uses.get());
    }

    @Test
    void twoSignalsBeforeTheSenderRunsAreSeenAtOnce() throws Exception {
        Handover handover = new Handover();
        handover.signal();
        handover.signal();
        handover.await();
        // Nothing is left: the loop may have the state of a sender that waits now.
        Thread sender = Thread.ofVirtual().start(() -> {
            try {
                handover.await();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        });
        while (!handover.take()) {
            LockSupport.parkNanos(1_000);
        }
        handover.signal();
        handover.signal();
        assertThat(sender.isAlive()).as("while the loop has the state").isTrue();
        handover.giveBack();
        sender.join();
    }

    @Test
    void theLoopNeverHasTheStateOfASenderThatRunsOrHasSomethingToSee() throws Exception {
        Handover handover = new Handover();
        assertThat(handover.take()).as("the sender runs").isFalse();
        handover.signal();
        handover.await();
        assertThat(handover.take()).as("the sender runs again").isFalse();
    }

    @Test
    void anInterruptedSenderHasTheStateAgain() throws Exception {
        Handover handover = new Handover();
        CountDownLatch interrupted = new CountDownLatch(1);
        Thread sender = Thread.ofVirtual().start(() -> {
            try {
                handover.await();
            } catch (InterruptedException _) {
                interrupted.countDown();
            }
        });
        while (!handover.take()) {
            LockSupport.parkNanos(1_000);
        }
        sender.interrupt();
        assertThat(interrupted.getCount()).as("the loop has the state").isEqualTo(1);
        handover.giveBack();
        interrupted.await();
        assertThat(handover.take()).isFalse();
        sender.join();
    }
}
