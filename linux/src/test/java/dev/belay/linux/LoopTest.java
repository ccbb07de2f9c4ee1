package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.testkit.LeakCheck;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// What the loop guarantees its sources.
@ExtendWith(LeakCheck.class)
@Timeout(120)
class LoopTest {
    private static final long PATIENCE_SECONDS = 60;

    private final List<String> heard = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch rung = new CountDownLatch(1);

    /// A descriptor that the loop waits for. It records its name when it is ready and runs a step.
    private final class Bell implements Loop.Source {
        final Loop loop;
        final String name;
        final int fd;
        final long id;
        Runnable step = () -> {};

        /// Called on the loop's thread.
        Bell(Loop loop, String name) {
            this.loop = loop;
            this.name = name;
            this.fd = loop.libc.eventfd();
            this.id = loop.newId();
            assertThat(loop.add(id, fd, Abi.EPOLLIN, this)).isZero();
        }

        void ring() {
            try (Arena arena = Arena.ofConfined()) {
                loop.libc.write(fd, arena.allocateFrom(ValueLayout.JAVA_LONG, 1), Long.BYTES);
            }
        }

        void remove() {
            loop.remove(fd, id);
            loop.libc.close(fd);
        }

        @Override
        public void ready(int events) {
            heard.add(name);
            step.run();
        }

        @Override
        public void failed(Throwable cause) {
            heard.add(name + " failed: " + cause);
        }
    }

    @Test
    void anEventOfADescriptorThatIsGoneDoesNotReachTheNextOneWithItsNumber() throws Exception {
        try (Loop loop = new Loop()) {
            loop.call(() -> {
                Bell first = new Bell(loop, "first");
                Bell second = new Bell(loop, "second");
                // Both are ready in one turn. The first one removes the other and adds a new source in its place.
                first.step = () -> replace(first, second);
                second.step = () -> replace(second, first);
                first.ring();
                second.ring();
                return true;
            });
            assertThat(rung.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(heard).hasSize(2).last().isEqualTo("third");
        }
    }

    private void replace(Bell me, Bell other) {
        me.remove();
        int number = other.fd;
        other.remove();
        Bell third = new Bell(me.loop, "third");
        // The kernel reuses the lowest free number: mine or the other's.
        Bell fourth = new Bell(me.loop, "fourth");
        assertThat(List.of(third.fd, fourth.fd)).contains(number);
        third.step = () -> {
            third.remove();
            fourth.remove();
            rung.countDown();
        };
        // After the turn in which the stale event would be delivered.
        me.loop.post(() -> me.loop.post(third::ring));
    }

    @Test
    void aSourceThatFailsIsLetGoAndTheOthersGoOn() throws Exception {
        try (Loop loop = new Loop()) {
            loop.call(() -> {
                Bell bad = new Bell(loop, "bad");
                Bell good = new Bell(loop, "good");
                bad.step = () -> {
                    bad.remove();
                    throw new IllegalStateException("as a test wants it");
                };
                good.step = () -> {
                    good.remove();
                    rung.countDown();
                };
                bad.ring();
                loop.post(good::ring);
                return true;
            });
            assertThat(rung.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(heard).contains("bad", "bad failed: java.lang.IllegalStateException: as a test wants it",
                    "good");
        }
    }
}
