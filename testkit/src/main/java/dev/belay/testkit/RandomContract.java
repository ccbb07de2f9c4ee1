package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Signal;
import dev.belay.Size;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/// A random sequence of operations on many sessions. A failure names the seed.
public interface RandomContract extends Rig {
    /// `-Dbelay.seed=N` repeats a failure.
    private static long seed() {
        return Long.getLong("belay.seed", System.nanoTime());
    }

    @Test
    default void aRandomSequenceOfOperationsKeepsTheInvariants() throws InterruptedException {
        long seed = seed();
        Random random = new Random(seed);
        int limit = 20;
        Sessions sessions =
                sessions(Limits.DEFAULT.maxSessions(limit).closeGrace(Duration.ofMillis(50)).logBytes(256 << 10));
        List<Session> open = new ArrayList<>();
        String[] scripts = {
                "exec cat", "echo hi", "exec sleep 1000", "yes | head -c 100000",
                "trap '' HUP TERM; echo up; sleep 1000",
                "sleep 1000 & sleep 1000", "exit 3", "kill -9 $$", "exec yes", "trap '' HUP; sleep 1000 & exit 0",
                "(setsid sleep 1000 &); exec cat", "echo err >&2; exec cat", "head -c 10 >/dev/null"
        };
        for (int step = 0; step < 600; step++) {
            String what = "seed " + seed + ", step " + step;
            try {
                if (open.isEmpty() || random.nextInt(3) == 0) {
                    SessionSpec spec = SessionSpec.of("/bin/sh", "-c", scripts[random.nextInt(scripts.length)]);
                    spec = random.nextBoolean() ? spec : spec.pipe();
                    spec = random.nextInt(5) > 0 ? spec : spec.timeout(Duration.ofMillis(1 + random.nextInt(50)));
                    open.add(sessions.open(spec));
                } else {
                    act(random, open);
                }
            } catch (SessionException e) {
                assertThat(e.code()).as(what + ": " + e).isNotEqualTo(dev.belay.ErrorCode.INTERNAL);
            }
            assertThat(sessions.stats().permitsUsed()).as(what).isBetween(0, limit);
            assertThat(permitsAreTheLivingSessions(sessions)).as(what).isTrue();
        }
        sessions.closeAll();
        assertThat(sessions.stats().permitsUsed()).as("seed " + seed).isZero();
        assertThat(sessions.list()).as("seed " + seed).isEmpty();
    }

    /// Sessions end at any time, so the sessions alive before and after the count bracket it. A session that is just
    /// ending may be neither for a moment, so the count is taken again after yielding to the thread that ends it. A
    /// count that has drifted stays wrong.
    private static boolean permitsAreTheLivingSessions(Sessions sessions) {
        for (long deadline = System.nanoTime() + PATIENCE.toNanos(); System.nanoTime() < deadline;) {
            long before = living(sessions);
            int used = sessions.stats().permitsUsed();
            if (used <= before && used >= living(sessions)) {
                return true;
            }
            LockSupport.parkNanos(1_000_000);
        }
        return false;
    }

    private static long living(Sessions sessions) {
        return sessions.list().stream().filter(session -> !session.drained()).count();
    }

    private static void act(Random random, List<Session> open) throws InterruptedException {
        Session any = open.get(random.nextInt(open.size()));
        switch (random.nextInt(8)) {
            case 0, 1 -> any.write(new byte[random.nextInt(5000)], Duration.ofMillis(20));
            case 2 -> any.resize(new Size(1 + random.nextInt(1000), 1 + random.nextInt(1000)));
            case 3 -> any.signal(new Signal(1 + random.nextInt(15)));
            case 4 -> any.cursor().drainText(4 + random.nextInt(100_000));
            case 5 -> any.interrupt();
            case 6 -> any.awaitExit(Duration.ofMillis(random.nextInt(20)));
            default -> {
                open.remove(any);
                any.close(random.nextBoolean());
            }
        }
    }
}
