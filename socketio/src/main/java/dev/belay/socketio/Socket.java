package dev.belay.socketio;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// A client in a namespace: events to it and from it.
///
/// All methods may be called from any thread and none blocks. What is sent arrives in the order of the calls. Binary
/// values are sent as they are: do not change an array or a buffer before the transport has taken it.
///
/// A client may read slowly. [#emit] says when the transport has taken an event: who sends much waits for that before
/// the next one. Who does not wait fills the queue of the connection, and beyond its limit the connection is closed.
public final class Socket {
    private sealed interface State {
        record Connecting() implements State {}

        record Connected() implements State {}

        record Disconnected(DisconnectReason reason) implements State {}
    }

    private record Pending(CompletableFuture<List<JsonNode>> answer, Scheduler.Task timer) {}

    private final String id;
    private final String namespace;
    private final Client client;
    private final Handshake handshake;
    private final Inbox inbox = new Inbox();
    private final AtomicReference<State> state = new AtomicReference<>(new State.Connecting());
    private final Map<String, EventHandler> handlers = new ConcurrentHashMap<>();
    private final Map<Long, Pending> unanswered = new ConcurrentHashMap<>();
    private final AtomicLong nextId = new AtomicLong();
    private volatile Consumer<DisconnectReason> onDisconnect = _ -> {};

    Socket(String id, String namespace, Client client, Handshake handshake) {
        this.id = id;
        this.namespace = namespace;
        this.client = client;
        this.handshake = handshake;
    }

    /// The id that the client knows as `socket.id`.
    public String id() {
        return id;
    }

    /// The name of the namespace, as in `/`.
    public String namespace() {
        return namespace;
    }

    /// What is known of the client.
    public Handshake handshake() {
        return handshake;
    }

    /// Whether events can be sent.
    public boolean connected() {
        return state.get() instanceof State.Connected;
    }

    /// How many bytes wait to be sent on the connection of this socket.
    public long pendingBytes() {
        return client.connection().pending();
    }

    /// Handles an event; a second handler of the same event replaces the first. Events without a handler are ignored.
    ///
    /// @return this socket
    public Socket on(String event, EventHandler handler) {
        handlers.put(event, handler);
        return this;
    }

    /// Called once when the socket is disconnected, after its last event.
    ///
    /// @return this socket
    public Socket onDisconnect(Consumer<DisconnectReason> handler) {
        onDisconnect = handler;
        return this;
    }

    /// Sends an event.
    ///
    /// @param event its name
    /// @param args what Jackson can write as JSON; `byte[]` and `ByteBuffer`, also inside, become attachments
    /// @return done when the transport has taken it, failed with a [DisconnectedException] if it never will. What is
    /// chained to it without a thread of its own should be short.
    public CompletionStage<Void> emit(String event, Object... args) {
        return send(Encoder.event(namespace, SocketPacket.NO_ID, data(event, args)));
    }

    /// Sends an event that the client is to answer.
    ///
    /// @param timeout how long to wait for that
    /// @param event its name
    /// @param args as for [#emit]
    /// @return the answer; failed with a [TimeoutException] if there is none in time, with a [DisconnectedException] if
    /// there never will be one
    public CompletableFuture<List<JsonNode>> emitWithAck(Duration timeout, String event, Object... args) {
        long number = nextId.getAndIncrement();
        Message message = Encoder.event(namespace, number, data(event, args));
        CompletableFuture<List<JsonNode>> answer = new CompletableFuture<>();
        Scheduler.Task timer = client.connection().engine().schedule(timeout, () -> {
            unanswered.remove(number);
            answer.completeExceptionally(new TimeoutException("no answer to " + event + " within " + timeout));
        });
        unanswered.put(number, new Pending(answer, timer));
        send(message).whenComplete((_, failure) -> {
            if (failure != null) {
                fail(number, failure);
            }
        });
        if (state.get() instanceof State.Disconnected(DisconnectReason reason)) {
            fail(number, new DisconnectedException(reason));
        }
        return answer;
    }

    /// Makes the client leave the namespace. Its connection stays, for other namespaces.
    public void disconnect() {
        if (disconnected(DisconnectReason.SERVER_DISCONNECT)) {
            client.connection().send(Encoder.plain(SocketPacket.Type.DISCONNECT, namespace, null));
        }
    }

