package dev.belay.linux;

import dev.belay.Approval;
import dev.belay.Approval.Answer;
import dev.belay.Approval.Scope;
import dev.belay.ApprovalListener;
import dev.belay.Approvals;
import dev.belay.Environment;
import dev.belay.ExecPolicy.Action;
import dev.belay.ExecPolicy.Verdict;
import dev.belay.Origin;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/// A program with a watched session, for tests that need a separate JVM: `WatchProbe STATE WORKSPACE ask|run SCRIPT`.
/// `id` and `uname` need an answer.
///
/// `ask` allows `id` for the workspace, prints the leader's pid when `uname` is held, and waits. `run` prints the
/// output; nobody can be asked there.
final class WatchProbe {
    private WatchProbe() {}

    public static void main(String[] args) throws Exception {
        Sessions sessions = Sessions.builder(LinuxHost.at(Path.of(args[1])))
                .state(Path.of(args[0]))
                .environment(new Environment(Map.of("PATH", "/bin")))
                .build();
        Approvals approvals = sessions.approvals();
        approvals.settings(new Approvals.Settings(
                Set.of(Origin.LIBRARY),
                (_, execution) -> Set.of("id", "uname").contains(execution.first().name())
                        ? new Verdict(Action.ASK, "ask")
                        : Verdict.ALLOWED,
                Duration.ofMinutes(5), 32));
        SessionSpec spec = SessionSpec.of("/bin/sh", "-c", args[3]).pipe();
        if (args[2].equals("run")) {
            Session session = sessions.open(spec);
            session.awaitExit(Duration.ofSeconds(60));
            System.out.print(session.cursor().drainText(1 << 20).text());
            sessions.close();
            return;
        }
        approvals.attend();
        approvals.addListener(new ApprovalListener() {
            @Override
            public void asked(Approval approval) {
                if (approval.program().endsWith("/id")) {
                    approvals.answer(approval.id(), "ada", new Answer(true, Scope.WORKSPACE, null));
                } else {
                    System.out.println("pid=" + sessions.get(approval.session()).snapshot().pid());
                }
            }
        });
        sessions.open(spec);
        if (System.in.read() >= 0) {
            throw new IllegalStateException("nothing is ever said to a probe that waits");
        }
    }
}
