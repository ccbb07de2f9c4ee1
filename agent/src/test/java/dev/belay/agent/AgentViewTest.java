package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.access.Capacity;
import dev.belay.access.Gate;
import dev.belay.access.Principal;
import dev.belay.access.Quota;
import dev.belay.access.Role;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// The tools reach only what the gate lets their principal reach.
class AgentViewTest extends AgentRig {
    private AgentTools of(Supplier<Principal> principal) {
        Gate gate = new Gate(sessions, () -> Capacity.UNKNOWN, () -> Gate.Settings.DEFAULT);
        return new AgentTools(gate.agent(principal), screens, () -> SETTINGS, new CallTurns());
    }

    @Test
    void aPrincipalThatIsSignedOutLosesEveryToolAtOnce() throws Exception {
        AtomicReference<Role> role = new AtomicReference<>(Role.USER);
        AgentTools ada = of(() -> {
            if (role.get() == null) {
                throw new SessionException(ErrorCode.UNAUTHENTICATED, "Signed out.");
            }
            return new Principal("ada", role.get(), Quota.DEFAULT);
        });
        String cat = ada.unifiedExec(ExecRequest.of("cat")).sessionId();
        role.set(null);

        refused(ada.unifiedExec(ExecRequest.of("true")), ErrorCode.UNAUTHENTICATED);
        refused(ada.writeStdin(WriteRequest.to(cat, "x\n")), ErrorCode.UNAUTHENTICATED);
        assertThat(ada.readOutput(ReadRequest.from(cat, 0)).error().code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(ada.listPtySessions().error().code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(ada.closePtySession(cat, true).error().code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(sessions.get(cat).exit()).isEmpty();
    }

    @Test
    void aWatcherReadsEverySessionAndChangesNone() throws Exception {
        String id = start("echo ready; cat", "ready").sessionId();
        AgentTools watcher = of(() -> new Principal("wanda", Role.WATCH, Quota.DEFAULT));

        assertThat(watcher.listPtySessions().sessions()).hasSize(1);
        assertThat(watcher.readOutput(ReadRequest.from(id, 0)).output()).contains("ready");
        refused(watcher.unifiedExec(ExecRequest.of("true")), ErrorCode.DENIED);
        refused(watcher.writeStdin(WriteRequest.to(id, "x\n")), ErrorCode.DENIED);
        assertThat(watcher.closePtySession(id, true).error().code()).isEqualTo(ErrorCode.DENIED);
        assertThat(sessions.get(id).exit()).isEmpty();
    }
}
