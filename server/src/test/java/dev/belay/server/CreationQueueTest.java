package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.ErrorCode;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.server.auth.Login;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.ServerSettings.DoorSettings;
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

    @Override
    ServerSettings settings() {
        return settings(Duration.ofMillis(200));
    }

    private ServerSettings settings(Duration pace) {
        DoorSettings standard = DoorSettings.DEFAULT;
        return super.settings().doors(new DoorSettings(
                standard.terminalIdleTimeout(), pace, QUEUE, standard.reconnectGrace()));
    }

    private Login login(String token) {
        return server.authority().token(token, InetAddress.getLoopbackAddress());
    }

    private Session terminal(String token) throws InterruptedException {
        return server.access().of(login(token)).open(SessionSpec.of("cat").origin(dev.belay.Origin.TERMINAL));
    }

    @Test
    void thoseWhoWaitGetTheirTurnAndNoneBeforeIt() throws Exception {
        long began = System.nanoTime();
        List<Future<Session>> opening = new ArrayList<>();
        try (var openers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i <= QUEUE; i++) {
                opening.add(openers.submit(() -> terminal(ALICE)));
            }
            for (Future<Session> one : opening) {
                assertThat(one.get().exit()).isEmpty();
            }
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(Duration.ofMillis(QUEUE * 200L));
        assertThat(server.gate().waiting()).isZero();
        assertThat(api.get(ALICE, "/api/sessions").json().get("sessions")).hasSize(QUEUE + 1);
    }

    @Test
    void oneBeyondTheQueueIsRefusedAndThoseWhoGiveUpLeaveIt() throws Exception {
        server.reload(settings(Duration.ofHours(1)));
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
        while (server.gate().waiting() < QUEUE) {
            LockSupport.parkNanos(1_000_000);
        }
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
