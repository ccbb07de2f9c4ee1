package dev.belay.access;

import dev.belay.Approval;
import dev.belay.ErrorCode;
import dev.belay.Isolation;
import dev.belay.Origin;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionKey;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The one way to sessions for everybody who does not own them all: gives each actor a view of what it may see and
/// drive, and opens sessions within the machine's capacity and the principal's quota and pace.
///
/// Live sessions are counted in the list of sessions; those being opened are reserved until they are listed. So there
/// is no second count that could drift. The monitor guards only the reservations.
public final class Gate {
    private final Sessions sessions;
    private final Supplier<Capacity> capacity;
    private final Supplier<Settings> settings;
    private final Paces creations = new Paces();
    private final Paces terminals = new Paces();
    /// The sessions that are being opened.
    private final Map<SessionKey, Origin> reserved = new HashMap<>();
    private final LongAdder rateLimited = new LongAdder();
    private final LongAdder overQuota = new LongAdder();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile boolean shut;
    private volatile BiConsumer<SessionSpec, SessionException> refused = (_, _) -> {};

    /// What can be set for all principals together.
    ///
    /// @param maxSessions         the most sessions at once; null: the machine's capacity
    /// @param terminalIdleTimeout when an unused terminal ends; null: never
    /// @param terminalPace        the time between two terminals of one principal
    /// @param terminalQueue       how many terminals of one principal may wait for their turn
    public record Settings(
            @Nullable Integer maxSessions,
            @Nullable Duration terminalIdleTimeout,
            Duration terminalPace,
            int terminalQueue) {
        /// No limits other than the machine's capacity and the quotas.
        public static final Settings DEFAULT = new Settings(null, null, Duration.ZERO, 0);
    }

    /// @param capacity asked at every open, so it should be quick
    /// @param settings asked at every open: they may change
    public Gate(Sessions sessions, Supplier<Capacity> capacity, Supplier<Settings> settings) {
        this.sessions = sessions;
        this.capacity = capacity;
        this.settings = settings;
    }

    /// The view of one agent that has these sessions to itself.
    ///
    /// @param maxSessions how many sessions it may have at once; asked at every use
    public static ActorSessions forOneAgent(Sessions sessions, String name, IntSupplier maxSessions) {
        Capacity unlimited = Capacity.UNKNOWN.sessions(Integer.MAX_VALUE, "nothing");
        return new Gate(sessions, () -> unlimited, () -> Settings.DEFAULT)
                .agent(() -> new Principal(
                        name, Role.USER, Quota.ofAgents(maxSessions.getAsInt()), Isolation.NONE,
                        List.of(Approval.CLIENT)));
    }

    /// The view of a person or program.
    ///
    /// @param principal looked up at every use: the supplier throws once the principal is signed out
    public ActorSessions view(Supplier<Principal> principal) {
        return new ActorSessions(this, principal, false, null);
    }

    /// The view of an agent that acts for a principal; see [#view].
    public ActorSessions agent(Supplier<Principal> principal) {
        return new ActorSessions(this, principal, true, null);
    }

    Sessions sessions() {
        return sessions;
    }

    /// Opens nothing from now on.
    public void shut() {
        shut = true;
    }

    Session open(Principal principal, SessionSpec wanted) throws InterruptedException {
        requireRunning();
        String id = wanted.id() != null ? wanted.id() : UUID.randomUUID().toString();
        SessionSpec spec = wanted.id(id)
                .owner(principal.name())
                .guard(wanted.guard()
                        .isolation(wanted.guard().isolation().within(principal.isolation()))
                        .approvers(principal.approvers()))
                .idleTimeout(wanted.idleTimeout() != null ? wanted.idleTimeout() : idleTimeout(wanted.origin()));
        SessionKey place = new SessionKey(id, principal.name());
        boolean mine = admit(place, principal, spec);
        try {
            return sessions.open(spec);
        } finally {
            if (mine) {
                synchronized (this) {
                    reserved.remove(place);
                }
            }
        }
    }

    /// Waits for the principal's turn and reserves a place, or refuses.
    private boolean admit(SessionKey place, Principal principal, SessionSpec spec) throws InterruptedException {
        try {
            await(pace(principal, spec.origin()));
            requireRunning();
            return reserve(place, principal, spec.origin());
        } catch (SessionException e) {
            refused.accept(spec, e);
            throw e;
        }
    }

