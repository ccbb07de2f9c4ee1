package dev.belay.server.terminal;

import dev.belay.server.attach.Viewer;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/// A client's view of one session, from the moment it is asked for until nothing more will be sent of it.
final class Attachment {
    private final Lane inputs = new Lane();
    private final CompletableFuture<Viewer> viewer = new CompletableFuture<>();
    private final CountDownLatch ended = new CountDownLatch(1);

    Lane inputs() {
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

    /// Lets go of the session; at once, or as soon as it is attached.
    void close() {
        var _ = viewer.thenAccept(Viewer::close);
    }

    void awaitEnd() throws InterruptedException {
        ended.await();
    }
}
