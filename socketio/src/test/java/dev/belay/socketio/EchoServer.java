package dev.belay.socketio;

import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;

/// The server that the official protocol suites expect, which our own tests use too: `/engine.io/` echoes messages,
/// `/socket.io/` echoes events in `/` and greets in `/custom`.
final class EchoServer implements AutoCloseable {
    private final Server jetty;
    private final SocketServer sockets;
    private final Timers timers = new Timers();

    private EchoServer(int port, SocketServer sockets, Handler... more) throws Exception {
        this.sockets = sockets;
        QueuedThreadPool threads = new QueuedThreadPool();
        threads.setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor("belay-http"));
        threads.setName("belay-jetty");
        jetty = new Server(threads, timers, null);
        ServerConnector connector = new ServerConnector(jetty);
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        jetty.addConnector(connector);
        Handler.Sequence handlers = new Handler.Sequence(sockets.handler());
        for (Handler handler : more) {
            handlers.addHandler(handler);
        }
        jetty.setHandler(handlers);
        jetty.start();
    }

    /// Serves the official suites: `java ... EchoServer 3000`.
    public static void main(String[] args) throws Exception {
        Settings settings = new Settings("/engine.io/", Duration.ofMillis(300), Duration.ofMillis(200),
                Duration.ofSeconds(10), Duration.ofSeconds(1), Duration.ofSeconds(30),
                1_000_000, 1 << 20, 1000, 1000, 1000, _ -> Optional.empty(), _ -> () -> {}, _ -> {});
        EchoServer server = new EchoServer(Integer.parseInt(args[0]), quick(SocketServer.builder()).build(),
                new Engine(settings, Echo::new));
        // The suites ping after 300 ms, so the first client must not wait for the JSON classes to load.
        new Decoder(100).text("2[\"warm\",{\"up\":[1,true]}]");
        Encoder.event("/", 0, List.of("warm", Map.of("up", new byte[1])));
        System.out.println("listening on " + server.uri());
        server.jetty.join();
    }

    static SocketServer.Builder quick(SocketServer.Builder builder) {
        return echoes(builder.pingInterval(Duration.ofMillis(300)).pingTimeout(Duration.ofMillis(200))
                .connectTimeout(Duration.ofSeconds(1)));
    }

    /// Lets the JDK open the descriptors that it keeps open before leaks are counted.
    static void warmUp() throws Exception {
        try (EchoServer server = start(); Wire wire = Wire.enter(server)) {
            wire.send("1").end();
        }
    }

    /// An echo server on a free port.
    static EchoServer start() throws Exception {
        return start(UnaryOperator.identity());
    }

    /// An echo server on a free port, with other options.
    static EchoServer start(UnaryOperator<SocketServer.Builder> more) throws Exception {
        return new EchoServer(0, more.apply(echoes(SocketServer.builder())).build());
    }

    private static SocketServer.Builder echoes(SocketServer.Builder builder) {
        return builder.namespace("/", handshake -> Admission.accept(socket -> {
            socket.emit("auth", handshake.auth());
            socket.on("message", (args, _) -> socket.emit("message-back", args.toArray()));
            socket.on("message-with-ack", (args, ack) -> ack.reply(args.toArray()));
        })).namespace("/custom", handshake -> Admission.accept(socket -> socket.emit("auth", handshake.auth())));
    }

    URI uri() {
        return jetty.getURI();
    }

    int port() {
        return uri().getPort();
    }

    Timers timers() {
        return timers;
    }

    SocketServerStats stats() {
        return sockets.stats();
    }

    @Override
    public void close() {
        stop();
    }

    void stop() {
        LifeCycle.stop(jetty);
    }

    /// Counts timers and lets a test expire them.
    static final class Timers extends ScheduledExecutorScheduler {
        private final Set<Timer> timers = ConcurrentHashMap.newKeySet();
        private int started;
        private int running;

        Timers() {
            super("belay-timers", true);
        }

        @Override
        public synchronized Task schedule(Runnable task, long delay, TimeUnit unit) {
            Timer timer = new Timer(Duration.of(delay, unit.toChronoUnit()), task);
            timers.add(timer);
            count(1, 1);
            timer.set = super.schedule(() -> {
                timer.over();
                task.run();
            }, delay, unit);
            return timer;
        }

        private final class Timer implements Task {
            final Duration delay;
            final Runnable task;
            volatile Task set = () -> false;

            Timer(Duration delay, Runnable task) {
                this.delay = delay;
                this.task = task;
            }

            void over() {
                timers.remove(this);
                count(0, -1);
            }

            @Override
            public boolean cancel() {
                boolean cancelled = set.cancel();
                if (cancelled) {
                    over();
                }
                return cancelled;
            }
        }

        /// Runs timers of this duration now, or as soon as they are set.
        synchronized void pass(Duration delay) throws InterruptedException {
            while (true) {
                for (Timer timer : timers) {
                    if (timer.delay.equals(delay) && timer.cancel()) {
                        timer.task.run();
                        return;
                    }
                }
                wait();
            }
        }

        private synchronized void count(int starts, int change) {
            started += starts;
            running += change;
            notifyAll();
        }

        synchronized void awaitStarted(int number) throws InterruptedException {
            while (started < number) {
                wait();
            }
        }

        synchronized void awaitRunning(int number) throws InterruptedException {
            while (running > number) {
                wait();
            }
        }

        synchronized int running() {
            return running;
        }
    }

    /// Echoes messages one layer below Socket.IO.
    private record Echo(Connection connection) implements Connection.Listener {
        @Override
        public void text(String data) {
            connection.send(Message.of(EnginePacket.Type.MESSAGE, data));
        }

        @Override
        public void binary(byte[] data) {
            connection.send(Message.of(List.of(new Frame(ByteBuffer.wrap(data), true))));
        }

        @Override
        public void closed(DisconnectReason reason) {}
    }
}
