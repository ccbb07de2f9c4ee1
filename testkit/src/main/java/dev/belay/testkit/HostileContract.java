package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Cursor;
import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Until;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Processes that misbehave, and many at once.
public interface HostileContract extends Rig {
    /// Closes a session whose processes have said their numbers as `pid=N`, and checks that none is left.
    private void closeAndCount(Session session, int processes) throws InterruptedException {
        Cursor cursor = session.cursor();
        for (int i = 0; i < processes; i++) {
            expect(cursor, "pid=\\d+\\s");
        }
        List<Long> pids = Pattern.compile("pid=(\\d+)")
                .matcher(session.cursor().peekText(1 << 16).text())
                .results()
                .map(result -> Long.parseLong(result.group(1)))
                .toList();
        assertThat(pids).hasSize(processes).allMatch(Rig::lives);
        session.close();
        assertThat(pids).noneMatch(Rig::lives);
    }

    @Test
    default void aChildThatIgnoresHangUpAndTerminationIsKilled() throws InterruptedException {
        Sessions quick = sessions(Limits.DEFAULT.closeGrace(java.time.Duration.ofMillis(200)));
        for (SessionSpec spec : List.of(
                SessionSpec.of("/bin/sh", "-c", "trap '' HUP TERM INT; echo pid=$$; while :; do sleep 1000; done"),
                SessionSpec.of("/bin/sh", "-c", "trap '' HUP TERM INT; echo pid=$$; while :; do sleep 1000; done")
                        .pipe())) {
            closeAndCount(quick.open(spec), 1);
        }
    }

    @Test
    default void aStoppedChildIsEnded() throws InterruptedException {
        Session session = shell("echo pid=$$; kill -STOP $$; echo never");
        closeAndCount(session, 1);
    }

    @Test
    default void aChildThatDoubleForksIntoASessionOfItsOwnIsEnded() throws InterruptedException {
        String daemon =
                "(setsid sh -c 'echo pid=$$; exec sleep 1000' </dev/null &) ; sleep 0.1; echo pid=$$; exec sleep 1000";
        closeAndCount(shell(daemon), 2);
        closeAndCount(piped(daemon), 2);
    }

    @Test
    default void aDaemonWithAClearedEnvironmentAndNoDescriptorsIsEnded() throws Exception {
        Path said = workspace().resolve("said");
        Session session =
                shell("read x; (env -i setsid /bin/sh -c 'echo pid=$$ > said.new; mv said.new said; exec sleep 1000'"
                        + " </dev/null >/dev/null 2>&1 &); while [ ! -e said ]; do sleep 0.01; done; cat said; echo pid=$$; exec sleep 1000");
        session.writeLine("");
        closeAndCount(session, 2);
        assertThat(said).exists();
    }

    @Test
    default void aDaemonLeftByALeaderThatHasExitedIsEndedByTheClose() throws Exception {
        Path said = workspace().resolve("said");
        Session session =
                piped("read x; (env -i setsid /bin/sh -c 'echo $$ > said.new; mv said.new said; exec sleep 1000'"
                        + " </dev/null >/dev/null 2>&1 &); while [ ! -e said ]; do sleep 0.01; done");
        session.writeLine("");
        exitOf(session);
        assertThat(session.drained()).as("it holds no pipe").isTrue();
        long daemon = Long.parseLong(Files.readString(said).strip());
        assertThat(Rig.lives(daemon)).isTrue();
        session.close();
        assertThat(Rig.lives(daemon)).isFalse();
    }

    @Test
    default void aChildThatHoldsTheTerminalAfterItsLeaderIsEnded() throws InterruptedException {
        Session session = shell("trap '' HUP; sh -c 'echo pid=$$; exec sleep 1000' & sleep 0.1; exit 0");
        exitOf(session);
        assertThat(session.snapshot().survivors()).isEqualTo(1);
        closeAndCount(session, 1);
    }

