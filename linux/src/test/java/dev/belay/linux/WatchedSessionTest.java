package dev.belay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Approvals;
import dev.belay.ExecPolicy;
import dev.belay.Execution;
import dev.belay.Origin;
import dev.belay.Sessions;
import dev.belay.host.Host;
import dev.belay.testkit.SessionContract;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Watched sessions pass the contract.
@Tag("any-user")
@Tag("slow")
class WatchedSessionTest extends SessionContract implements LinuxInputContract {
    private final AtomicInteger judged = new AtomicInteger();

    @Override
    public Host host(Path workspace) {
        return LinuxHost.at(workspace);
    }

    /// [LinuxSessionTest] repeats often enough what happens rarely in the code that all sessions share.
    @Override
    public int times(int most) {
        return Math.max(5, most / 10);
    }

    @Override
    public Sessions closing(Sessions sessions) {
        sessions.approvals().settings(
                new Approvals.Settings(Set.of(Origin.LIBRARY), this::judge, Duration.ofMinutes(5), 32));
        return super.closing(sessions);
    }

    private ExecPolicy.Verdict judge(String owner, Execution execution) {
        judged.incrementAndGet();
        return ExecPolicy.Verdict.ALLOWED;
    }

    @Test
    void whatTheContractOpensIsWatched() throws InterruptedException {
        assertThat(allTextOf(piped("/bin/echo one; /bin/echo two"))).isEqualTo("one\ntwo\n");
        // The shell, and its two programs.
        assertThat(judged).hasValue(3);
    }
}
