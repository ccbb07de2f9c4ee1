package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Closed;
import dev.belay.Cursor;
import dev.belay.Limits;
import dev.belay.Mode;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Signal;
import dev.belay.Until;
import dev.belay.Waited;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Processes that misbehave, and many sessions at once.
public interface HostileContract extends Rig {
    /// Closes a session whose processes have printed their pids as `pid=N`, and checks that none is left.
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
    default void aStoppedChildIsContinuedAndEndsByItself() throws InterruptedException {
        // The kernel tells the leader that its child has stopped. At its end the leader reports the signal that killed
        // it.
        String leader = """
                import os, signal
                child = os.fork()
                if child == 0:
                    os.kill(os.getpid(), signal.SIGSTOP)
                    os._exit(99)
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                stopped = os.WIFSTOPPED(os.waitpid(child, os.WUNTRACED)[1])
                print('stopped', stopped, flush=True)
                os._exit(os.WTERMSIG(os.waitpid(child, 0)[1]))
                """;
        Session session = sessions(Limits.DEFAULT.closeGrace(PATIENCE))
                .open(SessionSpec.of("python3", "-c", leader).pipe());
        expect(session.cursor(), "stopped True");
        Closed closed = session.close(false);
        assertThat(closed.killed()).isZero();
        assertThat(closed.exit().code()).as("the signal that killed the child").isEqualTo(Signal.HUP.number());
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
                        + " </dev/null >/dev/null 2>&1 &); while [ ! -e said ]; do sleep 0.01; done; cat said;"
                        + " echo pid=$$; exec sleep 1000");
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
    default void aFloodingSessionNeitherReordersNorStarvesAnother() throws InterruptedException {
        int echoes = 300;
        for (SessionSpec spec : List.of(SessionSpec.of("cat").pipe(), SessionSpec.of("cat"))) {
            Session flood = open("yes", "flood");
            expect(flood.cursor(), "flood");
            Session quiet = sessions().open(spec);
            boolean twice = spec.mode() instanceof Mode.Pty; // once by the terminal, once by cat
            Cursor cursor = quiet.cursor();
            StringBuilder expected = new StringBuilder();
            long before = flood.output().end();
            for (int i = 0; i < echoes; i++) {
                String line = "line " + i;
                String shown = twice ? (line + "\r\n").repeat(2) : line + "\n";
                quiet.writeLine(line);
                expect(cursor, shown.replace("\r", "")); // matches see lines as a reader does
                expected.append(shown);
            }
            long flooded = flood.output().end() - before;
            // The machine may not have run the flood meanwhile, but it goes on.
            Waited more = flood.cursor().await(Until.offset(before + 1), PATIENCE);
            assertThat(more.fired()).as("the flood goes on").isEqualTo(Waited.Fired.OFFSET);
            assertThat(quiet.cursor().peekText(1 << 16).text()).isEqualTo(expected.toString());
            assertThat(flooded).as("bytes of the flood during %d echoes", echoes)
                    .isLessThanOrEqualTo(echoes * FLOOD_FOR_ONE_ECHO);
            flood.close(true);
        }
    }

    /// How much a flood may print on average while another session echoes a line: about twenty reads, since the machine
    /// may be busy.
    long FLOOD_FOR_ONE_ECHO = 1L << 19;

    @Test
    default void hundredsOfSessionsOpenedAndClosedReturnToBaseline() throws Exception {
        int count = times(500);
        Sessions many = sessions(Limits.DEFAULT.maxSessions(count));
        for (int batch = 0; batch < 4; batch++) {
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<Session>> opening = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    SessionSpec spec = SessionSpec.of("cat");
                    SessionSpec each = i % 2 == 0 ? spec : spec.pipe();
                    opening.add(threads.submit(() -> many.open(each)));
                }
                for (Future<Session> session : opening) {
                    session.get();
                }
            }
            assertThat(many.stats().permitsUsed()).isEqualTo(count);
            many.closeAll();
            assertThat(many.stats().permitsUsed()).isZero();
            assertThat(many.list()).isEmpty();
        }
        assertThat(many.stats().opened()).isEqualTo(4L * count);
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
        // Each lives for a few milliseconds and is nobody's child. A look that takes longer must not miss it.
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