    /// Makes the client leave all namespaces: what was sent before is still delivered, then the connection is closed.
    public void close() {
        client.connection().close(DisconnectReason.FORCED_CLOSE);
    }

    private static List<Object> data(String event, Object[] args) {
        if (SocketPacket.RESERVED.contains(event)) {
            throw new IllegalArgumentException(event + " is a reserved name: choose another for the event");
        }
        List<Object> data = new ArrayList<>(args.length + 1);
        data.add(event);
        data.addAll(Arrays.asList(args));
        return data;
    }

    CompletionStage<Void> send(Message message) {
        if (state.get() instanceof State.Disconnected(DisconnectReason reason)) {
            return CompletableFuture.failedStage(new DisconnectedException(reason));
        }
        return client.connection().send(message);
    }

    /// Whether it has left, or was not let in.
    boolean gone() {
        return state.get() instanceof State.Disconnected;
    }

    // What the client does

    /// Asks the namespace, then tells the client; its events are handled after that.
    void connect(Namespace gate) {
        inbox.add(() -> {
            switch (decide(gate)) {
                case Admission.Refused(String message, Object data) -> {
                    if (disconnected(DisconnectReason.SERVER_DISCONNECT)) {
                        client.connection()
                                .send(Encoder.plain(SocketPacket.Type.CONNECT_ERROR, namespace, error(message, data)));
                    }
                }
                case Admission.Accepted(Consumer<Socket> start) -> {
                    if (state.get() instanceof State.Connecting connecting
                            && state.compareAndSet(connecting, new State.Connected())) {
                        client.entered();
                        client.connection()
                                .send(Encoder.plain(SocketPacket.Type.CONNECT, namespace, Map.of("sid", id)));
                        start.accept(this);
                    }
                }
            }
        });
    }

    private Admission decide(Namespace gate) {
        try {
            return gate.admit(handshake);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Admission.refuse("Interrupted");
        } catch (Exception e) {
            Log.LOG.log(System.Logger.Level.WARNING, "a namespace could not decide", e);
            return Admission.refuse("Internal error");
        }
    }

    static Map<String, Object> error(String message, @Nullable Object data) {
        Map<String, Object> error = new LinkedHashMap<>();
        error.put("message", message);
        if (data != null) {
            error.put("data", data);
        }
        return error;
    }

    void event(SocketPacket packet, Runnable done) {
        inbox.add(() -> {
            try {
                EventHandler handler = handlers.get(packet.event());
                if (handler != null && packet.data() != null) {
                    List<JsonNode> all = List.copyOf(packet.data().values());
                    handler.on(all.subList(1, all.size()), new Ack(this, packet.id()));
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                Log.LOG.log(System.Logger.Level.WARNING, "a handler failed", e);
            } finally {
                done.run();
            }
        });
    }

    /// Not through the inbox: a handler may wait for an answer.
    void answer(SocketPacket packet) {
        Pending pending = unanswered.remove(packet.id());
        JsonNode data = packet.data();
        if (pending != null && data != null) {
            pending.timer.cancel();
            Thread.startVirtualThread(() -> pending.answer.complete(List.copyOf(data.values())));
        }
    }

    private void fail(long number, Throwable failure) {
        Pending pending = unanswered.remove(number);
        if (pending != null) {
            pending.timer.cancel();
            Thread.startVirtualThread(() -> pending.answer.completeExceptionally(failure));
        }
    }

    /// Notes the end of this socket; handlers learn of it after the last event.
    ///
    /// @return whether it was not noted before
    boolean disconnected(DisconnectReason reason) {
        State before =
                state.getAndUpdate(now -> now instanceof State.Disconnected ? now : new State.Disconnected(reason));
        if (before instanceof State.Disconnected) {
            return false;
        }
        client.left(before instanceof State.Connected);
        unanswered.keySet().forEach(number -> fail(number, new DisconnectedException(reason)));
        if (before instanceof State.Connected) {
            inbox.add(() -> onDisconnect.accept(reason));
        }
        return true;
    }
}
