package dev.belay.server.attach;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.screens.QuestionMask.Part;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// What the express lane of a viewer has left to its sender. Owned by the thread that has the [Handover]'s turn.
final class ExpressLaneRest {
    private @Nullable Part unsent;
    private @Nullable Future<?> inFlight;
    private @Nullable Throwable failure;

    /// This was read and masked, but could not be sent.
    void unsent(Part part) {
        unsent = part;
    }

    /// This was sent, but the connection has not taken it yet, or never will.
    void inFlight(Future<?> message) {
        inFlight = message;
    }

    void failed(Throwable cause) {
        failure = cause;
    }

    /// Waits until the connection has taken what is in flight.
    ///
    /// @return what still has to be sent
    Optional<Part> finish(Duration stall) throws IOException, InterruptedException {
        if (failure != null) {
            throw new SessionException(ErrorCode.INTERNAL, "The express lane failed.", Map.of(), failure);
        }
        if (inFlight != null) {
            ViewerConnection.await(inFlight, stall);
            inFlight = null;
        }
        Optional<Part> part = Optional.ofNullable(unsent);
        unsent = null;
        return part;
    }
}
