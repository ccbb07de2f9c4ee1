package dev.belay.server.ws;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.attach.Viewer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/// Waits for the message that says which session to open. If it is refused, the client may send another one. If none
/// comes in time, the connection is closed.
final class Opening implements Beginning {
    private enum Phase {
        /// For the client's message.
        WAITING,
        OPENING,
        /// The session is open, the client is gone, or its time is up.
        OVER
    }

    /// Opens a session and attaches a connection to it.
    @FunctionalInterface
    interface Opener {
        /// Does it, and may block.
        ///
        /// @return null if the connection is being closed
        @Nullable Viewer open(byte[] json, WebSocketViewer line) throws InterruptedException;
    }

    private final Opener opener;
    private final Scheduler scheduler;
    private final Duration patience;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);
    private volatile Scheduler.@Nullable Task timeout;

    /// @param patience how long the client may take, from when it has connected or was refused
    Opening(Opener opener, Scheduler scheduler, Duration patience) {
        this.opener = opener;
        this.scheduler = scheduler;
        this.patience = patience;
    }

    @Override
    public @Nullable Viewer connected(WebSocketViewer line) {
        await(line);
        return null;
    }

    private void await(WebSocketViewer line) {
        timeout = scheduler.schedule(() -> {
            if (phase.compareAndSet(Phase.WAITING, Phase.OVER)) {
                line.refusedForGood(new SessionException(
                        ErrorCode.TIMEOUT,
                        "Nothing was opened on this connection for " + patience.toMillis()
                                + " ms; connect again and send open."));
            }
        }, patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public @Nullable Viewer heard(ByteBuffer message, WebSocketViewer line) throws InterruptedException {
        if (message.get() != MessageKind.OPEN.code) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST, "This connection has no session yet; send open (0x18) first.");
        }
        if (!phase.compareAndSet(Phase.WAITING, Phase.OPENING)) {
            throw new SessionException(ErrorCode.TIMEOUT, "This connection is being closed; connect again.");
        }
        forgetTimeout();
        byte[] json = new byte[message.remaining()];
        message.get(json);
        boolean over = false;
        try {
            Viewer viewer = opener.open(json, line);
            over = true;
            return viewer;
        } finally {
            if (phase.compareAndSet(Phase.OPENING, over ? Phase.OVER : Phase.WAITING) && !over) {
                await(line);
            }
        }
    }

    @Override
    public void gone() {
        phase.set(Phase.OVER);
        forgetTimeout();
    }

    private void forgetTimeout() {
        Scheduler.Task pending = timeout;
        if (pending != null) {
            pending.cancel();
        }
    }
}
