package dev.belay.server;

import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.Sessions;
import dev.belay.server.attach.Viewer;
import dev.belay.server.attach.Viewers;
import dev.belay.server.auth.Access;
import dev.belay.server.auth.Admission;
import dev.belay.server.auth.Authority;
import dev.belay.server.guard.Guard;
import dev.belay.server.health.Health;
import dev.belay.server.logs.EventLog;
import dev.belay.server.metrics.ServerMetrics;
import dev.belay.server.page.Page;
import dev.belay.server.rest.Rest;
import dev.belay.server.rest.SessionRoutes;
import dev.belay.server.rest.SignInRoutes;
import dev.belay.server.rest.StatusRoutes;
import dev.belay.server.terminal.TerminalDoor;
import dev.belay.server.ws.AttachHandler;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/// Sessions over HTTP, WebSocket and Socket.IO on one port.
///
/// It owns the sessions it is given from its start on: they end with it. Front doors of other modules are mounted with
/// [Builder#mount]; they stand behind the same guard and use the same [#authority()], [#access()] and [#viewers()].
public final class Server implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");

    private final Sessions sessions;
    private final Authority authority;
    private final Admission admission;
    private final Access access;
    private final Viewers viewers;
    private final Guard guard;
    private final Health health;
    private final Rest rest;
    private final Listener listener;
    private final ServerMetrics metrics;
    private final List<Runnable> reloaded = new CopyOnWriteArrayList<>();
    private final List<Runnable> closing = new CopyOnWriteArrayList<>();
    private final TerminalDoor terminals;
    private volatile ServerSettings settings;

    private Server(Builder builder) {
        this.sessions = builder.sessions;
        this.settings = builder.settings;
        this.metrics = builder.metrics;
        this.authority = new Authority(settings);
        this.admission = new Admission(sessions, builder.capacity, settings);
        this.access = new Access(sessions, authority, admission);
        this.viewers = new Viewers(sessions, access, authority, () -> settings, builder.metrics, builder.events);
        this.health = new Health(sessions, admission, viewers, builder.version);
        int maxInput = sessions.limits().maxInputBytes();
        this.rest = new Rest(
                () -> settings,
                new SessionRoutes(authority, access, viewers.inputs(), viewers.leases(), maxInput),
                new SignInRoutes(authority),
                new StatusRoutes(authority, health, builder.metrics));
        AttachHandler attach =
                new AttachHandler(authority, access, viewers, () -> settings.viewers(), maxInput);
        this.listener = new Listener(settings);
        this.guard = new Guard(settings, listener::port);
        this.terminals = new TerminalDoor(authority, access, viewers, () -> settings, builder.events, maxInput);
        Handler.Sequence doors = new Handler.Sequence(attach, terminals.handler());
        builder.mounted.forEach((prefix, door) -> doors.addHandler(new Mount(prefix, door.apply(this))));
        doors.addHandler(rest);
        doors.addHandler(new Page());
        guard.setHandler(doors);
        listener.serve(guard);
        attach.join(listener.jetty(), settings.http().idleTimeout());
        Gauges.register(builder.metrics, this);
    }

    /// A server of these sessions.
    public static Builder builder(Sessions sessions) {
        return new Builder(sessions);
    }

    /// Binds the port and begins to answer.
    ///
    /// @return the address, as in `http://127.0.0.1:10000/`
    public String start() {
        listener.start();
        guard.bound();
        return address();
    }

    public String address() {
        return listener.address();
    }

    public int port() {
        return listener.port();
    }

    /// Takes new settings, without touching sessions: accounts, quotas, limits, hosts and origins. Whoever is signed in by
    /// a token that is gone is signed out. The binding stays as it was.
    public void reload(ServerSettings now) {
        ServerSettings next = now.binding(settings.binding());
        settings = next;
        authority.reload(next);
        access.reload(next);
        guard.reload(next);
        listener.reload();
        viewers.partFromRevoked();
        reloaded.forEach(Runnable::run);
    }

    /// Has a front door end what it has with clients, once the sessions are closed.
    public void onClose(Runnable ends) {
        closing.add(ends);
    }

    /// Has a front door hear of new settings, once they are in force.
    public void onReload(Runnable hears) {
        reloaded.add(hears);
    }

    /// Stops: no new connection and no new session, clients are told, sessions are closed with their grace. Returns when
    /// nothing is left, within the grace of the sessions and some seconds.
    @Override
    public void close() {
        admission.drain();
        health.drain();
        listener.stopAccepting();
        viewers.shutDown();
        try {
            sessions.close();
        } finally {
            closing.forEach(Runnable::run);
            listener.stop();
        }
    }

    /// Has a [#close()] that is under way lose no more time on being polite.
    public void hurry() {
        for (Session session : sessions.list()) {
            Thread.ofVirtual().name("belay-hurry").start(() -> end(session));
        }
    }

    private static void end(Session session) {
        try {
            session.close(true);
        } catch (SessionException e) {
            // It says so too to the close that is under way, which reports it.
            LOG.log(System.Logger.Level.DEBUG, "a session could not be ended at once", e);
        }
    }

    // --- for front doors ---

    public Sessions sessions() {
        return sessions;
    }

    public Authority authority() {
        return authority;
    }

    public Access access() {
        return access;
    }

    public Admission admission() {
        return admission;
    }

    public Viewers viewers() {
        return viewers;
    }

    public TerminalDoor terminals() {
        return terminals;
    }

    public ServerSettings settings() {
        return settings;
    }

    public ServerMetrics metrics() {
        return metrics;
    }

    public Health health() {
        return health;
    }

    /// All routes of REST, as `METHOD /path/{id}`.
    public List<String> routes() {
        return rest.names();
    }

    /// Requests that the guard did not let through.
    public long refusedRequests() {
        return guard.refused();
    }

    /// How far the viewer that is furthest behind is behind, in bytes.
    long largestLag() {
        return viewers.list().stream().mapToLong(Viewer::lag).max().orElse(0);
    }

    /// A front door of another module: everything at and under a path.
    private static final class Mount extends Handler.Wrapper {
        private final String prefix;

        Mount(String prefix, Handler door) {
            super(door);
            this.prefix = prefix;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            String path = Request.getPathInContext(request);
            return (path.equals(prefix) || path.startsWith(prefix.endsWith("/") ? prefix : prefix + "/"))
                    && super.handle(request, response, callback);
        }
    }

    /// Settings of a [Server].
    public static final class Builder {
        private final Sessions sessions;
        private ServerSettings settings = ServerSettings.DEFAULT;
        private Supplier<Capacity> capacity = () -> Capacity.UNKNOWN;
        private ServerMetrics metrics = new ServerMetrics();
        private EventLog events = EventLog.none();
        private String version = "?";
        private final Map<String, Function<Server, Handler>> mounted = new LinkedHashMap<>();

        private Builder(Sessions sessions) {
            this.sessions = sessions;
        }

        public Builder settings(ServerSettings value) {
            settings = value;
            return this;
        }

        /// Tells how many sessions the machine has room for; asked at every open, so it should be quick.
        public Builder capacity(Supplier<Capacity> value) {
            capacity = value;
            return this;
        }

        /// The metrics that also observe the sessions.
        public Builder metrics(ServerMetrics value) {
            metrics = value;
            return this;
        }

        /// Where clients that come and go are noted; nowhere unless said otherwise.
        public Builder events(EventLog value) {
            events = value;
            return this;
        }

        public Builder version(String value) {
            version = value;
            return this;
        }

        /// Puts a front door at a path and everything under it: `/mcp`.
        public Builder mount(String path, Function<Server, Handler> door) {
            mounted.put(path, door);
            return this;
        }

        public Server build() {
            return new Server(this);
        }
    }
}
