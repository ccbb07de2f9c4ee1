package dev.belay.socketio;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/// A Socket.IO server: a [Handler] for a Jetty server, and namespaces behind it.
///
/// It starts and stops with the Jetty server. Who may send requests at all (Host, Origin, tokens) is decided by the
/// handlers in front of it.
///
/// ```java
/// SocketServer sockets = SocketServer.builder()
///         .namespace("/", handshake -> Admission.accept(
///                 socket -> socket.on("echo", (args, ack) -> ack.reply(args.toArray()))))
///         .build();
/// jetty.setHandler(sockets.handler());
/// ```
public final class SocketServer {
    private final Map<String, Namespace> namespaces;
    private final Engine engine;
    private final AtomicInteger sockets = new AtomicInteger();

    private SocketServer(Settings settings, Map<String, Namespace> namespaces) {
        this.namespaces = Map.copyOf(namespaces);
        engine = new Engine(settings, connection -> new Client(this, connection));
    }

    /// Starts with the defaults of the official server.
    public static Builder builder() {
        return new Builder();
    }

    /// The handler to be placed in a Jetty server. It leaves requests for other paths to those behind it.
    public Handler handler() {
        return engine;
    }

    /// The counts of now.
    public SocketServerStats stats() {
        return engine.stats(sockets.get());
    }

    @Nullable Namespace namespace(String name) {
        return namespaces.get(name);
    }

    void entered() {
        sockets.incrementAndGet();
    }

    void left() {
        sockets.decrementAndGet();
    }

    /// What a server is made of. Everything has a default but the namespaces.
    public static final class Builder {
        private final Map<String, Namespace> namespaces = new LinkedHashMap<>();
        private String path = "/socket.io/";
        private Duration pingInterval = Duration.ofSeconds(25);
        private Duration pingTimeout = Duration.ofSeconds(20);
        private Duration upgradeTimeout = Duration.ofSeconds(10);
        private Duration connectTimeout = Duration.ofSeconds(45);
        private Duration bodyTimeout = Duration.ofSeconds(30);
        private int maxPayload = 1_000_000;
        private int maxPending = 1 << 20;
        private int maxConnections = 10_000;
        private int maxStrangers = 256;
        private int maxStrangersPerAddress = 64;
        private Function<Request, Optional<Refusal>> gate = _ -> Optional.empty();
        private Function<Request, Runnable> recognise = _ -> () -> {};
        private Consumer<SocketAddress> crowded = _ -> {};

        private Builder() {}

        /// Where clients connect: `/socket.io/` unless said otherwise.
        public Builder path(String path) {
            this.path = path;
            return this;
        }

        /// How long after a pong the next ping is sent: 25 seconds unless said otherwise.
        public Builder pingInterval(Duration pingInterval) {
            this.pingInterval = pingInterval;
            return this;
        }

        /// How long a client may take to answer a ping: 20 seconds unless said otherwise.
        public Builder pingTimeout(Duration pingTimeout) {
            this.pingTimeout = pingTimeout;
            return this;
        }

        /// How long a WebSocket may take to replace polling: 10 seconds unless said otherwise.
        public Builder upgradeTimeout(Duration upgradeTimeout) {
            this.upgradeTimeout = upgradeTimeout;
            return this;
        }

        /// How long a client may stay without a namespace: 45 seconds unless said otherwise. One that was never let in
        /// has that long in all.
        public Builder connectTimeout(Duration connectTimeout) {
            this.connectTimeout = connectTimeout;
            return this;
        }

        /// How long the body of a POST may take to arrive: 30 seconds unless said otherwise.
        public Builder bodyTimeout(Duration bodyTimeout) {
            this.bodyTimeout = bodyTimeout;
            return this;
        }

        /// The most bytes of a client's message, and of an event with its attachments: a million unless said otherwise.
        public Builder maxPayload(int maxPayload) {
            this.maxPayload = maxPayload;
            return this;
        }

        /// The most bytes that may wait for a client that reads slowly, plus one message: 1 MiB unless said otherwise.
        public Builder maxPending(int maxPending) {
            this.maxPending = maxPending;
            return this;
        }

        /// The most connections of clients that were let into a namespace: 10,000 unless said otherwise.
        public Builder maxConnections(int maxConnections) {
            this.maxConnections = maxConnections;
            return this;
        }

        /// The most connections of clients that were not let in yet, in all and from one address: 256 and 64 unless
        /// said otherwise. Beyond that the oldest of them are closed, see [Strangers].
        public Builder maxStrangers(int inAll, int perAddress) {
            this.maxStrangers = inAll;
            this.maxStrangersPerAddress = perAddress;
            return this;
        }

        /// Asked with every request: what to run once the client it came from has been let into a namespace, at once if
        /// it has been before.
        public Builder recognise(Function<Request, Runnable> recognise) {
            this.recognise = recognise;
            return this;
        }

        /// Told the address of a newcomer that cost a stranger its place.
        public Builder crowded(Consumer<SocketAddress> crowded) {
            this.crowded = crowded;
            return this;
        }

        /// Asked once per connection, at its first request: all are allowed unless said otherwise.
        public Builder allow(Function<Request, Optional<Refusal>> gate) {
            this.gate = gate;
            return this;
        }

        /// Adds a namespace; clients that ask for others are refused.
        ///
        /// @param name its name, as in `/` or `/admin`
        public Builder namespace(String name, Namespace namespace) {
            if (!name.startsWith("/") || name.indexOf(',') >= 0) {
                throw new IllegalArgumentException(
                        "a namespace starts with a slash and has no comma, as in /admin, not " + name);
            }
            namespaces.put(name, namespace);
            return this;
        }

        /// The server.
        public SocketServer build() {
            return new SocketServer(
                    new Settings(path, pingInterval, pingTimeout, upgradeTimeout, connectTimeout, bodyTimeout,
                            maxPayload, maxPending, maxConnections, maxStrangers, maxStrangersPerAddress, gate,
                            recognise, crowded),
                    namespaces);
        }
    }
}
