package dev.belay;

import dev.belay.host.Host;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Opens sessions on a host and owns them: none outlives it.
///
/// Make one with [#on(Host)] or [#builder(Host)], close it when done. Safe for any thread. If the JVM shuts down
/// first, a shutdown hook closes it; if it is dropped while sessions run, the garbage collector does.
public final class Sessions implements AutoCloseable {
    private final Registry registry;

    private Sessions(Registry registry) {
        this.registry = registry;
        Permit.CLEANER.register(this, registry::dropped);
    }

    /// Sessions with the standard limits, in the user's state folder, with the caller's environment less its secrets.
    public static Sessions on(Host host) {
        return builder(host).build();
    }

    public static Builder builder(Host host) {
        return new Builder(host);
    }

    /// Starts a session. Returns when its process runs, or throws a [SessionException] that says why it does not; then
    /// nothing of it is left.
    public Session open(SessionSpec spec) {
        return handle(registry.open(spec));
    }

    public Optional<Session> find(String id) {
        return Optional.ofNullable(registry.find(id)).map(this::handle);
    }

    /// The session of an id, or `NOT_FOUND`.
    public Session get(String id) {
        return find(id).orElseThrow(() -> new SessionException(
                ErrorCode.NOT_FOUND, "There is no session " + Quoted.of(id) + "; list the sessions to see which are."));
    }

    /// All living and all readable exited sessions, sorted by id.
    public List<Session> list() {
        return registry.all().stream().map(this::handle).toList();
    }

    public Stats stats() {
        return registry.stats();
    }

    /// The name in `BELAY_SESSION=instance/id` that all processes of these sessions carry.
    public String instance() {
        return registry.instance();
    }

    public Limits limits() {
        return registry.limits();
    }

    /// Changes the limits from here on: sessions that are open keep their log's budget and their clocks, and none is
    /// ended because there are now fewer permits than sessions.
    public void limits(Limits value) {
        registry.limits(value);
    }

    /// Changes what sessions may use whose spec says nothing of it, from here on.
    public void resources(Resources value) {
        registry.resources(value);
    }

    /// The folder that working folders are relative to.
    public Path workspace() {
        return registry.host().workspace();
    }

    /// Forgets all sessions that have exited and have no survivors.
    ///
    /// @return how many
    public int prune() {
        List<Life> exited = registry.all().stream().filter(Life::sealed).toList();
        registry.closeEach(exited, EndReason.CLOSED);
        return exited.size();
    }

    /// Closes all sessions, side by side, and stays open for new ones. Every failure is reported, none stops the rest.
    public void closeAll() {
        registry.closeEach(List.copyOf(registry.all()), EndReason.CLOSED);
    }

    /// Closes all sessions and the host.
    @Override
    public void close() {
        registry.closeAll();
    }

    private Session handle(Life life) {
        return new Session(this, registry, life, new Actor(life.spec.owner()));
    }

    /// Settings of a [Sessions].
    public static final class Builder {
        private final Host host;
        private Limits limits = Limits.DEFAULT;
        private Resources resources = Resources.AS_BELAY;
        private @Nullable Environment environment;
        private @Nullable Path state;
        private final List<SessionObserver> observers = new ArrayList<>();

        private Builder(Host host) {
            this.host = host;
        }

        public Builder limits(Limits value) {
            limits = value;
            return this;
        }

        /// What a session may use whose spec says nothing of it; without this, as much as Belay itself.
        public Builder resources(Resources value) {
            resources = value;
            return this;
        }

        /// What every session's environment starts from; without this, the caller's less its secrets.
        public Builder environment(Environment value) {
            environment = value;
            return this;
        }

        /// The state folder; without this, `$XDG_STATE_HOME/belay` or `~/.local/state/belay`.
        public Builder state(Path value) {
            state = value;
            return this;
        }

        public Builder observer(SessionObserver value) {
            observers.add(value);
            return this;
        }

        /// Makes the sessions, which own the host from here on; if that fails, the host is closed.
        public Sessions build() {
            try {
                return new Sessions(new Registry(
                        host,
                        limits,
                        resources,
                        environment != null ? environment : Environment.inherited(System.getenv()),
                        state != null ? state : StateFolder.standard(System.getenv()),
                        observers));
            } catch (RuntimeException e) {
                host.close();
                throw e;
            }
        }
    }
}
