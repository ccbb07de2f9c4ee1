package dev.belay.socketio;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/// Answers an event, once, at any time and from any thread.
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

    /// Answers the client. Does nothing if it asked for no answer, or has it already.
    ///
    /// @param args what to answer, as in [Socket#emit]
    /// @return done when the transport has taken it
    public CompletionStage<Void> reply(Object... args) {
        if (!answered.compareAndSet(false, true)) {
            return CompletableFuture.completedStage(null);
        }
        return socket.send(Encoder.ack(socket.namespace(), id, List.of(args)));
    }
}
