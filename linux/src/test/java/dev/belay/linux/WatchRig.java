package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Approval;
import dev.belay.Approval.Check;
import dev.belay.ApprovalListener;
import dev.belay.Approvals;
import dev.belay.Environment;
import dev.belay.ExecPolicy;
import dev.belay.ExecPolicy.Action;
import dev.belay.ExecPolicy.Verdict;
import dev.belay.Execution;
import dev.belay.Guard;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.testkit.LeakCheck;
import dev.belay.testkit.Rig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Watched sessions, and what is told about them. After each test, nothing may be left.
@ExtendWith(LeakCheck.class)
@Timeout(120)
abstract class WatchRig {
    @TempDir
    Path folder = Path.of("");

    private @Nullable Sessions opened;
    @Nullable Runnable attends;
    final LinkedBlockingQueue<Approval> closed = new LinkedBlockingQueue<>();
    final LinkedBlockingQueue<Approval> denied = new LinkedBlockingQueue<>();
    final LinkedBlockingQueue<Check> checks = new LinkedBlockingQueue<>();
    final LinkedBlockingQueue<Execution> seen = new LinkedBlockingQueue<>();

    /// `uname` needs an answer, `arch` is denied, all else may start.
    Verdict judge(Execution execution) {
        seen.add(execution);
        for (Execution.Image image : execution.images()) {
            String name = image.name();
            String called = image.words().isEmpty() ? "" : image.words().getFirst();
            if (name.equals("arch") || called.endsWith("/arch")) {
                return new Verdict(Action.DENY, "no-arch");
            }
            if (name.equals("uname") || !image.named()) {
                return new Verdict(Action.ASK, "ask-uname");
            }
        }
        return Verdict.ALLOWED;
    }

    @BeforeEach
    void open() throws Exception {
        folder = folder.toRealPath();
        Files.createDirectories(folder.resolve("workspace"));
        Sessions sessions = Sessions.builder(Sandboxes.host(folder.resolve("workspace")))
                .state(folder.resolve("state"))
                .environment(new Environment(Map.of("PATH", ProgramLookup.DEFAULT_PATH, "HOME", "/home/somebody")))
                .build();
        opened = sessions;
        sessions.approvals().settings(settings((_, execution) -> judge(execution)));
        sessions.approvals().addListener(new ApprovalListener() {
            @Override
            public void closed(Approval approval) {
                closed.add(approval);
            }

            @Override
            public void denied(Approval approval) {
                denied.add(approval);
            }

            @Override
            public void checked(Approval approval, Check check) {
                checks.add(check);
            }
        });
        attends = sessions.approvals().attend();
    }

    static Approvals.Settings settings(ExecPolicy policy) {
        return new Approvals.Settings(Set.of(), policy, Duration.ofMinutes(5), 32);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        sessions().close();
        assertThat(Rig.marked(sessions().instance() + "/")).as("processes").isEmpty();
    }

    Sessions sessions() {
        return Objects.requireNonNull(opened);
    }

    Approvals approvals() {
        return sessions().approvals();
    }

    Session watched(String... command) {
        return sessions().open(SessionSpec.of(command).pipe().guard(Guard.NONE.watched(true)));
    }

    Approval question() throws InterruptedException {
        Approvals.Pending now = approvals().pending();
        while (now.approvals().isEmpty()) {
            now = approvals().next(now.revision(), Rig.PATIENCE);
        }
        return now.approvals().getFirst();
    }

    static <T> T next(LinkedBlockingQueue<T> queue) throws InterruptedException {
        return Objects.requireNonNull(queue.poll(Rig.PATIENCE.toSeconds(), TimeUnit.SECONDS), "nothing came");
    }

    static String output(Session session) throws InterruptedException {
        assertThat(session.awaitExit(Rig.PATIENCE)).isPresent();
        return session.cursor().drainText(1 << 16).text();
    }
}
