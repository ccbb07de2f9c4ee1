package dev.belay.server.attach;

import dev.belay.ErrorCode;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.Time;
import dev.belay.screens.Screens;
import dev.belay.server.auth.Access;
import dev.belay.server.auth.Authority;
import dev.belay.server.auth.Login;
import dev.belay.server.logs.EventLog;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.ServerSettings.ViewerLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// All viewers of all sessions: attaches them, and knows who looks at what.
public final class Viewers {
    private final Access access;
    private final Authority authority;
    private final Screens screens;
    private final Leases leases = new Leases(this::viewing);
    private final ReconnectGrace reconnectGrace;
    private final Time time;
    private final Supplier<ViewerLimits> limits;
    private final ViewerStats stats;
    private final Set<Viewer> all = ConcurrentHashMap.newKeySet();
    private final List<ViewerListener> listeners = new CopyOnWriteArrayList<>();
    private final QuietTick quiet = new QuietTick(all, () -> limits().stall().dividedBy(3));

    public Viewers(
            Access access,
            Authority authority,
            Screens screens,
            Supplier<ServerSettings> settings,
            ViewerStats stats,
            EventLog events,
            Time time) {
        this.access = access;
        this.authority = authority;
        this.screens = screens;
        this.limits = () -> settings.get().viewers();
        this.reconnectGrace = new ReconnectGrace(() -> settings.get().doors().reconnectGrace(), this::viewing, events);
        this.stats = stats;
        this.time = time;
    }

    /// Adds a listener for viewers that come and go.
    public void addListener(ViewerListener listener) {
        listeners.add(listener);
    }

    /// Attaches a connection to a session and starts to send. It hears `attached` first, on the viewer's thread.
    ///
    /// @param found as [#require] gave it
    public Viewer attach(Login login, Session found, ViewOptions options, ViewerConnection connection) {
        boolean drives = options.mode() == Viewer.Mode.WRITE;
        Session session = requireOffset(access.of(login).recheck(found, drives), options.from());
        Viewer viewer = new Viewer(this, session, login, options, connection);
        int most = limits.get().perSession();
        if (all.stream().filter(other -> isOf(other, session)).count() >= most) {
            throw new SessionException(
                    ErrorCode.LIMIT_REACHED,
                    "Session " + session.id() + " has " + most + " viewers, the most allowed; detach one first.");
        }
        all.add(viewer);
        quiet.came();
        stats.attached();
        leases.heard(session, login);
        reconnectGrace.came(session, login);
        listeners.forEach(listener -> listener.came(viewer));
        viewer.start();
        return viewer;
    }

    /// Refuses what cannot be attached: before a connection is made for it, or another view is given up.
    ///
    /// @return the session as the principal sees it
    public Session require(Login login, String id, @Nullable String owner, ViewOptions options) {
        boolean drives = options.mode() == Viewer.Mode.WRITE;
        return requireOffset(
                drives ? access.of(login).drive(id, owner) : access.of(login).see(id, owner), options.from());
    }

    private static Session requireOffset(Session session, OptionalLong from) {
        long end = session.output().end();
        if (from.isPresent() && (from.getAsLong() < 0 || from.getAsLong() > end)) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "Offset " + from.getAsLong() + " is not in the output of session " + session.id()
                            + ", which ends at " + end
                            + ".");
        }
        return session;
    }

    /// Ends the views of everybody whose token is no longer valid.
    public void detachRevoked() {
        for (Viewer viewer : all) {
            if (authority.current(viewer.login()).isEmpty()) {
                viewer.detach(DetachReason.REVOKED);
            }
        }
    }

    /// Tells everybody that the server is shutting down.
    public void shutDown() {
        reconnectGrace.shutDown();
        all.forEach(viewer -> viewer.detach(DetachReason.SHUTDOWN));
    }

    /// All viewers now.
    public List<Viewer> list() {
        return new ArrayList<>(all);
    }

    public Leases leases() {
        return leases;
    }

    public ReconnectGrace reconnectGrace() {
        return reconnectGrace;
    }

    // --- what viewers report ---

    Access access() {
        return access;
    }

    Screens screens() {
        return screens;
    }

    Time time() {
        return time;
    }

    ViewerLimits limits() {
        return limits.get();
    }

    void sent(int bytes, long typedNanos) {
        stats.sent(bytes);
        if (typedNanos != 0) {
            stats.echoed(time.nanos() - typedNanos);
        }
    }

    void gap(long lost) {
        stats.gap(lost);
    }

    void repainted(RepaintReason why, int bytes) {
        stats.repainted(why, bytes);
    }

    void gone(Viewer viewer, DetachReason why) {
        if (all.remove(viewer)) {
            quiet.left();
            stats.detached(why);
            leases.heard(viewer.session(), viewer.login());
            reconnectGrace.left(viewer.session(), viewer.login());
            listeners.forEach(listener -> listener.left(viewer, why));
        }
    }

    private boolean viewing(Session session, String principal) {
        return all.stream().anyMatch(viewer -> isOf(viewer, session) && viewer.login().name().equals(principal));
    }

    private static boolean isOf(Viewer viewer, Session session) {
        return viewer.session().identity().equals(session.identity());
    }
}
