package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.ErrorCode;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.server.auth.Login;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.ServerSettings.DoorSettings;
import dev.belay.testkit.MovedClock;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/// Terminals are opened at a pace: those that come early wait their turn in a short queue.
class CreationQueueTest extends WithServer {
    private static final int QUEUE = 3;
    /// So long that the time which the test itself takes does not matter.
    private static final Duration PACE = Duration.ofHours(10);

    private final MovedClock clock = new MovedClock();

    @Override
    Sessions.Builder refine(Sessions.Builder builder) {
        return builder.time(clock);
    }

    @Override
    ServerSettings settings() {
        DoorSettings standard = DoorSettings.DEFAULT;
        return super.settings().doors(new DoorSettings(
                standard.terminalIdleTimeout(), PACE, QUEUE, standard.reconnectGrace()));
    }

    private Login login(String token) {
        return server.authority().token(token, InetAddress.getLoopbackAddress());
    }

    private Session terminal(String token) throws InterruptedException {
        return server.access().of(login(token)).open(SessionSpec.of("cat").origin(dev.belay.Origin.TERMINAL));
    }

    @Test
    void thoseWhoWaitGetTheirTurnAndNoneBeforeIt() throws Exception {
        try (var openers = Executors.newVirtualThreadPerTaskExecutor()) {
            assertThat(terminal(ALICE).exit()).isEmpty();
            List<Future<Session>> opening = new ArrayList<>();
            for (int i = 0; i < QUEUE; i++) {
                opening.add(openers.submit(() -> terminal(ALICE)));
            }
            awaitWaiting(QUEUE);
            for (int left = QUEUE - 1; left >= 0; left--) {
                clock.pass(PACE.minusHours(1));
                assertThat(server.gate().waiting()).as("before the turn").isEqualTo(left + 1);
                clock.pass(Duration.ofHours(1));
                awaitWaiting(left);
            }
            for (Future<Session> one : opening) {
                assertThat(one.get().exit()).isEmpty();
            }
        }
        assertThat(api.get(ALICE, "/api/sessions").json().get("sessions")).hasSize(QUEUE + 1);
    }

    private void awaitWaiting(int count) {
        while (server.gate().waiting() != count) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void oneBeyondTheQueueIsRefusedAndThoseWhoGiveUpLeaveIt() throws Exception {
        assertThat(terminal(ALICE).exit()).isEmpty();
        List<CompletableFuture<Throwable>> ends = new ArrayList<>();
        List<Thread> waiting = new ArrayList<>();
        for (int i = 0; i < QUEUE; i++) {
            CompletableFuture<Throwable> end = new CompletableFuture<>();
            ends.add(end);
            waiting.add(Thread.ofVirtual().start(() -> {
                try {
                    terminal(ALICE);
                    end.complete(null);
                } catch (InterruptedException | SessionException e) {
                    end.complete(e);
                }
            }));
        }
        awaitWaiting(QUEUE);
        assertThat(api.get(ADMIN, "/metrics").text()).contains("belay_creations_waiting 3.0");
        SessionException refused = catchThrowableOfType(SessionException.class, () -> terminal(ALICE));
        assertThat(refused.code()).isEqualTo(ErrorCode.RATE_LIMITED);
        assertThat((long) refused.details().get("retry_after_ms")).isPositive();
        assertThat(server.gate().rateLimited()).isEqualTo(1);
        assertThat(terminal(BOB).exit()).as("somebody else's pace").isEmpty();
        assertThat(api.open(ALICE, "cat")).as("another door").isNotEmpty();
        waiting.forEach(Thread::interrupt);
        for (CompletableFuture<Throwable> end : ends) {
            assertThat(end.get()).isInstanceOf(InterruptedException.class);
        }
        assertThat(server.gate().waiting()).isZero();
    }
}
