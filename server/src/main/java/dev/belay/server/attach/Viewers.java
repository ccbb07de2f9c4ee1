package dev.belay.server.attach;

import dev.belay.ErrorCode;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.Sessions;
import dev.belay.server.ServerSettings;
import dev.belay.server.ServerSettings.ViewerLimits;
import dev.belay.server.auth.Access;
import dev.belay.server.auth.Authority;
import dev.belay.server.auth.Login;
import dev.belay.server.logs.EventLog;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// All viewers of all sessions: attaches them, and knows who looks at what.
public final class Viewers {
    private final Access access;
    private final Authority authority;
    private final Inputs inputs;
    private final Leases leases = new Leases(this::viewing);
    private final Absences absences;
    private final Supplier<ViewerLimits> limits;
    private final ViewerStats stats;
    private final Set<Viewer> all = ConcurrentHashMap.newKeySet();

    public Viewers(
            Sessions sessions,
            Access access,
            Authority authority,
            Supplier<ServerSettings> settings,
            ViewerStats stats,
            EventLog events) {
        this.access = access;
        this.authority = authority;
        this.inputs = new Inputs(sessions);
        this.limits = () -> settings.get().viewers();
        this.absences = new Absences(() -> settings.get().doors().reconnectGrace(), this::viewing, events);
        this.stats = stats;
    }

    /// Attaches a connection to a session and starts to send. The line hears `attached` first, on the viewer's thread.
    ///
    /// @param from the offset to begin with; empty: the oldest byte still kept
    public Viewer attach(Login login, String id, OptionalLong from, Viewer.Mode mode, Line line) {
        Session session = require(login, id, from, mode);
        Viewer viewer = new Viewer(this, session, login, mode, from.orElse(session.output().start()), line);
        int most = limits.get().perSession();
        if (all.stream().filter(other -> other.session().id().equals(id)).count() >= most) {
            throw new SessionException(
                    ErrorCode.LIMIT_REACHED, "Session " + id + " has " + most + " viewers; let one of them go first.");
        }
        all.add(viewer);
        stats.attached();
        leases.heard(session, login);
        absences.came(session, login);
        viewer.start();
        return viewer;
    }

    /// Refuses what cannot be attached: before a connection is made for it, or another view is given up.
    ///
    /// @return the session as the principal sees it
    public Session require(Login login, String id, OptionalLong from, Viewer.Mode mode) {
        Session session = mode == Viewer.Mode.WRITE ? access.drive(login, id) : access.see(login, id);
        long end = session.output().end();
        if (from.isPresent() && (from.getAsLong() < 0 || from.getAsLong() > end)) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "Offset " + from.getAsLong() + " is not in the output of session " + id + ", which ends at " + end
                            + ".");
        }
        return session;
    }

    /// Ends the views of everybody whose token is no longer good.
    public void partFromRevoked() {
        for (Viewer viewer : all) {
            if (authority.current(viewer.login()).isEmpty()) {
                viewer.part(Parting.REVOKED);
            }
        }
    }

    /// Tells everybody that the server is going.
    public void shutDown() {
        absences.shutDown();
        all.forEach(viewer -> viewer.part(Parting.SHUTDOWN));
    }

    /// All viewers now.
    public List<Viewer> list() {
        return new ArrayList<>(all);
    }

    public Inputs inputs() {
        return inputs;
    }

    public Leases leases() {
        return leases;
    }

    public Absences absences() {
        return absences;
    }

    // --- what viewers report ---

    Access access() {
        return access;
    }

    ViewerLimits limits() {
        return limits.get();
    }

    void sent(int bytes, long typedNanos) {
        stats.sent(bytes);
        if (typedNanos != 0) {
            stats.echoed(System.nanoTime() - typedNanos);
        }
    }

    void gap(long lost) {
        stats.gap(lost);
    }

    void gone(Viewer viewer, Parting why) {
        if (all.remove(viewer)) {
            stats.parted(why);
            leases.heard(viewer.session(), viewer.login());
            absences.left(viewer.session(), viewer.login());
        }
    }

    private boolean viewing(String session, String principal) {
        return all.stream()
                .anyMatch(viewer -> viewer.session().id().equals(session) && viewer.login().name().equals(principal));
    }
}
