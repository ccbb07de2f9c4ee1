package dev.belay.socketio;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.eclipse.jetty.util.IteratingCallback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/// One Engine.IO session: a client, the transport it uses at the moment, what waits to be sent, and the heartbeat.
///
/// The lock covers the fields and nothing else. Messages come in one at a time: a transport delivers the next one after
/// the last one returned, and only one transport delivers. They go out through the [Flusher], one batch at a time.
/// Memory is bounded in both directions: out by [Settings#maxPending], in by [#pause].
final class Connection {
    /// What is above Engine.IO. Called by the transport's threads, so it must not block.
    interface Listener {
        void text(String data) throws MalformedPacketException;

        void binary(byte[] data) throws MalformedPacketException;

        /// The most bytes that a message may have now.
        ///
        /// @param most the limit of the settings
        default int limit(int most) {
            return most;
        }

        /// Called once, when nothing more will be delivered and nothing more can be sent.
        void closed(DisconnectReason reason);
    }

    private enum State {
        OPEN,
        /// What is queued is still sent, then a close packet; nothing is received any more.
        CLOSING,
        CLOSED
    }

    /// A client has a GET, a POST and a WebSocket at a time, before or after their answers.
    private static final int MAX_ONCE_KNOWN = 8;

    private final Engine engine;
    private final String id;
    private final Handshake handshake;
    private final Listener listener;
    private final Flusher flusher = new Flusher();
    private final Object lock = new Object();

    // All guarded by the lock.
    private final SendQueue queue = new SendQueue();
    private State state = State.OPEN;
    private DisconnectReason reason = DisconnectReason.TRANSPORT_CLOSE;
    private Transport transport;
    private @Nullable WebSocket candidate;
    private boolean probed;
    private boolean paused;
    private @Nullable Runnable postponed;
    private Scheduler.@Nullable Task timer;
    private Scheduler.@Nullable Task upgradeTimer;
    private int beats;
    private boolean known;
    /// What to run once the client is known: one for each of its latest requests.
    private final Deque<Runnable> onceKnown = new ArrayDeque<>();

    Connection(Engine engine, String id, Handshake handshake, @Nullable WebSocket webSocket) {
        this.engine = engine;
        this.id = id;
        this.handshake = handshake;
        transport = webSocket == null ? new Polling(this) : webSocket;
        listener = engine.listen(this);
    }

    /// Starts the heartbeat and sends the open packet: called once the engine knows the connection.
    void open() {
        synchronized (lock) {
            if (state == State.OPEN) {
                queue.addFirst(Message.of(EnginePacket.Type.OPEN, engine.openData(id, transport instanceof Polling)));
                awaitPing();
            }
        }
        flusher.iterate();
    }

    String id() {
        return id;
    }

    Handshake handshake() {
        return handshake;
    }

    Engine engine() {
        return engine;
    }

    Object lock() {
        return lock;
    }

    /// The most bytes that a message of the client may have now.
    int maxPayload() {
        return listener.limit(engine.settings().maxPayload());
    }

    /// How many bytes wait for the transport or are being written.
    long pending() {
        synchronized (lock) {
            return queue.bytes();
        }
    }

    /// Whether what is sent now goes straight to a socket, neither encrypted nor kept for a poll.
    boolean isDirect() {
        synchronized (lock) {
            return transport instanceof WebSocket webSocket && webSocket.isPlain();
        }
    }

    /// The polling transport, unless the connection has been upgraded or was a WebSocket from the start.
    @Nullable Polling polling() {
        synchronized (lock) {
            return state != State.CLOSED && transport instanceof Polling polling ? polling : null;
        }
    }

    // Who

    /// Has something run once the client was let into a namespace; at once if it was.
    void onceKnown(Runnable task) {
        synchronized (lock) {
            if (!known) {
                onceKnown.addLast(task);
                if (onceKnown.size() > MAX_ONCE_KNOWN) {
                    onceKnown.removeFirst();
                }
                return;
            }
        }
        task.run();
    }

    /// The client was let into a namespace.
    void known() {
        List<Runnable> tasks;
        synchronized (lock) {
            known = true;
            tasks = List.copyOf(onceKnown);
            onceKnown.clear();
        }
        engine.known(this);
        tasks.forEach(Runnable::run);
    }

    // Out

