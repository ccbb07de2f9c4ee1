package dev.belay.server.auth;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.server.ServerSettings;
import java.util.List;

/// The sessions as principals may see and drive them: what every front door goes through.
///
/// A session that a principal may not see is `NOT_FOUND`, as if it did not exist.
public final class Access {
    private final Sessions sessions;
    private final Authority authority;
    private final Admission admission;

    public Access(Sessions sessions, Authority authority, Admission admission) {
        this.sessions = sessions;
        this.authority = authority;
        this.admission = admission;
    }

    /// The sessions that somebody may see, sorted by id.
    public List<Session> list(Login login) {
        Principal principal = authority.require(login);
        return sessions.list().stream()
                .filter(session -> principal.sees(session.spec().owner()))
                .map(session -> session.as(principal.actor()))
                .toList();
    }

    /// A session to read, as the principal sees it.
    public Session see(Login login, String id) {
        return see(authority.require(login), id);
    }

    /// A session to write to, resize, signal, take the keyboard of, or close.
    public Session drive(Login login, String id) {
        Principal principal = authority.require(login);
        Session session = see(principal, id);
        requireMayDrive(principal);
        return session;
    }

    /// Whether somebody may drive what they see.
    public boolean mayDrive(Login login) {
        return authority.require(login).role() != Role.WATCH;
    }

    /// Opens a session for somebody, within their quota and pace. May wait its turn, where the door has a queue.
    ///
    /// @param spec owner and the label of the door are set here, an idle timeout where the door has one
    public Session open(Login login, Door door, SessionSpec spec) throws InterruptedException {
        Principal principal = authority.require(login);
        requireMayDrive(principal);
        return admission.open(principal, door, spec).as(principal.actor());
    }

    private Session see(Principal principal, String id) {
        return sessions.find(id)
                .filter(session -> principal.sees(session.spec().owner()))
                .map(session -> session.as(principal.actor()))
                .orElseThrow(() -> new SessionException(
                        ErrorCode.NOT_FOUND,
                        "There is no session " + Quoted.of(id) + "; list the sessions to see which are."));
    }

    private static void requireMayDrive(Principal principal) {
        if (principal.role() == Role.WATCH) {
            throw new SessionException(
                    ErrorCode.DENIED, principal.name() + " may watch sessions, and change nothing.");
        }
    }

    /// Takes new limits.
    public void reload(ServerSettings settings) {
        admission.reload(settings);
    }
}
