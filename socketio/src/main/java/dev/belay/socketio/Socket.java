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

/// A client in a namespace: sends events to it and handles events from it.
///
/// Any thread may call any method; none blocks. Messages arrive in the order of the calls. Binary values are not
/// copied: do not change an array or a buffer until it is written.
///
/// Clients may read slowly. [#emit] returns a stage that completes once the event is written; a sender of large amounts
/// waits for it before sending more. A sender that does not wait fills the connection's queue, and the connection is
/// closed when the queue exceeds its limit.
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
    private final SerialExecutor tasks = new SerialExecutor();
    private final AtomicReference<State> state = new AtomicReference<>(new State.Connecting());
    private final Map<String, EventHandler> handlers = new ConcurrentHashMap<>();
    private final Map<String, PromptHandler> promptHandlers = new ConcurrentHashMap<>();
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

    public Handshake handshake() {
        return handshake;
    }

    /// Whether events can be sent.
    public boolean connected() {
        return state.get() instanceof State.Connected;
    }

    /// Number of bytes waiting to be sent on this socket's connection.
    public long pendingBytes() {
        return client.connection().pending();
    }

    /// Registers the handler of an event, in place of an earlier one. Events without a handler are ignored.
    ///
    /// @return this socket
    public Socket on(String event, EventHandler handler) {
        handlers.put(event, handler);
        return this;
    }

    /// Registers a handler that is asked before the event's [EventHandler], in place of an earlier one.
    ///
    /// @return this socket
    public Socket onPrompt(String event, PromptHandler handler) {
        promptHandlers.put(event, handler);
        return this;
    }

    /// Whether an event can be sent without encrypting it and without waiting for a poll, which is quick.
    public boolean isDirect() {
        return client.connection().isDirect();
    }

    /// Registers a handler that is called once, when the socket is disconnected, after its last event.
    ///
    /// @return this socket
    public Socket onDisconnect(Consumer<DisconnectReason> handler) {
        onDisconnect = handler;
        return this;
    }

    /// Sends an event.
    ///
    /// @param event its name
    /// @param args  anything that Jackson can write as JSON; each `byte[]` and `ByteBuffer` in it becomes an attachment
    /// @return completes once the event is written; fails with a [DisconnectedException] if it never will be. Dependent
    ///         actions that run on the completing thread should be short.
    public CompletionStage<Void> emit(String event, Object... args) {
        return send(Encoder.event(namespace, SocketPacket.NO_ID, data(event, args)));
    }

    /// Sends an event and asks for an answer.
    ///
    /// @param timeout how long to wait for the answer
    /// @param event   its name
    /// @param args    as for [#emit]
    /// @return the answer; fails with a [TimeoutException] if it does not arrive in time, and with a
    ///         [DisconnectedException] if the client is gone
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

    /// Makes the client leave the namespace. Its connection stays open for other namespaces.
    public void disconnect() {
        if (disconnected(DisconnectReason.SERVER_DISCONNECT)) {
            client.connection().send(Encoder.plain(SocketPacket.Type.DISCONNECT, namespace, null));
        }
    }

    /// Makes the client leave all namespaces. Delivers what was sent before, then closes the connection.
    public void close() {
        client.connection().close(DisconnectReason.FORCED_CLOSE);
    }

    private static List<Object> data(String event, Object[] args) {
        if (SocketPacket.RESERVED.contains(event)) {
            throw new IllegalArgumentException(event + " is reserved; choose another event name");
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

    /// Whether the client has left or was refused.
    boolean gone() {
        return state.get() instanceof State.Disconnected;
    }

    // --- what the client does ---

    /// Asks the namespace and tells the client the answer. The client's events are handled after that.
    void connect(Namespace gate) {
        tasks.add(() -> {
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
            Log.LOG.log(System.Logger.Level.WARNING, "namespace failed to admit a client", e);
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
        PromptHandler prompt = promptHandlers.get(packet.event());
        if (prompt != null && handledNow(prompt, packet)) {
            done.run();
            return;
        }
        tasks.add(() -> {
            try {
                EventHandler handler = handlers.get(packet.event());
                if (handler != null && packet.data() != null) {
                    handler.on(arguments(packet.data()), new Ack(this, packet.id()));
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                Log.LOG.log(System.Logger.Level.WARNING, "event handler failed", e);
            } finally {
                done.run();
            }
        });
    }

    private boolean handledNow(PromptHandler handler, SocketPacket packet) {
        JsonNode data = packet.data();
        boolean[] handled = {false};
        return data != null && tasks.runNow(() -> {
            try {
                handled[0] = handler.on(arguments(data), new Ack(this, packet.id()));
            } catch (RuntimeException e) {
                handled[0] = true;
                Log.LOG.log(System.Logger.Level.WARNING, "event handler failed", e);
            }
        }) && handled[0];
    }

    private static List<JsonNode> arguments(JsonNode data) {
        List<JsonNode> all = List.copyOf(data.values());
        return all.subList(1, all.size());
    }

    /// Completed on a thread of its own: a handler may be waiting for this answer.
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

    /// Marks this socket as disconnected and tells its handler after the last event.
    ///
    /// @return false if it already was
    boolean disconnected(DisconnectReason reason) {
        State before =
                state.getAndUpdate(now -> now instanceof State.Disconnected ? now : new State.Disconnected(reason));
        if (before instanceof State.Disconnected) {
            return false;
        }
        client.left(before instanceof State.Connected);
        unanswered.keySet().forEach(number -> fail(number, new DisconnectedException(reason)));
        if (before instanceof State.Connected) {
            tasks.add(() -> onDisconnect.accept(reason));
        }
        return true;
    }
}
