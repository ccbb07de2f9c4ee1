package dev.belay.server.attach;

import dev.belay.ExitStatus;
import dev.belay.ReadResult.Gap;
import dev.belay.SessionRecord;
import dev.belay.Size;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The connection of a viewer, as its one sender uses it.
///
/// Every method but [#closed] may block until the connection has taken the message, and should: that is what keeps a
/// connection that does not read from piling anything up. Called on the viewer's own virtual thread, one call at a time,
/// never again after [#closed]. An [IOException] means that the other side is gone, and ends the viewer.
public interface Line {
    /// The first message: what is viewed, and the offset that the output begins with.
    ///
    /// @param size the terminal's size at that offset; null for pipes
    void attached(SessionRecord session, long from, @Nullable Size size) throws IOException, InterruptedException;

    void output(long offset, byte[] bytes) throws IOException, InterruptedException;

    /// Bytes that cannot be had; the next output begins at [Gap#next()].
    void gap(Gap gap) throws IOException, InterruptedException;

    /// From the next output on the terminal has this size.
    void resized(Size size) throws IOException, InterruptedException;

    /// The keyboard has changed hands.
    ///
    /// @param holder null: nobody's
    void lease(@Nullable String holder) throws IOException, InterruptedException;

    /// The leader has ended, and all it wrote has been sent.
    void exit(ExitStatus exit, long offset) throws IOException, InterruptedException;

    /// Nothing has happened for a third of the time after which a connection counts as stalled: a moment to see whether
    /// the other side is still there.
    default void quiet() throws IOException, InterruptedException {}

    /// The last message. Does not block.
    void closed(Parting parting);

    /// Waits until a connection has taken a message; one that takes nothing for so long is given up.
    static void await(Future<?> taken, Duration stall) throws IOException, InterruptedException {
        try {
            taken.get(stall.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (TimeoutException _) {
            throw takesNothing();
        }
    }

    /// What ends a viewer whose connection takes nothing.
    static InterruptedIOException takesNothing() {
        return new InterruptedIOException("the connection takes nothing");
    }
}
