package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Until;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/// Processes that detach in the first moment of a session, in every way, do not outlive it, however it ends.
///
/// Nothing here gives a host time: the first thing that a session does is to let go of a daemon that has no mark.
/// 200 sessions by default; `-Dbelay.detached=2000` says how many.
public interface DetachContract extends Rig {
    int SESSIONS = Integer.getInteger("belay.detached", 200);
    int AT_ONCE = 8;

    /// How to let go of a daemon, which sleeps for `N` seconds.
    enum Way {
        CLEARED("(env -i sleep N &)"),
        CLEARED_SESSION("(env -i setsid sleep N &)"),
        DOUBLE_FORK("(env -i sh -c 'setsid sh -c \"sleep N & exit\" & exit' &)"),
        NO_HANG_UP("(env -i nohup sleep N >/dev/null 2>&1 &)"),
        NO_DESCRIPTORS("(exec 0<&- 1>&- 2>&-; env -i setsid sleep N &)");

        private final String script;

        Way(String script) {
            this.script = script;
        }

        public String script(String number) {
            return script.replace("N", number);
        }
    }

    /// How the session ends.
    enum End {
        LEADER_EXITS("echo hi", 1),
        CLOSED("echo hi; exec sleep N", 2),
        CLOSED_AT_ONCE("exec sleep N", 0),
        FORCED("echo hi; exec sleep N", 2),
        TIMED_OUT("exec sleep N", 0);

        final String script;
        /// How many processes the close has to say that it ended, at least.
        final int processes;

        End(String script, int processes) {
            this.script = script;
            this.processes = processes;
        }
    }

    @Test
    default void noProcessOutlivesItsSessionHoweverItDetachesAndHoweverThatEnds() throws Exception {
        Sessions many = sessions(Limits.DEFAULT.maxSessions(AT_ONCE));
        List<String> left = new ArrayList<>();
        List<Callable<List<String>>> cases = new ArrayList<>();
        // No other process has such a number on its command line.
        long first = ThreadLocalRandom.current().nextLong(1L << 40, 1L << 50);
        for (long n = first; cases.size() < SESSIONS;) {
            for (Way way : Way.values()) {
                for (End end : End.values()) {
                    for (boolean pipe : new boolean[] {false, true}) {
                        String number = Long.toString(n++);
                        cases.add(() -> leftBy(many, way, end, pipe, number));
                    }
                }
            }
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            for (Future<List<String>> done : threads.invokeAll(cases)) {
                left.addAll(done.get());
            }
        }
        assertThat(left).as("left of %d sessions", cases.size()).isEmpty();
    }

    /// By then the close has looked for processes already, and all that it found end at once.
    @Test
    default void aDaemonThatIsBornWhenItsSessionIsAskedToEndDoesNotOutliveIt() throws Exception {
        Sessions patient = sessions(Limits.DEFAULT.closeGrace(PATIENCE));
        long n = ThreadLocalRandom.current().nextLong(1L << 40, 1L << 50);
        for (Way way : Way.values()) {
            for (boolean pipe : new boolean[] {false, true}) {
                String number = Long.toString(n++);
                SessionSpec spec = SessionSpec.of("/bin/sh", "-c",
                        "daemon() { " + way.script(number) + "; }; trap 'trap : HUP TERM; daemon; exit 6' HUP TERM; "
                                + "echo up; while :; do read x; done");
                try (Session session = patient.open(pipe ? spec.pipe() : spec)) {
                    expect(session.cursor(), "up");
                    assertThat(session.close(false).exit().code()).as("%s, pipe: %s", way, pipe).isEqualTo(6);
                    assertThat(Rig.named(number)).as("%s, pipe: %s", way, pipe).isEmpty();
                } finally {
                    endAll(number);
                }
            }
        }
    }

    /// What the host has missed is not left to the machine.
    private static void endAll(String number) throws IOException {
        Rig.named(number).forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }

    private static List<String> leftBy(Sessions sessions, Way way, End end, boolean pipe, String number)
            throws Exception {
        // The kernel hangs up on a terminal whose leader exits, which would end most of them before Belay has to.
        String script = (pipe ? "" : "trap '' HUP; ") + way.script(number) + "; " + end.script;
        SessionSpec spec = SessionSpec.of("/bin/sh", "-c", script.replace("N", number));
        spec = pipe ? spec.pipe() : spec;
        // Long enough for most to have let go of their daemon, and it is no matter if one has not.
        spec = end == End.TIMED_OUT ? spec.timeout(Duration.ofMillis(30)) : spec;
        try (Session session = sessions.open(spec)) {
            int ended = 0;
            switch (end) {
                case LEADER_EXITS -> {
                    assertThat(session.awaitExit(PATIENCE)).isPresent();
                    ended = session.close(false).ended();
                }
                case CLOSED, FORCED -> {
                    session.cursor().await(Until.match("hi"), PATIENCE);
                    ended = session.close(end == End.FORCED).ended();
                }
                case CLOSED_AT_ONCE -> session.close(false);
                case TIMED_OUT -> {
                    assertThat(session.awaitExit(PATIENCE)).isPresent();
                    awaitNone(number);
                }
            }
            List<Long> alive = Rig.named(number);
            boolean toldLess = ended < end.processes;
            return alive.isEmpty() && !toldLess
                    ? List.of()
                    : List.of(way + " " + end + (pipe ? " pipe" : " pty") + ": " + ended + " ended, alive " + alive);
        } finally {
            endAll(number);
        }
    }

    private static void awaitNone(String number) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!Rig.named(number).isEmpty() && System.nanoTime() < deadline) {
            // Nobody tells when a timeout has done its work.
            LockSupport.parkNanos(5_000_000);
        }
    }
}
