package dev.belay.socketio;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/// Answers an event: once, at any time, from any thread.
public final class Ack {
    private final Socket socket;
    private final long id;
    private final AtomicBoolean answered;

    Ack(Socket socket, long id) {
        this.socket = socket;
        this.id = id;
        answered = new AtomicBoolean(id == SocketPacket.NO_ID);
    }

    /// Whether the client waits for an answer.
    public boolean wanted() {
        return !answered.get();
    }

    /// Answers the client. Does nothing if the client wants no answer or already has one.
    ///
    /// @param args the values to answer with, as in [Socket#emit]
    /// @return completes once the answer is written
    public CompletionStage<Void> reply(Object... args) {
        if (!answered.compareAndSet(false, true)) {
            return CompletableFuture.completedStage(null);
        }
        return socket.send(Encoder.ack(socket.namespace(), id, List.of(args)));
    }
}
