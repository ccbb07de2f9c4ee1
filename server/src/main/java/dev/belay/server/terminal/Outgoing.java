package dev.belay.server.terminal;

import dev.belay.server.attach.ViewerConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What is sent to one client by all its views and lists: in turns, and the next message when the last one was taken.
/// So a client that does not read holds back one message, not one for each session it views.
final class Outgoing {
    private final Semaphore turn = new Semaphore(1, true);
    private final Supplier<Duration> stall;

    /// @param stall how long a connection may take nothing
    Outgoing(Supplier<Duration> stall) {
        this.stall = stall;
    }

    /// Sends a message without waiting, if it is nobody else's turn. Its turn ends when the connection has taken it.
    ///
    /// @return null if nothing was sent
    @Nullable Future<?> offer(Supplier<CompletionStage<Void>> message) {
        if (!turn.tryAcquire()) {
            return null;
        }
        return message.get().whenComplete((_, _) -> turn.release()).toCompletableFuture();
    }

    /// Sends a message and waits until the connection has taken it.
    ///
    /// @throws java.io.InterruptedIOException if it takes nothing for too long
    void send(Supplier<CompletionStage<Void>> message) throws IOException, InterruptedException {
        Duration patience = stall.get();
        if (!turn.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            throw ViewerConnection.takesNothing();
        }
        try {
            ViewerConnection.await(message.get().toCompletableFuture(), patience);
        } finally {
            turn.release();
        }
    }
}
