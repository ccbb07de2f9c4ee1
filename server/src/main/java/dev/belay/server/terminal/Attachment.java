package dev.belay.server.terminal;

import dev.belay.Session;
import dev.belay.server.attach.InputQueue;
import dev.belay.server.attach.Viewer;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// A client's view of one session, from the request until its last message.
final class Attachment {
    private final InputQueue inputs;
    private final Session session;
    private final @Nullable String owner;
    private final CompletableFuture<Viewer> viewer = new CompletableFuture<>();
    private final CountDownLatch ended = new CountDownLatch(1);

    /// @param owner        as the client named them; null: it did not
    /// @param roomForInput how many bytes of input may wait
    Attachment(Session session, @Nullable String owner, int roomForInput) {
        this.session = session;
        this.owner = owner;
        this.inputs = new InputQueue(roomForInput);
    }

    /// Whether a client means this one.
    boolean isAt(String id, @Nullable String named) {
        return session.id().equals(id) && (named == null ? owner == null : session.spec().owner().equals(named));
    }

    boolean isOf(String id) {
        return session.id().equals(id);
    }

    InputQueue inputs() {
        return inputs;
    }

    void started(Viewer started) {
        viewer.complete(started);
    }

    /// It was refused, or is over.
    void ended() {
        viewer.cancel(false);
        ended.countDown();
    }

    /// The viewer, if it was not refused. Waits until that is decided.
    Optional<Viewer> viewer() {
        try {
            return Optional.of(viewer.join());
        } catch (CancellationException _) {
            return Optional.empty();
        }
    }

    /// The viewer, if it is known by now. Does not wait.
    @Nullable Viewer viewerNow() {
        return viewer.state() == Future.State.SUCCESS ? viewer.resultNow() : null;
    }

    /// Detaches from the session; at once, or as soon as it is attached.
    void close() {
        var _ = viewer.thenAccept(Viewer::close);
    }

    void awaitEnd() throws InterruptedException {
        ended.await();
    }
}
