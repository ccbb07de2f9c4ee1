package dev.belay;

import dev.belay.host.Host;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Opens sessions on a host and owns them: no session outlives it.
///
/// Make one with [#on(Host)] or [#builder(Host)], and close it when done. Safe for any thread. If the JVM shuts down
/// first, a shutdown hook closes it. If it is dropped while sessions run, the garbage collector closes it.
public final class Sessions implements AutoCloseable {
    private final Registry registry;

    private Sessions(Registry registry) {
        this.registry = registry;
        Permit.CLEANER.register(this, registry::dropped);
    }

    /// Sessions with the default limits, the user's state folder, and the caller's environment without its secrets.
    public static Sessions on(Host host) {
        return builder(host).build();
    }

    public static Builder builder(Host host) {
        return new Builder(host);
    }

    /// Starts a session. Returns when its process runs. Otherwise throws a [SessionException] that says why, and leaves
    /// nothing behind.
    public Session open(SessionSpec spec) {
        return handle(registry.open(spec));
    }

    /// The session with an id. Ids are per owner: if several owners use this id, call [#find(String, String)].
    public Optional<Session> find(String id) {
        List<Session> named = named(id);
        if (named.size() > 1) {
            throw SessionException.invalid("Several owners have a session " + Quoted.of(id) + "; say which owner.");
        }
        return named.stream().findFirst();
    }

    /// The session with an id that belongs to an owner.
    public Optional<Session> find(String id, String owner) {
        return Optional.ofNullable(registry.find(id, owner)).map(this::handle);
    }

    /// The sessions with an id, one per owner, sorted by owner.
    public List<Session> named(String id) {
        return registry.named(id).stream().map(this::handle).toList();
    }

    /// The session with an id, or `NOT_FOUND`.
    public Session get(String id) {
        return find(id).orElseThrow(() -> new SessionException(
                ErrorCode.NOT_FOUND,
                "There is no session " + Quoted.of(id) + "; list the sessions to see which exist."));
    }

    /// All running sessions and all exited ones that are still readable, sorted by id, then by owner.
    public List<Session> list() {
        return registry.all().stream().map(this::handle).toList();
    }

    /// Adds an observer of what happens from now on.
    public void addObserver(SessionObserver observer) {
        registry.addObserver(observer);
    }

    /// Removes an observer. A call in progress may end after this returns.
    public void removeObserver(SessionObserver observer) {
        registry.removeObserver(observer);
    }

    public Stats stats() {
        return registry.stats();
    }

    /// The first part of `BELAY_SESSION=instance/id/life` that all processes of these sessions carry.
    public String instance() {
        return registry.instance();
    }

    public Limits limits() {
        return registry.limits();
    }

    /// Changes the limits from now on. Open sessions keep the size of their log and their timeouts, and none is ended
    /// if there are now fewer permits than sessions.
    public void limits(Limits value) {
        registry.limits(value);
    }

    /// Changes the default resources of new sessions.
    public void resources(Resources value) {
        registry.resources(value);
    }

    /// Changes the minimum isolation of new sessions.
    public void isolation(Isolation value) {
        registry.isolation(value);
    }

    /// The clock of the sessions.
    public Time time() {
        return registry.time();
    }

    /// Decides which programs watched sessions may start.
    public Approvals approvals() {
        return registry.approvals();
    }

    /// The folder that working folders are relative to.
    public Path workspace() {
        return registry.host().workspace();
    }

    /// Forgets all sessions that have exited and have no survivors.
    ///
    /// @return how many
    public int prune() {
        List<LiveSession> exited = registry.all().stream().filter(LiveSession::sealed).toList();
        registry.closeEach(exited, EndReason.CLOSED);
        return exited.size();
    }

    /// Closes all sessions in parallel, and stays open for new ones. A failure does not stop the rest; all are
    /// reported.
    public void closeAll() {
        registry.closeEach(List.copyOf(registry.all()), EndReason.CLOSED);
    }

    /// Closes all sessions and the host.
    @Override
    public void close() {
        registry.closeAll();
    }

    private Session handle(LiveSession live) {
        return new Session(this, registry, live, new Actor(live.spec.owner()));
    }

    /// Settings of a [Sessions].
    public static final class Builder {
        private final Host host;
        private Limits limits = Limits.DEFAULT;
        private Resources resources = Resources.AS_BELAY;
        private Isolation isolation = Isolation.STANDARD;
        private @Nullable Environment environment;
        private @Nullable Path state;
        private Time time = Time.system();
        private final List<SessionObserver> observers = new ArrayList<>();

        private Builder(Host host) {
            this.host = host;
        }

        public Builder limits(Limits value) {
            limits = value;
            return this;
        }

        /// What a session may use if its spec does not say; by default, as much as Belay itself.
        public Builder resources(Resources value) {
            resources = value;
            return this;
        }

        /// The minimum isolation of every session; by default [Isolation#STANDARD]. A spec may ask for more.
        public Builder isolation(Isolation value) {
            isolation = value;
            return this;
        }

        /// The environment that every session starts with; by default, the caller's without its secrets.
        public Builder environment(Environment value) {
            environment = value;
            return this;
        }

        /// The state folder; by default, `$XDG_STATE_HOME/belay` or `~/.local/state/belay`.
        public Builder state(Path value) {
            state = value;
            return this;
        }

        /// The clock of the sessions; by default, the system's.
        public Builder time(Time value) {
            time = value;
            return this;
        }

        public Builder observer(SessionObserver value) {
            observers.add(value);
            return this;
        }

        /// Makes the sessions, which own the host from now on. If that fails, the host is closed.
        public Sessions build() {
            try {
                return new Sessions(new Registry(
                        host,
                        limits,
                        resources,
                        isolation,
                        environment != null ? environment : Environment.inherited(System.getenv()),
                        state != null ? state : StateFolder.standard(System.getenv()),
                        time,
                        observers));
            } catch (RuntimeException e) {
                host.close();
                throw e;
            }
        }
    }
}
