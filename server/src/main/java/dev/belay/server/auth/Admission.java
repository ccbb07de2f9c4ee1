package dev.belay.server.auth;

import dev.belay.ErrorCode;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.server.Capacity;
import dev.belay.server.ServerSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Decides who may open a session now: within the machine's room, the principal's quota, and their pace.
///
/// Sessions are counted where they are, in the list; those that are being opened are reserved by id until they stand
/// there. So there is no second count that could drift. The monitor guards the reservations only.
public final class Admission {
    private final Sessions sessions;
    private final Supplier<Capacity> capacity;
    private final Paces creations = new Paces();
    private final Paces terminals = new Paces();
    private final Map<String, Reservation> reserved = new HashMap<>();
    private final LongAdder rateLimited = new LongAdder();
    private final LongAdder overQuota = new LongAdder();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile ServerSettings settings;
    private volatile boolean draining;

    private record Reservation(String owner, Door door) {}

    public Admission(Sessions sessions, Supplier<Capacity> capacity, ServerSettings settings) {
        this.sessions = sessions;
        this.capacity = capacity;
        this.settings = settings;
    }

    void reload(ServerSettings now) {
        settings = now;
    }

    /// Opens nothing from here on.
    public void drain() {
        draining = true;
    }

    Session open(Principal principal, Door door, SessionSpec wanted) throws InterruptedException {
        requireRunning();
        String id = wanted.id() != null ? wanted.id() : UUID.randomUUID().toString();
        SessionSpec spec = wanted.id(id)
                .owner(principal.name())
                .label(Door.LABEL, door.label())
                .idleTimeout(wanted.idleTimeout() != null ? wanted.idleTimeout() : idleTimeout(door));
        await(pace(principal, door));
        requireRunning();
        boolean mine = reserve(id, principal, door);
        try {
            return sessions.open(spec);
        } finally {
            if (mine) {
                synchronized (this) {
                    reserved.remove(id);
                }
            }
        }
    }

    private void requireRunning() {
        if (draining) {
            throw new SessionException(ErrorCode.UNAVAILABLE, "The server is shutting down; no session can be opened.");
        }
    }

    private @Nullable Duration idleTimeout(Door door) {
        return switch (door) {
            case TERMINAL -> settings.doors().terminalIdleTimeout();
            // The agent tools set it themselves: they know when none is wanted.
            case AGENT, API -> null;
        };
    }

    // --- pace ---

    /// @return how long to wait for one's turn
    private long pace(Principal principal, Door door) {
        long now = System.nanoTime();
        Quota quota = principal.quota();
        long wait = creations.of(principal.name(), now).take(now, quota.creations(), quota.per(), 0);
        if (wait < 0) {
            rateLimited.increment();
            throw Refusals.tooSoon(
                    principal.name() + " may open " + quota.creations() + " sessions in " + quota.per().toSeconds()
                            + " s",
                    -wait);
        }
        Duration step = settings.doors().terminalPace();
        if (door != Door.TERMINAL || step.isZero()) {
            return 0;
        }
        long turn = terminals.of(principal.name(), now)
                .take(now, 1, step, step.toNanos() * settings.doors().terminalQueue());
        if (turn < 0) {
            rateLimited.increment();
            throw Refusals.tooSoon("Terminals are opened one every " + step.toMillis() + " ms", -turn);
        }
        return turn;
    }

    private void await(long nanos) throws InterruptedException {
        if (nanos > 0) {
            waiting.incrementAndGet();
            try {
                Thread.sleep(Duration.ofNanos(nanos));
            } finally {
                waiting.decrementAndGet();
            }
        }
    }

    // --- room ---

    /// @return false if somebody else is opening a session of that id at this moment: one of the two will be refused
    private synchronized boolean reserve(String id, Principal principal, Door door) {
        List<Session> live = sessions.list().stream()
                .filter(session -> !session.drained() && !reserved.containsKey(session.id()))
                .toList();
        int all = live.size() + reserved.size();
        Capacity room = room();
        if (all >= room.sessions()) {
            throw full(all, room.sessions(), "of this server, which is bounded by " + room.reason());
        }
        requireQuota(live, principal, door);
        requireKeptBytes(principal);
        return reserved.putIfAbsent(id, new Reservation(principal.name(), door)) == null;
    }

    private void requireQuota(List<Session> live, Principal principal, Door door) {
        String name = principal.name();
        List<Session> own = live.stream().filter(session -> session.spec().owner().equals(name)).toList();
        long ownReserved = reserved.values().stream().filter(one -> one.owner().equals(name)).count();
        long count = own.size() + ownReserved;
        if (count >= principal.quota().sessions()) {
            throw full(count, principal.quota().sessions(), "of " + name);
        }
        long here = own.stream().filter(door::opened).count()
                + reserved.values().stream().filter(one -> one.equals(new Reservation(name, door))).count();
        int most = principal.quota().sessions(door);
        if (here >= most) {
            throw full(here, most, "of " + name + " by " + door.label());
        }
    }

    private void requireKeptBytes(Principal principal) {
        long kept = 0;
        for (Session session : sessions.list()) {
            if (session.spec().owner().equals(principal.name())) {
                kept += session.output().end() - session.output().start();
            }
        }
        if (kept > principal.quota().keptBytes()) {
            overQuota.increment();
            throw new SessionException(
                    ErrorCode.LIMIT_REACHED,
                    "The sessions of " + principal.name() + " keep " + kept + " bytes of output, "
                            + principal.quota().keptBytes() + " are allowed: close sessions that have exited.");
        }
    }

    private SessionException full(long used, int most, String whose) {
        overQuota.increment();
        return new SessionException(
                ErrorCode.LIMIT_REACHED,
                "Maximum PTY sessions reached (" + used + " of " + most + "): these are the sessions " + whose
                        + ". Close one you no longer need, or wait until one has exited, then try again.");
    }

    // --- what others ask ---

    /// How many sessions there may be in all at this moment, and why.
    public Capacity room() {
        Capacity machine = capacity.get();
        Integer most = settings.maxSessions();
        return most != null && most <= machine.sessions()
                ? machine.sessions(most, "the setting max_sessions")
                : machine;
    }

    /// Creations that wait for their turn.
    public int waiting() {
        return waiting.get();
    }

    /// Creations that came too soon after others.
    public long rateLimited() {
        return rateLimited.sum();
    }

    /// Creations beyond a quota or the server's room.
    public long overQuota() {
        return overQuota.sum();
    }
}
