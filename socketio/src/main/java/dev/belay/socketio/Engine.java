package dev.belay.socketio;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.websocket.core.Configuration;
import org.eclipse.jetty.websocket.core.server.WebSocketMappings;
import org.eclipse.jetty.websocket.core.server.WebSocketNegotiator;
import org.eclipse.jetty.websocket.core.server.WebSocketServerComponents;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;

/// The Engine.IO server: tells requests apart and knows all connections. Requests for other paths are left to the
/// handlers behind it.
///
/// It has no threads: timers are the Jetty server's, and what they start runs on virtual threads.
final class Engine extends Handler.Abstract {
    static final int BAD_REQUEST = 3;
    private static final int UNKNOWN_TRANSPORT = 0;
    private static final int UNKNOWN_SESSION = 1;
    private static final int BAD_HANDSHAKE_METHOD = 2;
    private static final int FORBIDDEN = 4;
    private static final int UNSUPPORTED_VERSION = 5;

    private static final int MAX_FRAME_BYTES = 64 * 1024;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Settings settings;
    private final Function<Connection, Connection.Listener> listeners;
    private final Map<String, Connection> connections = new ConcurrentHashMap<>();
    private final Strangers<Connection> strangers;
    private final AtomicInteger webSockets = new AtomicInteger();
    private final LongAdder opened = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder upgrades = new LongAdder();
    private final Map<DisconnectReason, LongAdder> closed = new EnumMap<>(DisconnectReason.class);
    /// The server closes its network connections before it stops its handlers: clients are told before that.
    private final LifeCycle.Listener farewell = new LifeCycle.Listener() {
        @Override
        public void lifeCycleStopping(LifeCycle server) {
            endAll();
        }
    };
    private @Nullable WebSocketMappings mappings;
    private @Nullable Scheduler scheduler;

    Engine(Settings settings, Function<Connection, Connection.Listener> listeners) {
        this.settings = settings;
        this.listeners = listeners;
        strangers = new Strangers<>(settings.maxStrangers(), settings.maxStrangersPerAddress());
        for (DisconnectReason reason : DisconnectReason.values()) {
            closed.put(reason, new LongAdder());
        }
    }

    @Override
    protected void doStart() throws Exception {
        mappings = new WebSocketMappings(WebSocketServerComponents.ensureWebSocketComponents(getServer()));
        scheduler = getServer().getScheduler();
        getServer().addEventListener(farewell);
        super.doStart();
    }

    @Override
    protected void doStop() throws Exception {
        getServer().removeEventListener(farewell);
        endAll();
        super.doStop();
    }

    private void endAll() {
        connections.values().forEach(connection -> connection.end(DisconnectReason.SHUTDOWN));
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        String path = Request.getPathInContext(request);
        if (path == null || !(path.endsWith("/") ? path : path + "/").equals(settings.path())) {
            return false;
        }
        Fields query;
        try {
            query = Request.extractQueryParameters(request);
        } catch (RuntimeException _) {
            refuse(response, callback, HttpStatus.BAD_REQUEST_400, BAD_REQUEST, "Bad query");
            return true;
        }
        String transport = String.valueOf(query.getValue("transport"));
        String id = query.getValue("sid");
        Connection connection = id == null ? null : connections.get(id);
        if (!"4".equals(query.getValue("EIO"))) {
            refuse(response, callback, HttpStatus.BAD_REQUEST_400, UNSUPPORTED_VERSION, "Unsupported protocol version");
        } else if (!transport.equals("polling") && !transport.equals("websocket")) {
            refuse(response, callback, HttpStatus.BAD_REQUEST_400, UNKNOWN_TRANSPORT, "Transport unknown");
        } else if (id != null && connection == null) {
            refuse(response, callback, HttpStatus.BAD_REQUEST_400, UNKNOWN_SESSION, "Session ID unknown");
        } else if (connection == null && !admit(request, response, callback)) {
            return true;
        } else {
            serve(transport, connection, request, response, callback);
        }
        return true;
    }

    private void serve(String transport, @Nullable Connection connection, Request request, Response response,
            Callback callback) {
        Runnable recognised = settings.recognise().apply(request);
        if (connection != null) {
            connection.onceKnown(recognised);
        }
        if (transport.equals("websocket")) {
            webSocket(connection, recognised, request, response, callback);
        } else {
            polling(connection, recognised, request, response, callback);
        }
    }

    /// Whether a new client may come in; if not, it is answered.
    private boolean admit(Request request, Response response, Callback callback) {
        if (!request.getMethod().equals("GET") && !request.getMethod().equals("CONNECT")) {
            refuse(response, callback, HttpStatus.BAD_REQUEST_400, BAD_HANDSHAKE_METHOD, "Bad handshake method");
            return false;
        }
        // Strangers do not count: they have a budget of their own.
        Optional<Refusal> refusal = connections.size() - strangers.size() < settings.maxConnections()
                ? settings.gate().apply(request)
                : Optional.of(new Refusal(HttpStatus.SERVICE_UNAVAILABLE_503, "too many connections: try again later"));
        refusal.ifPresent(why -> {
            refused.increment();
            refuse(response, callback, why.status(), FORBIDDEN, why.message());
        });
        return refusal.isEmpty();
    }

