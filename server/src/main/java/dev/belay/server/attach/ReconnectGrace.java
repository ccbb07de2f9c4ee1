package dev.belay.server.attach;

import dev.belay.Actor;
import dev.belay.Origin;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.server.auth.Login;
import dev.belay.server.logs.EventLog;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

/// Terminals whose owner has gone away: each is closed when its owner does not view it again in time.
///
/// This concerns sessions that were opened as terminals and without `keep`; the owner's viewers count, others' do not.
/// Its monitor guards the list only. A virtual thread waits for each absence; an owner who comes back interrupts it.
public final class ReconnectGrace {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");

    private final Supplier<Duration> grace;
    private final BiPredicate<Session, String> viewing;
    private final EventLog events;
    /// By identity.
    private final Map<String, Thread> waiting = new HashMap<>();
    private final LongAdder ended = new LongAdder();
    private boolean shutDown;

    /// @param grace   how long an owner may be away
    /// @param viewing whether a principal has a viewer of a session
    ReconnectGrace(Supplier<Duration> grace, BiPredicate<Session, String> viewing, EventLog events) {
        this.grace = grace;
        this.viewing = viewing;
        this.events = events;
    }

    /// A viewer has come.
    synchronized void came(Session session, Login login) {
        if (login.name().equals(session.spec().owner())) {
            Thread absence = waiting.remove(session.identity());
            if (absence != null) {
                absence.interrupt();
            }
        }
    }

    /// A viewer has gone.
    void left(Session session, Login login) {
        SessionSpec spec = session.spec();
        if (!login.name().equals(spec.owner())
                || spec.origin() != Origin.TERMINAL
                || spec.keep()
                || session.drained()) {
            return;
        }
        Thread absence = Thread.ofVirtual().name("belay-absence " + session.id()).unstarted(() -> await(session));
        synchronized (this) {
            if (shutDown || waiting.containsKey(session.identity()) || viewing.test(session, spec.owner())) {
                return;
            }
            waiting.put(session.identity(), absence);
        }
        absence.start();
    }

    private void await(Session session) {
        try {
            Thread.sleep(grace.get());
        } catch (InterruptedException _) {
            return; // somebody has taken it from the list
        }
        synchronized (this) {
            if (!waiting.remove(session.identity(), Thread.currentThread())) {
                return;
            }
        }
        if (session.drained()) {
            return; // nothing of it runs, and what it printed stays readable for its time
        }
        events.log("owner_gone", Map.of("session", session.id(), "owner", session.spec().owner()));
        ended.increment();
        try {
            // The handle may be that of somebody who only watched.
            session.as(new Actor(session.spec().owner())).close();
        } catch (SessionException e) {
            LOG.log(System.Logger.Level.WARNING, "could not close session " + session.id() + ", whose owner left", e);
        }
    }

    /// Stops waiting for owners: all sessions end.
    synchronized void shutDown() {
        shutDown = true;
        waiting.values().forEach(Thread::interrupt);
        waiting.clear();
    }

    /// How many sessions wait for their owner.
    public synchronized int count() {
        return waiting.size();
    }

    /// How many sessions were closed because their owner did not come back.
    public long ended() {
        return ended.sum();
    }
}
