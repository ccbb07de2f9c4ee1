package dev.belay.linux;

import dev.belay.Environment;
import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// A program that uses sessions, for tests that need a JVM of its own: `Probe STATE run|hold COMMAND...`.
///
/// `run` prints what the command prints; `hold` prints the leader's pid and waits until it is told to end.
final class Probe {
    private Probe() {}

    public static void main(String[] args) throws Exception {
        Sessions sessions = Sessions.builder(LinuxHost.at(Path.of("/")))
                .state(Path.of(args[0]))
                .limits(Limits.DEFAULT.closeGrace(Duration.ofMillis(300)))
                .environment(Environment.basic(System.getenv()))
                .build();
        Session session = sessions.open(SessionSpec.of(List.of(args).subList(2, args.length)));
        if (args[1].equals("run")) {
            session.awaitExit(Duration.ofSeconds(60));
            System.out.print(session.cursor().drainText(1 << 20).text());
            sessions.close();
        } else {
            System.out.println("pid=" + session.snapshot().pid());
            System.out.flush();
            if (System.in.read() >= 0) {
                throw new IllegalStateException("nothing is ever said to a probe that holds");
            }
        }
    }
}