    /// Queues a message behind all others. Never blocks.
    ///
    /// @return done when the transport has taken it; failed if it never will
    CompletionStage<Void> send(Message message) {
        DisconnectReason refusal = null;
        synchronized (lock) {
            if (state != State.OPEN) {
                refusal = reason;
            } else if (queue.bytes() > engine.settings().maxPending()) {
                refusal = DisconnectReason.OVERFLOW;
            } else {
                queue.add(message);
            }
        }
        if (refusal == null) {
            flusher.iterate();
        } else {
            // Does nothing to a connection that has ended.
            if (refusal == DisconnectReason.OVERFLOW) {
                end(DisconnectReason.OVERFLOW);
            }
            fail(List.of(message), refusal);
        }
        return message.taken();
    }

    /// Sends what can be sent: something was queued, or the transport can take something again.
    void flush() {
        flusher.iterate();
    }

    /// Moves batches from the queue to the transport, one at a time, on any thread.
    private final class Flusher extends IteratingCallback {
        @Override
        protected Action process() {
            Transport to;
            List<Frame> frames = new ArrayList<>();
            synchronized (lock) {
                boolean noop = queue.isEmpty() && probed && transport instanceof Polling;
                if (state == State.CLOSED || (queue.isEmpty() && !noop) || !transport.claim()) {
                    return Action.IDLE;
                }
                to = transport;
                if (noop) {
                    frames.add(EnginePacket.NOOP.frame());
                } else {
                    queue.nextBatch().forEach(message -> frames.addAll(message.frames()));
                }
            }
            to.send(frames, this);
            return Action.SCHEDULED;
        }

        @Override
        protected void onSuccess() {
            List<Message> sent;
            boolean last;
            synchronized (lock) {
                sent = queue.taken();
                last = state == State.CLOSING && queue.isEmpty();
            }
            sent.forEach(message -> message.taken().complete(null));
            if (last) {
                end(reason);
            }
        }

        @Override
        protected void onFailure(Throwable cause) {
            Log.LOG.log(System.Logger.Level.DEBUG, "sending failed", cause);
            end(DisconnectReason.TRANSPORT_ERROR);
        }
    }

    // In

    /// Takes a text packet from the transport in use.
    void receive(EnginePacket packet) throws MalformedPacketException {
        switch (packet.type()) {
            case MESSAGE -> {
                if (isOpen()) {
                    listener.text(packet.data());
                }
            }
            case PONG -> pong();
            // A poll of the client may still be on its way, and gets an answer.
            case CLOSE -> close(DisconnectReason.TRANSPORT_CLOSE, EnginePacket.NOOP, true);
            case NOOP -> {
            }
            case OPEN, PING, UPGRADE ->
                throw new MalformedPacketException("a client may not send a packet of type " + packet.type() + " now");
        }
    }

    /// Takes a binary message from the transport in use.
    void receive(byte[] data) throws MalformedPacketException {
        if (isOpen()) {
            listener.binary(data);
        }
    }

    private boolean isOpen() {
        synchronized (lock) {
            return state == State.OPEN;
        }
    }

    /// Asks the transport to deliver nothing more until [#resume].
    void pause() {
        synchronized (lock) {
            paused = true;
        }
    }

    void resume() {
        Runnable task;
        synchronized (lock) {
            paused = false;
            task = postponed;
            postponed = null;
        }
        if (task != null) {
            Thread.startVirtualThread(task);
        }
    }

    /// Keeps a transport's next step for later if the connection is paused.
    ///
    /// @return whether it was kept; if not, the transport goes on by itself
    boolean postpone(Runnable step) {
        synchronized (lock) {
            if (paused && state == State.OPEN) {
                postponed = step;
                return true;
            }
            return false;
        }
    }

    // Heartbeat

    private void awaitPing() {
        long due = System.nanoTime() + engine.settings().pingInterval().toNanos();
        timer = engine.schedule(engine.settings().pingInterval(), () -> ping(due));
    }

    private void ping(long due) {
        synchronized (lock) {
            if (state != State.OPEN) {
                return;
            }
            // Before all else that waits: a client on a slow line is alive as long as it reads.
            queue.addFirst(Message.of(EnginePacket.Type.PING, ""));
            int beat = beats;
            long late = System.nanoTime() - due;
            timer = engine.schedule(engine.settings().pingTimeout().minusNanos(late), () -> expire(beat));
        }
        flusher.iterate();
    }

    private void pong() {
        synchronized (lock) {
            if (state == State.OPEN) {
                beats++;
                cancel(timer);
                awaitPing();
            }
        }
    }

