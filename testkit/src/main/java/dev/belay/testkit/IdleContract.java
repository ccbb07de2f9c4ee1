package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Activity;
import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Idle sessions cost no turn of the loop and no thread.
public interface IdleContract extends Rig {
    /// The turns that a session on pipes takes from open to exit, and a few more. A loop that polls ten times a second,
    /// or spins, takes more than this while [#sleepOnce] sleeps.
    int FEW_TURNS = 15;

    /// Runs a session that does nothing for two seconds. Its program has a path, because in a watched session each
    /// folder of PATH that is searched is a turn.
    private static void sleepOnce(Sessions sessions) throws InterruptedException {
        Session sleep = sessions.open(SessionSpec.of("/bin/sleep", "2").pipe());
        assertThat(sleep.awaitExit(PATIENCE)).isPresent();
    }

    @Test
    default void idleSessionsAndThoseWhoWaitForThemTakeNoTurn() throws Exception {
        List<FutureTask<Boolean>> waits = new ArrayList<>();
        List<Thread> waiters = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            SessionSpec spec = SessionSpec.of("/bin/sh", "-c", "echo up; read _").idleTimeout(Duration.ofHours(1));
            Session session = sessions().open(i % 2 == 0 ? spec : spec.pipe());
            expect(session.cursor(), "up\\r?\\n");
            Activity activity = i % 3 == 0 ? session.viewing() : session.activity();
            FutureTask<Boolean> wait = new FutureTask<>(() -> activity.next(PATIENCE.multipliedBy(4)));
            waits.add(wait);
            waiters.add(Thread.ofVirtual().start(wait));
        }
        for (Thread waiter : waiters) {
            Rig.awaitWaiting(waiter);
        }
        long before = sessions().stats().loop().turns();
        sleepOnce(sessions());
        assertThat(sessions().stats().loop().turns() - before).as("turns").isLessThan(FEW_TURNS);
        assertThat(waits).as("finished waits").noneMatch(FutureTask::isDone);
        sessions().closeAll();
        for (FutureTask<Boolean> wait : waits) {
            assertThat(wait.get()).isTrue();
        }
    }

    @Test
    default void theLoopStaysIdleWhenALeaderClosesItsTerminalAndLivesOn() throws Exception {
        Path fifo = workspace().resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
        Session session = open(
                "python3", "-c",
                "import os,time; [os.close(i) for i in (0,1,2)]; open('fifo','w').write('closed'); time.sleep(1000)");
        assertThat(Files.readString(fifo)).isEqualTo("closed");
        long before = sessions().stats().loop().turns();
        sleepOnce(sessions());
        assertThat(sessions().stats().loop().turns() - before).as("turns").isLessThan(FEW_TURNS);
        assertThat(session.exit()).isEmpty();
    }

    @Test
    default void fiveHundredSessionsHaveTheThreadsOfOne() {
        Sessions many = sessions(Limits.DEFAULT.maxSessions(500));
        SessionSpec timed = SessionSpec.of("cat").timeout(Duration.ofHours(1)).idleTimeout(Duration.ofHours(1));
        many.open(timed);
        Set<String> ours = ourThreads();
        int all = Thread.getAllStackTraces().size();
        for (int i = 1; i < 500; i++) {
            many.open(i % 2 == 0 ? timed : timed.pipe());
        }
        assertThat(many.stats().permitsUsed()).isEqualTo(500);
        assertThat(ourThreads()).isEqualTo(ours);
        // Threads of any name: the JVM's own come and go, but not by the hundred.
        assertThat(Thread.getAllStackTraces().size()).as("threads").isLessThan(all + 100);
    }

    private static Set<String> ourThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("belay"))
                .map(thread -> thread.getName() + " " + thread.threadId())
                .collect(Collectors.toSet());
    }
}
