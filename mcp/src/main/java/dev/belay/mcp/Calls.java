package dev.belay.mcp;

import dev.belay.host.Uninterrupted;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// The requests of a client that take their time, each on a virtual thread of its own.
final class Calls implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Calls.class.getName());

    private final Map<JsonNode, Thread> running = new ConcurrentHashMap<>();
    private volatile boolean closed;

    interface Work {
        /// The result of the request. An interrupt means that it was cancelled, or that the client has gone.
        JsonNode run() throws InterruptedException;
    }

    /// Begins one. A request that is cancelled gets no answer.
    Thread begin(JsonNode id, Work work, Consumer<JsonNode> replies) {
        Thread thread = Thread.ofVirtual().name("belay-call").unstarted(() -> {
            JsonNode answer = answer(id, work);
            if (running.remove(id) != null && answer != null) {
                replies.accept(answer);
            }
        });
        if (running.putIfAbsent(id, thread) != null) {
            throw new ProtocolException(
                    ProtocolException.INVALID_REQUEST, "A request with this id is already in progress.");
        }
        thread.start();
        if (closed) {
            thread.interrupt();
        }
        return thread;
    }

    private static @Nullable JsonNode answer(JsonNode id, Work work) {
        try {
            return Messages.result(id, work.run());
        } catch (InterruptedException _) {
            return null;
        } catch (ProtocolException e) {
            return Messages.error(id, e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "a call failed", e);
            return Messages.error(id, new ProtocolException(
                    ProtocolException.INTERNAL_ERROR, "Internal error (" + e + "); see Belay's log."));
        }
    }

    void cancel(@Nullable JsonNode id) {
        Thread call = id == null ? null : running.remove(id);
        if (call != null) {
            call.interrupt();
        }
    }

    /// Ends all, and waits for their ends.
    @Override
    public void close() {
        closed = true;
        List<Thread> left = List.copyOf(running.values());
        left.forEach(Thread::interrupt);
        left.forEach(call -> Uninterrupted.run(call::join));
    }
}