    private void polling(@Nullable Connection connection, Runnable recognised, Request request, Response response,
            Callback callback) {
        Polling polling =
                (connection == null ? open(Handshake.of(request), null, recognised) : connection).polling();
        if (polling == null) {
            refuse(response, callback, HttpStatus.BAD_REQUEST_400, BAD_REQUEST, "This session does not poll any more");
            return;
        }
        switch (request.getMethod()) {
            case "GET" -> polling.poll(request, response, callback);
            case "POST" -> polling.post(request, response, callback);
            default -> refuse(response, callback, HttpStatus.BAD_REQUEST_400, BAD_REQUEST, "A poll is a GET or a POST");
        }
    }

    private void webSocket(@Nullable Connection connection, Runnable recognised, Request request, Response response,
            Callback callback) {
        WebSocket webSocket = new WebSocket(this, Handshake.of(request), connection, recognised);
        WebSocketNegotiator negotiator = (upgrade, answer, _) -> {
            // Terminals and the like are latency, not volume: compression would cost each client a window of 32 KiB.
            answer.setExtensions(List.of());
            return webSocket;
        };
        if (!Objects.requireNonNull(mappings).upgrade(negotiator, request, response, callback, Engine::configure)) {
            refuse(response, callback, HttpStatus.BAD_REQUEST_400, BAD_REQUEST, "Not a WebSocket request");
        }
    }

    private static void configure(Configuration configuration) {
        configuration.setIdleTimeout(Duration.ZERO); // the heartbeat's business
        configuration.setAutoFragment(true);
        configuration.setMaxFrameSize(MAX_FRAME_BYTES);
    }

    /// Starts a connection on a WebSocket, or one that polls.
    Connection open(Handshake handshake, @Nullable WebSocket webSocket, Runnable recognised) {
        Connection connection = new Connection(this, newId(), handshake, webSocket);
        connection.onceKnown(recognised);
        connections.put(connection.id(), connection);
        opened.increment();
        Connection oldest = strangers.enter(handshake.remote(), connection);
        if (oldest != null) {
            oldest.end(DisconnectReason.CROWDED_OUT);
            settings.crowded().accept(handshake.remote());
        }
        connection.open();
        if (!getServer().isRunning()) {
            connection.end(DisconnectReason.SHUTDOWN);
        }
        return connection;
    }

    /// An id that nobody can guess.
    static String newId() {
        byte[] bytes = new byte[18];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().encodeToString(bytes);
    }

    /// The data of an open packet ("Handshake" of the document).
    String openData(String id, boolean polls) {
        var data = JsonNodeFactory.instance.objectNode();
        data.put("sid", id);
        var ways = data.putArray("upgrades");
        if (polls) {
            ways.add("websocket");
        }
        data.put("pingInterval", settings.pingInterval().toMillis());
        data.put("pingTimeout", settings.pingTimeout().toMillis());
        data.put("maxPayload", settings.maxPayload());
        return data.toString();
    }

    Connection.Listener listen(Connection connection) {
        return listeners.apply(connection);
    }

    /// The client of a connection was let into a namespace.
    void known(Connection connection) {
        strangers.leave(connection);
    }

    void forget(Connection connection, DisconnectReason reason) {
        strangers.leave(connection);
        if (connections.remove(connection.id(), connection)) {
            Objects.requireNonNull(closed.get(reason)).increment();
        }
    }

    void upgraded() {
        upgrades.increment();
    }

    void webSocketOpened() {
        webSockets.incrementAndGet();
    }

    void webSocketClosed() {
        webSockets.decrementAndGet();
    }

    Settings settings() {
        return settings;
    }

    /// Runs a task later, on a virtual thread of its own.
    Scheduler.Task schedule(Duration delay, Runnable task) {
        long nanos = Math.max(0, delay.toNanos());
        return Objects.requireNonNull(scheduler).schedule(() -> Thread.startVirtualThread(task), nanos,
                TimeUnit.NANOSECONDS);
    }

    /// The counts of the engine; `sockets` is known above it.
    SocketServerStats stats(int sockets) {
        long pending = connections.values().stream().mapToLong(Connection::pending).sum();
        Map<DisconnectReason, Long> ends = new EnumMap<>(DisconnectReason.class);
        closed.forEach((reason, count) -> ends.put(reason, count.sum()));
        return new SocketServerStats(connections.size(), strangers.size(), webSockets.get(), sockets, pending,
                opened.sum(),
                refused.sum(),
                upgrades.sum(), Map.copyOf(ends));
    }

    /// Answers with a status and, like the official server, a code and a message.
    static void refuse(Response response, Callback callback, int status, int code, String message) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        var body = JsonNodeFactory.instance.objectNode().put("code", code).put("message", message);
        response.write(true, BufferUtil.toBuffer(body.toString()), callback);
    }
}
