package dev.belay.server;

import dev.belay.ErrorCode;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.Sessions;
import dev.belay.Time;
import dev.belay.access.Capacity;
import dev.belay.access.Gate;
import dev.belay.screens.Screens;
import dev.belay.server.attach.Viewer;
import dev.belay.server.attach.Viewers;
import dev.belay.server.auth.Access;
import dev.belay.server.auth.Authority;
import dev.belay.server.feed.Feed;
import dev.belay.server.guard.Connections;
import dev.belay.server.guard.RequestGuard;
import dev.belay.server.health.Health;
import dev.belay.server.logs.EventLog;
import dev.belay.server.metrics.ServerMetrics;
import dev.belay.server.page.Page;
import dev.belay.server.rest.ApprovalRoutes;
import dev.belay.server.rest.ListRoutes;
import dev.belay.server.rest.RestDoor;
import dev.belay.server.rest.ScreenRoutes;
import dev.belay.server.rest.SessionRoutes;
import dev.belay.server.rest.SettingsRoutes;
import dev.belay.server.rest.SignInRoutes;
import dev.belay.server.rest.StatusRoutes;
import dev.belay.server.settings.Reloaded;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.terminal.TerminalDoor;
import dev.belay.server.ws.AttachHandler;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/// Sessions over HTTP, WebSocket and Socket.IO on one port.
///
/// Once started, it owns the sessions it was given: they end with it. Front doors of other modules are mounted with
/// [Builder#mount]; they stand behind the same guard and use the same [#authority()], [#access()] and [#viewers()].
public final class Server implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");

    private static final Duration TICK = Duration.ofSeconds(1);

    private final Sessions sessions;
    private final Authority authority;
    private final Gate gate;
    private final Access access;
    private final Screens screens;
    private final Viewers viewers;
    private final Feed feed;
    private final EventLog events;
    private final Connections connections;
    private final RequestGuard guard;
    private final Health health;
    private final RestDoor rest;
    private final Listener listener;
    private final ServerMetrics metrics;
    private final List<Runnable> reloaded = new CopyOnWriteArrayList<>();
    private final List<Runnable> closing = new CopyOnWriteArrayList<>();
    private final TerminalDoor terminals;
    private final Runnable attends;
    private volatile ServerSettings settings;

    private Server(Builder builder) {
        this.sessions = builder.sessions;
        this.settings = builder.settings;
        this.metrics = builder.metrics;
        this.events = builder.events;
        Time time = builder.time != null ? builder.time : sessions.time();
        this.authority = new Authority(settings, events, time::nanos);
        this.gate = new Gate(sessions, builder.capacity, () -> settings.gate());
        this.access = new Access(gate, authority);
        this.screens = builder.screens != null ? builder.screens : new Screens(sessions);
        this.viewers = new Viewers(access, authority, screens, () -> settings, builder.metrics, builder.events,
                time);
        this.feed = new Feed(sessions, viewers, screens, gate::room, time);
        gate.onRefusal(feed::refused);
        this.health = new Health(sessions, gate, viewers, builder.version, events, time);
        int maxInput = sessions.limits().maxInputBytes();
        this.rest = new RestDoor(
                authority,
                () -> settings,
                new SessionRoutes(authority, access, viewers.leases(), feed, maxInput),
                new ScreenRoutes(authority, access, screens),
                new ListRoutes(authority, access, feed),
                new ApprovalRoutes(authority, access),
                new SignInRoutes(authority, this::signedOut),
                new StatusRoutes(authority, health, builder.metrics),
                new SettingsRoutes(
                        authority,
                        () -> builder.reloader.apply(this),
                        () -> sessions.stats().permitsUsed(),
                        builder.stopper));
        AttachHandler attach =
                new AttachHandler(authority, access, viewers, () -> settings, maxInput);
        this.connections = new Connections(settings.http(), events);
        this.listener = new Listener(settings, connections);
        this.guard = new RequestGuard(settings, listener::port, connections, events);
        this.terminals = new TerminalDoor(
                authority, access, viewers, feed, screens, () -> settings, events, connections, maxInput);
        Handler.Sequence doors = new Handler.Sequence(attach, terminals.handler());
        onReload(() -> authority.reload(settings));
        onReload(() -> guard.reload(settings));
        onReload(listener::reload);
        onReload(this::signedOut);
        builder.mounted.forEach((prefix, door) -> doors.addHandler(new Mount(prefix, door.apply(this))));
        doors.addHandler(rest);
        doors.addHandler(new Page());
        guard.setHandler(doors);
        listener.serve(guard);
        attach.join(listener.jetty(), settings.http().idleTimeout());
        sessions.approvals().addListener(events);
        sessions.approvals().addListener(builder.metrics);
        // Somebody with an admin's token can always be asked.
        this.attends = sessions.approvals().attend();
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
        tick();
        return address();
    }

    /// Regular chores: a state that changes with time, counts that nobody has reported yet.
    private void tick() {
        Scheduler scheduler = listener.jetty().getScheduler();
        scheduler.schedule(() -> {
            health.look();
            events.flush();
            feed.tick();
            tick();
        }, TICK.toMillis(), TimeUnit.MILLISECONDS);
    }

    public String address() {
        return listener.address();
    }

    public int port() {
        return listener.port();
    }

    /// Takes new settings, without touching sessions: accounts, quotas, limits, hosts and origins. Clients whose
    /// token is gone are signed out. Host and port stay as they are.
    public void reload(ServerSettings now) {
        // First: what is refused changes nothing.
        Authority.byToken(now.accounts());
        settings = now.binding(settings.binding());
        reloaded.forEach(Runnable::run);
    }

    /// Some tokens are no longer valid: ends what was signed in with them.
    private void signedOut() {
        viewers.detachRevoked();
        feed.recheck();
    }

    /// Registers what a front door has to end with its clients once the sessions are closed.
    public void onClose(Runnable ends) {
        closing.add(ends);
    }

    /// Runs something after each reload, in the order of these calls. It is for parts that keep something made from the
    /// settings; all others ask for [#settings()] whenever they need them.
    public void onReload(Runnable hears) {
        reloaded.add(hears);
    }

    /// Stops: accepts no new connections or sessions, tells the clients, and closes sessions with their grace. Returns
    /// when nothing is left, within the grace of the sessions and some seconds.
    @Override
    public void close() {
        gate.shut();
        health.drain();
        listener.stopAccepting();
        viewers.shutDown();
        feed.close();
        screens.close();
        try {
            sessions.close();
        } finally {
            attends.run();
            closing.forEach(Runnable::run);
            listener.stop();
            events.flushAll();
        }
    }

    /// Makes a [#close()] in progress kill what is left at once.
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

    /// For the program that runs the server, to change the limits. Front doors use [#access()].
    public Sessions sessions() {
        return sessions;
    }

    // --- for front doors ---

    public Authority authority() {
        return authority;
    }

    public Access access() {
        return access;
    }

    public Gate gate() {
        return gate;
    }

    public Viewers viewers() {
        return viewers;
    }

    /// What changes in all sessions, and what happened recently.
    public Feed feed() {
        return feed;
    }

    /// The screens of the sessions.
    public Screens screens() {
        return screens;
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

    /// The network connections.
    Connections connections() {
        return connections;
    }

    /// Requests that the guard did not let through.
    public long refusedRequests() {
        return guard.refused();
    }

    /// How many bytes the slowest viewer is behind.
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
        private @Nullable Screens screens;
        private ServerMetrics metrics = new ServerMetrics();
        private EventLog events = EventLog.none();
        private String version = "?";
        private Function<Server, Reloaded> reloader = _ -> {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "This server has no settings file; the program that runs it sets its settings.");
        };
        private Runnable stopper = () -> {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "This server is part of another program; stop that program.");
        };
        private @Nullable Time time;
        private final Map<String, Function<Server, Handler>> mounted = new LinkedHashMap<>();

        private Builder(Sessions sessions) {
            this.sessions = sessions;
        }

        public Builder settings(ServerSettings value) {
            settings = value;
            return this;
        }

        /// Says how many sessions the machine has room for; asked at every open, so it should be quick.
        public Builder capacity(Supplier<Capacity> value) {
            capacity = value;
            return this;
        }

        /// The screens of the sessions, which are closed with the server; by default, screens with the default limits.
        public Builder screens(Screens value) {
            screens = value;
            return this;
        }

        /// The metrics that also observe the sessions.
        public Builder metrics(ServerMetrics value) {
            metrics = value;
            return this;
        }

        /// The log of clients that come and go; by default, none.
        public Builder events(EventLog value) {
            events = value;
            return this;
        }

        public Builder version(String value) {
            version = value;
            return this;
        }

        /// Reads the settings again when an admin asks for it; throws if there is a mistake in them.
        public Builder reloader(Function<Server, Reloaded> value) {
            reloader = value;
            return this;
        }

        /// Ends the server soon after an admin asks for it.
        public Builder stopper(Runnable value) {
            stopper = value;
            return this;
        }

        /// A time that a test moves; that of the sessions unless said otherwise.
        Builder time(Time value) {
            time = value;
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
