package dev.belay.server.attach;

import dev.belay.Approval;
import dev.belay.ExitStatus;
import dev.belay.ReadResult.Gap;
import dev.belay.SessionRecord;
import dev.belay.Size;
import dev.belay.screens.Repaint;
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
/// Every method except [#offer] and [#closed] may block until the connection has taken the message, and should: that is
/// what keeps a connection that does not read from piling anything up. They are called on the viewer's own virtual
/// thread, one call at a time, never again after [#closed]. An [IOException] means that the other side is gone, and
/// ends the viewer.
public interface ViewerConnection {
    /// The first message: what is viewed, and the offset that the output begins with.
    ///
    /// @param size the terminal's size at that offset; null for pipes
    void attached(SessionRecord session, long from, @Nullable Size size) throws IOException, InterruptedException;

    void output(long offset, byte[] bytes) throws IOException, InterruptedException;

    /// Sends a little output without waiting, if that can be tried. Unlike all other methods it is called on the host's
    /// loop, while the sender waits: it never blocks, and takes no lock that a slow connection may hold.
    ///
    /// @return done when the connection has taken the message, at most one, which the sender waits for; null if nothing
    ///         was sent
    default @Nullable Future<?> offer(long offset, byte[] bytes) {
        return null;
    }

    /// Bytes that are not available; the next output begins at [Gap#next()].
    void gap(Gap gap) throws IOException, InterruptedException;

    /// The picture at an offset, for a terminal that is reset and sized first. Output continues at its offset.
    void screen(Repaint paint, RepaintReason why) throws IOException, InterruptedException;

    /// From the next output on the terminal has this size.
    void resized(Size size) throws IOException, InterruptedException;

    /// The keyboard has changed hands.
    ///
    /// @param holder null: nobody
    void lease(@Nullable String holder, boolean isPrivate) throws IOException, InterruptedException;

    /// A program of the session needs an approval, or more processes wait for it.
    void approval(Approval approval) throws IOException, InterruptedException;

    /// A question is closed; its state says how.
    void approvalClosed(Approval approval) throws IOException, InterruptedException;

    /// The leader has ended, and all it wrote has been sent.
    void exit(ExitStatus exit, long offset) throws IOException, InterruptedException;

    /// Nothing has happened for a third, or up to two thirds, of the time after which a connection counts as stalled: a
    /// moment to see whether the other side is still there.
    default void quiet() throws IOException, InterruptedException {}

    /// The last message. Does not block.
    void closed(DetachReason why);

    /// Waits until a connection has taken a message; gives up on a connection that takes nothing for this long.
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
        return new InterruptedIOException("the connection accepts no data");
    }
}
