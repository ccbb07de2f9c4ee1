package dev.belay.socketio;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/// The body of a request, read within a size and a time. A client that sends a byte now and then gains nothing by it.
///
/// Jetty lets only one thread at a time touch a request's content, and `Request.fail` touches it: it discards what has
/// arrived. The lock makes reading and failing take turns; a request is never failed once its body is done. Never
/// blocks.
public final class RequestBody implements Runnable {
    /// How the reading ended.
    public enum End {
        /// The whole body is there.
        WHOLE,
        /// It is larger than allowed.
        TOO_LARGE,
        /// It did not arrive in time.
        LATE,
        /// The connection ended too early, or the body is malformed.
        BROKEN,
        /// Nobody wants it any more, see [RequestBody#giveUp()].
        GIVEN_UP
    }

    /// What came of it.
    ///
    /// @param bytes the body if it is whole, else nothing
    /// @param cause what broke it, if something did
    @SuppressWarnings("ArrayRecordComponent")
    public record Received(End end, byte[] bytes, @Nullable Throwable cause) {}

    private static final byte[] NOTHING = {};

    private final Request request;
    private final int most;
    private final long dropped;
    private final CompletableFuture<Received> received = new CompletableFuture<>();
    private final Scheduler.Task deadline;
    private final Object lock = new Object();

    // Guarded by the lock.
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private long size;
    private boolean done;

    private RequestBody(Request request, int most, long dropped, Duration time) {
        this.request = request;
        this.most = most;
        this.dropped = dropped;
        deadline = request.getComponents().getScheduler().schedule(
                () -> Thread.startVirtualThread(() -> fail(End.LATE)), time.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// Starts to read.
    ///
    /// @param most    the most bytes that it may have
    /// @param dropped how many bytes of a larger one are read and dropped, so that its client gets to read the answer
    /// @param time    how long it may take to arrive
    public static RequestBody read(Request request, int most, long dropped, Duration time) {
        RequestBody body = new RequestBody(request, most, dropped, time);
        if (request.getLength() > most + dropped) {
            body.finish(End.TOO_LARGE, null);
        } else {
            body.run();
        }
        return body;
    }

    /// Done when the reading has ended, in whatever way.
    public CompletionStage<Received> received() {
        return received;
    }

    /// The same, for threads that may block.
    public Received await() {
        return received.join();
    }

    /// Ends the reading; does nothing to one that has ended.
    public void giveUp() {
        fail(End.GIVEN_UP);
    }

    /// Reads what has arrived: called by Jetty when there is more.
    @Override
    public void run() {
        End end = null;
        Throwable cause = null;
        while (end == null) {
            synchronized (lock) {
                if (done) {
                    return;
                }
                Content.Chunk chunk = request.read();
                if (chunk == null) {
                    request.demand(this);
                    return;
                }
                if (Content.Chunk.isFailure(chunk)) {
                    end = End.BROKEN;
                    cause = chunk.getFailure();
                } else {
                    end = take(chunk);
                }
                done = end != null;
            }
        }
        complete(end, cause);
    }

    /// @return the end, if this is it
    private @Nullable End take(Content.Chunk chunk) {
        size += chunk.remaining();
        if (size <= most) {
            body.writeBytes(BufferUtil.toArray(chunk.getByteBuffer()));
        }
        boolean last = chunk.isLast();
        chunk.release();
        if (last) {
            return size <= most ? End.WHOLE : End.TOO_LARGE;
        }
        return size > most + dropped ? End.TOO_LARGE : null;
    }

    private void fail(End end) {
        synchronized (lock) {
            if (done) {
                return;
            }
            done = true;
            // Takes back the demand, so that the request can be answered.
            request.fail(new TimeoutException("the body was given up"));
        }
        complete(end, null);
    }

    private void finish(End end, @Nullable Throwable cause) {
        synchronized (lock) {
            done = true;
        }
        complete(end, cause);
    }

    private void complete(End end, @Nullable Throwable cause) {
        deadline.cancel();
        byte[] bytes;
        synchronized (lock) {
            bytes = end == End.WHOLE ? body.toByteArray() : NOTHING;
            body.reset();
        }
        received.complete(new Received(end, bytes, cause));
    }
}
