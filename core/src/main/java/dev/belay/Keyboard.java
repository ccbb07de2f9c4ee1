package dev.belay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Who may type into a session, and which of its output was printed privately.
///
/// The lock guards only the lease. Readers use the list of hidden ranges, which is replaced and never changed.
final class Keyboard {
    private final String session;
    private final FileLog log;
    private final Doorbell bell;
    private final Timer timer;
    private final Listener listener;
    private @Nullable Lease current;
    private boolean retired;
    private volatile List<PrivateRange> hidden = List.of();
    /// Who typed last, if they typed privately; null if somebody typed openly since.
    private @Nullable String typist;

    /// Hears that the keyboard has changed hands, on the thread that did it. It is quick.
    @FunctionalInterface
    interface Listener {
        /// The keyboard is somebody's, or nobody's.
        ///
        /// @param holder null: nobody
        void changed(@Nullable String holder, boolean isPrivate);
    }

    Keyboard(String session, FileLog log, Doorbell bell, Timer timer, Listener listener) {
        this.session = session;
        this.log = log;
        this.bell = bell;
        this.timer = timer;
        this.listener = listener;
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
                List<PrivateRange> more = stillKept();
                more.add(new PrivateRange(actor.name(), log.end(), Long.MAX_VALUE));
                hidden = List.copyOf(more);
            }
        }
        lease.expireIn(timeout);
        bell.ring();
        listener.changed(actor.name(), isPrivate);
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
            boolean may = current == null || actor.is(current.holder());
            if (may) {
                typist = openTo();
            }
            return may;
        }
    }

    /// For whom programs start now: the holder of a private keyboard, or the last one if nobody has typed since. Null
    /// if everybody may know.
    @Nullable String startsFor() {
        synchronized (this) {
            String holder = openTo();
            return holder == null ? typist : holder;
        }
    }

    /// The holder of the private range that lasts; null if there is none.
    private @Nullable String openTo() {
        PrivateRange last = hidden.isEmpty() ? null : hidden.getLast();
        return last != null && last.to() == Long.MAX_VALUE ? last.holder() : null;
    }

    boolean isCurrent(Lease lease) {
        synchronized (this) {
            return current == lease;
        }
    }

    /// Ends a lease, unless another one has replaced it.
    void end(Lease lease) {
        synchronized (this) {
            if (current != lease) {
                return;
            }
            lapse();
        }
        bell.ring();
        listener.changed(null, false);
    }

    /// The session has exited: the lease ends, and nobody can take the keyboard.
    void retire() {
        boolean held;
        synchronized (this) {
            retired = true;
            held = current != null;
            lapse();
        }
        if (held) {
            listener.changed(null, false);
        }
    }

    private void lapse() {
        if (current != null) {
            current.cancelTimers();
            current = null;
            long end = log.end();
            hidden = hidden.stream()
                    .map(range -> range.to() == Long.MAX_VALUE
                            ? new PrivateRange(range.holder(), range.from(), end)
                            : range)
                    .filter(range -> range.from() < range.to())
                    .toList();
        }
    }

    private List<PrivateRange> stillKept() {
        long start = log.start();
        List<PrivateRange> kept = new ArrayList<>();
        for (PrivateRange range : hidden) {
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
                        + "; you can read, and write again once it is given back.");
    }

    /// The private ranges, in order. Those that were dropped from the log may be missing.
    List<PrivateRange> privateRanges() {
        return hidden;
    }

    /// How far an actor can read now: up to the open private range, which becomes a gap when it ends.
    long visibleEnd(Actor actor, long end) {
        List<PrivateRange> now = hidden;
        if (now.isEmpty()) {
            return end;
        }
        PrivateRange last = now.getLast();
        return last.to() == Long.MAX_VALUE && last.hides(actor) ? Math.min(end, last.from()) : end;
    }

    /// Where the private range around an offset ends, or the offset itself if the actor may read it.
    long hiddenUntil(Actor actor, long offset) {
        for (PrivateRange range : hidden) {
            if (range.from() <= offset && offset < range.to() && range.hides(actor)) {
                return range.to();
            }
        }
        return offset;
    }

    /// Where the next private range begins after an offset.
    long nextHidden(Actor actor, long offset) {
        for (PrivateRange range : hidden) {
            if (range.from() > offset && range.hides(actor)) {
                return range.from();
            }
        }
        return Long.MAX_VALUE;
    }
}