    /// Sets a listener for what this gate refuses. What the sessions themselves refuse goes to their observers.
    public void onRefusal(BiConsumer<SessionSpec, SessionException> hears) {
        refused = hears;
    }

    private void requireRunning() {
        if (shut) {
            throw new SessionException(ErrorCode.UNAVAILABLE, "Belay is shutting down; no session can be opened.");
        }
    }

    private @Nullable Duration idleTimeout(Origin origin) {
        return switch (origin) {
            case TERMINAL -> settings.get().terminalIdleTimeout();
            // The agent tools set their own.
            case AGENT, API, LIBRARY -> null;
        };
    }

    // --- pace ---

    /// @return how long to wait for the principal's turn
    private long pace(Principal principal, Origin origin) {
        long now = sessions.time().nanos();
        String name = principal.name();
        Quota quota = principal.quota();
        long wait = creations.of(name, now).take(now, quota.creations(), quota.per(), 0);
        if (wait < 0) {
            rateLimited.increment();
            throw Pace.tooSoon(
                    name + " may open " + quota.creations() + " sessions in " + quota.per().toSeconds()
                            + " s",
                    -wait);
        }
        Duration step = settings.get().terminalPace();
        if (origin != Origin.TERMINAL || step.isZero()) {
            return 0;
        }
        long turn = terminals.of(name, now)
                .take(now, 1, step, step.toNanos() * settings.get().terminalQueue());
        if (turn < 0) {
            rateLimited.increment();
            throw Pace.tooSoon(name + " may open one terminal every " + step.toMillis() + " ms", -turn);
        }
        return turn;
    }

    private void await(long nanos) throws InterruptedException {
        if (nanos > 0) {
            waiting.incrementAndGet();
            try {
                sessions.time().sleep(Duration.ofNanos(nanos));
            } finally {
                waiting.decrementAndGet();
            }
        }
    }

    // --- capacity and quota ---

    /// @return false if somebody else is opening a session with that id right now: one of the two will be refused
    private synchronized boolean reserve(SessionKey place, Principal principal, Origin origin) {
        List<Session> live = sessions.list().stream()
                .filter(session -> !session.drained() && !reserved.containsKey(SessionKey.of(session)))
                .toList();
        int all = live.size() + reserved.size();
        Capacity room = room();
        if (all >= room.sessions()) {
            throw full(all, room.sessions(), "sessions in all, because of " + room.reason());
        }
        requireQuota(live, principal, origin);
        requireKeptBytes(principal);
        return reserved.putIfAbsent(place, origin) == null;
    }

    private void requireQuota(List<Session> live, Principal principal, Origin origin) {
        String name = principal.name();
        List<Session> own = live.stream().filter(session -> session.spec().owner().equals(name)).toList();
        List<Origin> opening = reserved.entrySet().stream()
                .filter(one -> one.getKey().owner().equals(name))
                .map(Map.Entry::getValue)
                .toList();
        int count = own.size() + opening.size();
        if (count >= principal.quota().sessions()) {
            throw full(count, principal.quota().sessions(), "sessions of " + name);
        }
        long here = own.stream().filter(session -> session.spec().origin() == origin).count()
                + opening.stream().filter(origin::equals).count();
        int most = principal.quota().sessions(origin);
        if (here >= most) {
            throw full(here, most, origin.label() + " sessions of " + name);
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
                    "The sessions of " + principal.name() + " keep " + kept + " bytes of output, more than the "
                            + principal.quota().keptBytes() + " allowed. Close sessions that have exited.");
        }
    }

    private SessionException full(long used, int most, String what) {
        overQuota.increment();
        return new SessionException(
                ErrorCode.LIMIT_REACHED,
                "Maximum PTY sessions reached (" + used + " of " + most + "): the limit on " + what
                        + ". Close one you no longer need, or wait until one has exited, then try again.");
    }

    // --- numbers ---

    /// How many sessions there may be in all right now, and why.
    public Capacity room() {
        Capacity machine = capacity.get();
        Integer most = settings.get().maxSessions();
        return most != null && most <= machine.sessions()
                ? machine.sessions(most, "the setting max_sessions")
                : machine;
    }

    /// Sessions waiting for their turn to be opened.
    public int waiting() {
        return waiting.get();
    }

    /// Refusals because of a pace.
    public long rateLimited() {
        return rateLimited.sum();
    }

    /// Refusals because of a quota or the machine's capacity.
    public long overQuota() {
        return overQuota.sum();
    }
}
