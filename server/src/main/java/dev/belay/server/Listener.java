package dev.belay.server;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.guard.Connections;
import dev.belay.server.guard.SlowHeaders;
import dev.belay.server.guard.TlsFiles;
import dev.belay.server.settings.ServerSettings;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.eclipse.jetty.websocket.core.WebSocketConnection;
import org.jspecify.annotations.Nullable;

/// Jetty, set up for one port: a few platform threads wait for connections, virtual threads handle what they bring.
final class Listener {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(5);

    private final org.eclipse.jetty.server.Server jetty;
    private final ServerConnector connector;
    private final ServerSettings settings;
    private final @Nullable TlsFiles tls;
    private final HttpConfiguration http;

    Listener(ServerSettings settings, Connections connections) {
        this.settings = settings;
        QueuedThreadPool threads = new QueuedThreadPool(8, 2);
        threads.setName("belay-http");
        threads.setDaemon(true);
        threads.setReservedThreads(0);
        VirtualThreadPool virtual = new VirtualThreadPool();
        virtual.setName("belay-request");
        threads.setVirtualThreadsExecutor(virtual);
        this.jetty = new org.eclipse.jetty.server.Server(
                threads, new ScheduledExecutorScheduler("belay-http-timer", true), null);
        jetty.addBean(virtual);
        this.http = configuration(settings.http());
        ServerSettings.Tls files = settings.binding().tls();
        this.tls = files == null ? null : new TlsFiles(files);
        HttpConnectionFactory plain = new HttpConnectionFactory(http);
        this.connector = tls == null
                ? new Port(jetty, connections, plain)
                : new Port(jetty, connections, new SslConnectionFactory(tls.factory(), plain.getProtocol()), plain);
        connector.setHost(settings.binding().host());
        connector.setPort(settings.binding().port());
        connector.setIdleTimeout(settings.http().idleTimeout().toMillis());
        connector.setAcceptQueueSize(128);
        connector.addBean(new SlowHeaders(jetty.getScheduler(), settings.http().headerTimeout()));
        jetty.addConnector(connector);
        jetty.setErrorHandler(new JsonErrors());
        jetty.setStopTimeout(0);
    }

    /// A port that reports its connections, below any encryption.
    private static final class Port extends ServerConnector {
        private final Connections connections;

        Port(org.eclipse.jetty.server.Server jetty, Connections connections, ConnectionFactory... layers) {
            super(jetty, 0, 1, layers);
            this.connections = connections;
        }

        @Override
        protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key) {
            SocketChannelEndPoint made = new Line(channel, selector, key, getScheduler());
            made.setIdleTimeout(getIdleTimeout());
            return made;
        }

        @Override
        protected void onEndPointOpened(EndPoint endPoint) {
            super.onEndPointOpened(endPoint);
            connections.opened(endPoint);
        }

        @Override
        protected void onEndPointClosed(EndPoint endPoint) {
            super.onEndPointClosed(endPoint);
            connections.closed(endPoint);
        }
    }

    /// A connection. What comes on a WebSocket is handled by the thread that reads from all connections, because our
    /// WebSockets never wait: handing each key to another thread costs more than dealing with it. Requests wait, and go
    /// to virtual threads; so do WebSockets under TLS, because encryption takes time.
    private static final class Line extends SocketChannelEndPoint {
        /// The last one that was asked for, so that there is one for a connection, not one for each key.
        private @Nullable Callback blocking;
        private @Nullable Callback direct;

        Line(SocketChannel channel, ManagedSelector selector, SelectionKey key, Scheduler scheduler) {
            super(channel, selector, key, scheduler);
        }

        @Override
        public void fillInterested(Callback callback) {
            super.fillInterested(getConnection() instanceof WebSocketConnection ? direct(callback) : callback);
        }

        private synchronized Callback direct(Callback callback) {
            Callback known = direct;
            if (known != null && callback.equals(blocking)) {
                return known;
            }
            blocking = callback;
            Callback made = Callback.from(InvocationType.NON_BLOCKING, callback::succeeded, callback::failed);
            direct = made;
            return made;
        }
    }

    private static HttpConfiguration configuration(ServerSettings.HttpLimits limits) {
        HttpConfiguration http = new HttpConfiguration();
        http.setRequestHeaderSize(limits.headerBytes());
        http.setSendServerVersion(false);
        http.setSendDateHeader(true);
        http.setUriCompliance(UriCompliance.DEFAULT);
        http.setMaxUnconsumedRequestContentReads(4);
        // The guard compares the host with the names of this server; a certificate need not name loopback addresses.
        http.addCustomizer(new SecureRequestCustomizer(false));
        return http;
    }

    org.eclipse.jetty.server.Server jetty() {
        return jetty;
    }

    void serve(Handler handler) {
        jetty.setHandler(handler);
    }

    void start() {
        try {
            jetty.start();
            if (tls != null) {
                tls.watch();
            }
        } catch (Exception e) {
            stop();
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "Cannot listen on " + settings.binding().host() + " port " + settings.binding().port() + " ("
                            + reason(e) + "); choose another port, or stop the program that uses it.",
                    Map.of(),
                    e);
        }
    }

    private static String reason(Exception e) {
        Throwable cause = e.getCause() != null ? e.getCause() : e;
        return String.valueOf(cause.getMessage());
    }

    /// Reads the certificate again.
    void reload() {
        if (tls != null) {
            tls.reload();
        }
    }

    int port() {
        int port = connector.getLocalPort();
        return port > 0 ? port : settings.binding().port();
    }

    String address() {
        String host = settings.binding().host();
        String literal = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        return (tls == null ? "http://" : "https://") + literal + ":" + port() + "/";
    }

    /// Closes the port; open connections continue.
    void stopAccepting() {
        // Jetty closes the port itself only when it stops. The kernel closes it once the selector has let go of it,
        // which the first line has it do: until then it would take connections that nobody answers.
        connector.setAccepting(false);
        if (connector.getTransport() instanceof ServerSocketChannel port) {
            IO.close(port);
        }
    }

    void stop() {
        if (tls != null) {
            tls.close();
        }
        try {
            jetty.setStopTimeout(STOP_PATIENCE.toMillis());
            jetty.stop();
        } catch (TimeoutException _) {
            // Some clients did not let go in time: they were cut off.
            LOG.log(System.Logger.Level.DEBUG, "connections were cut off");
        } catch (Exception e) {
            throw new SessionException(ErrorCode.INTERNAL, "The server did not stop: " + e, Map.of(), e);
        }
    }
}