    @Test
    default void theLoopStaysIdleWhenALeaderClosesItsTerminalAndLivesOn() throws Exception {
        Path closed = workspace().resolve("closed");
        Session session = open(
                "python3", "-c",
                "import os,time; [os.close(i) for i in (0,1,2)]; open('closed','w').close(); time.sleep(1000)");
        Session other = open("cat");
        Cursor echo = other.cursor();
        while (!Files.exists(closed)) {
            other.writeLine("x");
            expect(echo, "x");
        }
        long before = loopCpuTicks();
        // Some work for the same loop, after which a loop that spins would have used much.
        java.time.Instant until = java.time.Instant.now().plusSeconds(1);
        while (java.time.Instant.now().isBefore(until)) {
            other.cursor(other.output().end()).await(Until.match("never"), java.time.Duration.ofMillis(200));
        }
        assertThat(loopCpuTicks() - before).as("ticks of 10 ms in one second").isLessThan(50);
        assertThat(session.exit()).isEmpty();
    }

    /// The processor time of the loop's thread, in ticks.
    private static long loopCpuTicks() throws Exception {
        long ticks = 0;
        try (var tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                String stat = Files.readString(task.resolve("stat"));
                if (stat.contains("(belay-loop)")) {
                    String[] rest = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
                    ticks += Long.parseLong(rest[11]) + Long.parseLong(rest[12]);
                }
            }
        }
        return ticks;
    }

    @Test
    default void aFloodingSessionNeitherReordersNorStarvesAnother() throws InterruptedException {
        Session flood = open("yes", "flood");
        Session quiet = sessions().open(SessionSpec.of("cat").pipe());
        Cursor cursor = quiet.cursor();
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            String line = "line " + i;
            quiet.writeLine(line);
            expect(cursor, line + "\\n");
            expected.append(line).append('\n');
        }
        assertThat(quiet.cursor().peekText(1 << 16).text()).isEqualTo(expected.toString());
        assertThat(flood.output().end()).isPositive();
        flood.close(true);
    }

    @Test
    default void twoThousandSessionsOpenedAndClosedReturnToBaseline() throws Exception {
        Sessions many = sessions(Limits.DEFAULT.maxSessions(500));
        for (int batch = 0; batch < 4; batch++) {
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<Session>> opening = new ArrayList<>();
                for (int i = 0; i < 500; i++) {
                    SessionSpec spec = SessionSpec.of("cat");
                    SessionSpec each = i % 2 == 0 ? spec : spec.pipe();
                    opening.add(threads.submit(() -> many.open(each)));
                }
                for (Future<Session> session : opening) {
                    session.get();
                }
            }
            assertThat(many.stats().permitsUsed()).isEqualTo(500);
            many.closeAll();
            assertThat(many.stats().permitsUsed()).isZero();
            assertThat(many.list()).isEmpty();
        }
        assertThat(many.stats().opened()).isEqualTo(2000);
    }

    @Test
    default void jobControlWorksInsideASession() throws InterruptedException {
        Session bash = sessions().open(SessionSpec.of("bash", "--norc", "-i").env("PS1", "ready> "));
        Cursor cursor = bash.cursor();
        expect(cursor, "ready> ");
        // The job answers, so it has the terminal.
        bash.writeLine("sed -u 's/^/got:/'");
        bash.writeLine("hello");
        expect(cursor, "got:hello");
        bash.write("\u001a");
        expect(cursor, "Stopped");
        expect(cursor, "ready> ");
        bash.writeLine("fg");
        bash.writeLine("again");
        expect(cursor, "got:again");
        bash.write("\u0003");
        expect(cursor, "ready> ");
        bash.writeLine("echo code=$?");
        expect(cursor, "code=130");
    }

    @Test
    default void aProcessThatForksAndExitsAllTheTimeIsEnded() throws Exception {
        // Each lives for some milliseconds and is nobody's child: a look that takes longer must not miss it.
        String walker = """
                import os, time
                os.setsid()
                print('walking', flush=True)
                while True:
                    time.sleep(0.005)
                    if os.fork():
                        os._exit(0)
                """;
        for (boolean force : new boolean[] {false, true}) {
            Session session = sessions().open(SessionSpec.of("/bin/sh", "-c", "python3 -c \"$WALKER\" & sleep 1000")
                    .env("WALKER", walker)
                    .pipe());
            expect(session.cursor(), "walking");
            session.close(force);
            assertThat(Rig.marked(sessions().instance() + "/" + session.id())).isEmpty();
        }
    }
}
