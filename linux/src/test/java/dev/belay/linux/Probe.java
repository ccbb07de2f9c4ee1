package dev.belay.linux;

import dev.belay.Environment;
import dev.belay.Isolation;
import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Until;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/// A program that uses sessions, for tests that need a separate JVM: `Probe STATE run|pipe|hold COMMAND...`, or
/// `Probe STATE landlock WORKSPACE`, which starts sessions in a sandbox by Landlock before any others.
///
/// `run` prints the command's output in a terminal, `pipe` its output on pipes. `hold` prints the leader's pid once the
/// command has printed something, and then waits until it is told to end.
final class Probe {
    private Probe() {}

    public static void main(String[] args) throws Exception {
        if (args[1].equals("landlock")) {
            landlocked(Path.of(args[0]), Path.of(args[2]));
            return;
        }
        Sessions sessions = Sessions.builder(LinuxHost.at(Path.of("/")))
                .state(Path.of(args[0]))
                .limits(Limits.DEFAULT.closeGrace(Duration.ofMillis(300)))
                .environment(Environment.basic(System.getenv()))
                .build();
        SessionSpec spec = SessionSpec.of(List.of(args).subList(2, args.length));
        Session session = sessions.open(args[1].equals("pipe") ? spec.pipe() : spec);
        if (!args[1].equals("hold")) {
            session.awaitExit(Duration.ofSeconds(60));
            System.out.print(session.cursor().drainText(1 << 20).text());
            sessions.close();
        } else {
            session.cursor().await(Until.offset(1), Duration.ofSeconds(60));
            System.out.println("pid=" + session.snapshot().pid());
            System.out.flush();
            if (System.in.read() >= 0) {
                throw new IllegalStateException("nothing is ever said to a probe that holds");
            }
        }
    }

    /// In a JVM that is shared, and in one that is not.
    private static void landlocked(Path state, Path workspace) throws InterruptedException {
        for (boolean shared : new boolean[] {true, false}) {
            LinuxHost host = shared ? LinuxHost.at(workspace) : LinuxHost.inOwnProcess(workspace);
            host.sandboxedBy(List.of(Rooms.LANDLOCK));
            if (Sandboxes.root()) {
                host.runAs(Integer.toString(Sandboxes.NOBODY));
            }
            try (Sessions sessions = Sessions.builder(host).state(state).isolation(Isolation.NONE).build()) {
                Isolation open = Isolation.SANDBOX.protectedPaths(List.of());
                for (Isolation isolation : List.of(open, open, Isolation.LIMITS)) {
                    Session session = sessions.open(SessionSpec.of("/bin/echo", "in").pipe().isolation(isolation));
                    session.awaitExit(Duration.ofSeconds(60));
                    System.out.print(Objects.requireNonNull(session.snapshot().guard()).by() + ": "
                            + session.cursor().drainText(1 << 20).text());
                }
            }
        }
    }
}
