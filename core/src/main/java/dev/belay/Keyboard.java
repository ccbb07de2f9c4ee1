package dev.belay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/// Who may type into a session, and which of its output was printed privately.
///
/// Its lock guards the lease only. Readers look at the list of hidden ranges, which is replaced, never changed.
final class Keyboard {
    private final String session;
    private final FileLog log;
    private final Doorbell bell;
    private final ScheduledExecutorService timer;
    private @Nullable Lease current;
    private boolean retired;
    private volatile List<Hidden> hidden = List.of();

    /// Output that only its holder and admins may read; open, that is up to `Long.MAX_VALUE`, while the lease lasts.
    private record Hidden(String holder, long from, long to) {
        boolean hides(Actor actor) {
            return actor.agent() || (!actor.admin() && !actor.is(holder));
        }
    }

    Keyboard(String session, FileLog log, Doorbell bell, ScheduledExecutorService timer) {
        this.session = session;
        this.log = log;
        this.bell = bell;
        this.timer = timer;
    }

    Lease take(Actor actor, boolean isPrivate, @Nullable Duration timeout) {
        Lease lease = new Lease(this, actor.name(), timer);
        synchronized (this) {
            if (retired) {
                throw new SessionException(
                        ErrorCode.NOT_WRITABLE, "Session " + session + " has exited; there is no keyboard to take.");
            }
            if (current != null && !current.holder().equals(actor.name()) && !actor.admin()) {
                throw denied(current);
            }
            lapse();
            current = lease;
            if (isPrivate) {
                List<Hidden> more = stillKept();
                more.add(new Hidden(actor.name(), log.end(), Long.MAX_VALUE));
                hidden = List.copyOf(more);
            }
        }
        lease.expireIn(timeout);
        bell.ring();
        return lease;
    }

    Optional<Lease> lease() {
        synchronized (this) {
            return Optional.ofNullable(current);
        }
    }

    void requireMayType(Actor actor) {
        synchronized (this) {
            if (current != null && !mayType(actor)) {
                throw denied(current);
            }
        }
    }

    boolean mayType(Actor actor) {
        synchronized (this) {
            return current == null || actor.is(current.holder());
        }
    }

    boolean isCurrent(Lease lease) {
        synchronized (this) {
            return current == lease;
        }
    }

    /// Ends a lease, unless another has taken its place.
    void end(Lease lease) {
        synchronized (this) {
            if (current != lease) {
                return;
            }
            lapse();
        }
        bell.ring();
    }

    /// The session has exited: no lease lasts, none can be taken.
    void retire() {
        synchronized (this) {
            retired = true;
            lapse();
        }
    }

    private void lapse() {
        if (current != null) {
            current.cancelTimers();
            current = null;
            long end = log.end();
            hidden = hidden.stream()
                    .map(range -> range.to() == Long.MAX_VALUE ? new Hidden(range.holder(), range.from(), end) : range)
                    .filter(range -> range.from() < range.to())
                    .toList();
        }
    }

    private List<Hidden> stillKept() {
        long start = log.start();
        List<Hidden> kept = new ArrayList<>();
        for (Hidden range : hidden) {
            if (range.to() > start) {
                kept.add(range);
            }
        }
        return kept;
    }

    private SessionException denied(Lease lease) {
        return new SessionException(
                ErrorCode.DENIED,
                lease.holder() + " has the keyboard of session " + session
                        + "; read along, and write again when it has been given back.");
    }

    /// How far an actor can read now: up to what is private at present, which turns into a gap when it ends.
    long visibleEnd(Actor actor, long end) {
        List<Hidden> now = hidden;
        if (now.isEmpty()) {
            return end;
        }
        Hidden last = now.getLast();
        return last.to() == Long.MAX_VALUE && last.hides(actor) ? Math.min(end, last.from()) : end;
    }

    /// Where the private range around an offset ends; the offset itself if the actor may read it.
    long hiddenUntil(Actor actor, long offset) {
        for (Hidden range : hidden) {
            if (range.from() <= offset && offset < range.to() && range.hides(actor)) {
                return range.to();
            }
        }
        return offset;
    }

    /// Where the next private range begins after an offset.
    long nextHidden(Actor actor, long offset) {
        for (Hidden range : hidden) {
            if (range.from() > offset && range.hides(actor)) {
                return range.from();
            }
        }
        return Long.MAX_VALUE;
    }
}
