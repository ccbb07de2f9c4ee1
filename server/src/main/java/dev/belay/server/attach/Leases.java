package dev.belay.server.attach;

import dev.belay.ErrorCode;
import dev.belay.Lease;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.server.auth.Login;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/// The keyboards of sessions in principals' hands. A holder is there as long as they view the session; without a
/// viewer, taking the keyboard and each input are signs of life. 30 seconds after the last one it is given back.
public final class Leases {
    private final BiPredicate<Session, String> viewing;

    /// @param viewing whether a principal has a viewer of a session
    Leases(BiPredicate<Session, String> viewing) {
        this.viewing = viewing;
    }

    /// Does what a client asks for by name: `take` or `give_back`.
    public void act(
            Session session, Login login, String action, boolean isPrivate, @Nullable Duration timeout) {
        switch (action) {
            case "take" -> take(session, login, isPrivate, timeout);
            case "give_back" -> giveBack(session, login);
            default -> throw new SessionException(ErrorCode.INVALID_REQUEST, "action must be take or give_back.");
        }
    }

    /// Takes the keyboard.
    ///
    /// @param timeout when it is given back in any case, or null
    public void take(Session session, Login login, boolean isPrivate, @Nullable Duration timeout) {
        session.takeKeyboard(isPrivate, timeout);
        heard(session, login);
    }

    /// Gives the keyboard back; one's own, or as an admin anybody's.
    public void giveBack(Session session, Login login) {
        Optional<Lease> lease = session.lease();
        if (lease.isPresent() && !lease.get().holder().equals(login.name()) && !login.principal().admin()) {
            throw new SessionException(
                    ErrorCode.DENIED, lease.get().holder() + " has the keyboard; only they can give it back.");
        }
        lease.ifPresent(Lease::giveBack);
    }

    /// A holder gave a sign of life, or has come or gone.
    public void heard(Session session, Login login) {
        session.lease().filter(lease -> lease.holder().equals(login.name())).ifPresent(lease -> {
            if (viewing.test(session, login.name())) {
                lease.back();
            } else {
                lease.away();
            }
        });
    }
}