    private void expire(int beat) {
        synchronized (lock) {
            if (state != State.OPEN || beat != beats) {
                return;
            }
            if (postponed != null) {
                // The pong may be there: it is us who do not read.
                timer = engine.schedule(engine.settings().pingTimeout(), () -> expire(beat));
                return;
            }
        }
        end(DisconnectReason.PING_TIMEOUT);
    }

    // Upgrade

    /// A WebSocket with this connection's id: may it probe? Only one at a time may, and only of a polling client.
    boolean offer(WebSocket webSocket) {
        synchronized (lock) {
            if (state != State.OPEN || candidate != null || !(transport instanceof Polling)) {
                return false;
            }
            candidate = webSocket;
            upgradeTimer = engine.schedule(engine.settings().upgradeTimeout(), () -> tooLate(webSocket));
            return true;
        }
    }

    /// The candidate has probed: from now on polls are answered at once, so that the client can stop polling.
    void probe() {
        synchronized (lock) {
            probed = true;
        }
        flusher.iterate();
    }

    /// The candidate becomes the transport.
    ///
    /// @return whether it does; not if it has not probed, came too late, or a request of the old transport still
    ///     delivers
    boolean upgrade(WebSocket webSocket) {
        Transport old;
        synchronized (lock) {
            if (state != State.OPEN || candidate != webSocket || !probed || !(transport instanceof Polling polling)
                    || polling.delivers()) {
                return false;
            }
            old = transport;
            transport = webSocket;
            candidate = null;
            probed = false;
            cancel(upgradeTimer);
        }
        engine.upgraded();
        old.end(EnginePacket.NOOP, false);
        flusher.iterate();
        return true;
    }

    private void tooLate(WebSocket webSocket) {
        if (withdraw(webSocket)) {
            webSocket.end(EnginePacket.CLOSE, true);
        }
    }

    /// A candidate takes part no more; the client goes on polling.
    ///
    /// @return whether it was the candidate
    boolean withdraw(WebSocket webSocket) {
        synchronized (lock) {
            if (candidate != webSocket) {
                return false;
            }
            candidate = null;
            probed = false;
            cancel(upgradeTimer);
            return true;
        }
    }

    /// A WebSocket is gone: the end if it was the transport.
    void lost(WebSocket webSocket, DisconnectReason why) {
        boolean inUse;
        synchronized (lock) {
            inUse = transport == webSocket;
        }
        if (!withdraw(webSocket) && inUse) {
            end(why);
        }
    }

    // The end

    /// Sends what is queued and then closes; at once after the ping timeout if the client does not take it.
    void close(DisconnectReason why) {
        close(why, EnginePacket.CLOSE, false);
    }

    private void close(DisconnectReason why, EnginePacket farewell, boolean drop) {
        List<Message> dropped;
        synchronized (lock) {
            if (state != State.OPEN) {
                return;
            }
            state = State.CLOSING;
            reason = why;
            dropped = drop ? queue.dropWaiting() : List.of();
            queue.add(Message.of(List.of(farewell.frame())));
            cancel(timer);
            timer = engine.schedule(engine.settings().pingTimeout(), () -> end(DisconnectReason.TRANSPORT_ERROR));
        }
        fail(dropped, why);
        listener.closed(why);
        resume();
        flusher.iterate();
    }

    /// Closes now: what is queued is dropped.
    void end(DisconnectReason why) {
        List<Message> dropped;
        Transport old;
        WebSocket probing;
        boolean first;
        synchronized (lock) {
            if (state == State.CLOSED) {
                return;
            }
            first = state == State.OPEN;
            state = State.CLOSED;
            if (first) {
                reason = why;
            }
            dropped = queue.dropAll();
            old = transport;
            probing = candidate;
            candidate = null;
            cancel(timer);
            cancel(upgradeTimer);
        }
        engine.forget(this, reason);
        boolean atOnce = why == DisconnectReason.PING_TIMEOUT || why == DisconnectReason.OVERFLOW
                || why == DisconnectReason.TRANSPORT_ERROR;
        old.end(EnginePacket.CLOSE, atOnce);
        if (probing != null) {
            probing.end(EnginePacket.CLOSE, atOnce);
        }
        fail(dropped, reason);
        if (first) {
            listener.closed(why);
        }
        resume(); // a request that was held back gets its answer
    }

    private static void fail(List<Message> dropped, DisconnectReason why) {
        if (!dropped.isEmpty()) {
            DisconnectedException failure = new DisconnectedException(why);
            dropped.forEach(message -> message.taken().completeExceptionally(failure));
        }
    }

    private static void cancel(Scheduler.@Nullable Task task) {
        if (task != null) {
            task.cancel();
        }
    }
}
