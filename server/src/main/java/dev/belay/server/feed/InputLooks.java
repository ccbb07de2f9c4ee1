package dev.belay.server.feed;

import dev.belay.InputState;
import dev.belay.Session;
import dev.belay.SessionKey;
import dev.belay.SessionState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// When to look whether sessions wait for input, and what was seen.
///
/// A session is looked at when its output has paused, a second later, and then every five seconds; one that prints all
/// the time, once a second. The monitor guards the table; the looks themselves happen outside of it, on the feed's
/// thread.
final class InputLooks {
    private static final long PAUSE_NANOS = 150_000_000;
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final long EVERY_NANOS = 5_000_000_000L;

    private final Map<SessionKey, Look> looks = new HashMap<>();
    private final LongAdder count = new LongAdder();

    /// What was seen of one session, and when to look again.
    private static final class Look {
        final String identity;
        @Nullable InputState state;
        long dueNanos;
        /// Whether something was printed after the last look, and since when.
        boolean printed;
        long printedNanos;
        boolean settled;

        Look(String identity, long now) {
            this.identity = identity;
            this.dueNanos = now;
        }
    }

    /// These are the sessions there are.
    synchronized void follow(List<Session> sessions, long now) {
        Map<SessionKey, Look> known = new HashMap<>(looks);
        looks.clear();
        for (Session session : sessions) {
            SessionKey key = SessionKey.of(session);
            Look look = known.get(key);
            looks.put(key, look != null && look.identity.equals(session.identity())
                    ? look
                    : new Look(session.identity(), now + PAUSE_NANOS));
        }
    }

    /// A session has printed.
    ///
    /// @return whether a look is due sooner than the thread may expect
    synchronized boolean printed(SessionKey key, long now) {
        Look look = looks.get(key);
        boolean sooner = look != null && !look.printed;
        if (look != null) {
            if (!look.printed) {
                look.printed = true;
                look.printedNanos = now;
            }
            look.settled = false;
            long latest = look.printedNanos + SECOND_NANOS;
            look.dueNanos = now + PAUSE_NANOS - latest < 0 ? now + PAUSE_NANOS : latest;
        }
        return sooner;
    }

    /// The sessions to look at now.
    synchronized Set<SessionKey> due(long now) {
        List<SessionKey> due = new ArrayList<>();
        looks.forEach((key, look) -> {
            if (look.dueNanos - now <= 0) {
                due.add(key);
            }
        });
        return Set.copyOf(due);
    }

    /// How long until the next look is due, at most a time.
    synchronized long nanosToNext(long now, long most) {
        long next = most;
        for (Look look : looks.values()) {
            next = Math.min(next, look.dueNanos - now);
        }
        return Math.max(0, next);
    }

    /// Looks at a session. Reads what the kernel shows of its processes.
    ///
    /// @param rests whether it is a shell that waits for its agent alone
    /// @return whether something has changed
    boolean look(Session session, BooleanSupplier rests, long now) {
        InputState state = session.state() == SessionState.RUNNING ? session.inputState() : null;
        if (state != null && state.seenWaiting() && rests.getAsBoolean()) {
            state = InputState.NOBODY;
        }
        count.increment();
        synchronized (this) {
            Look look = looks.get(SessionKey.of(session));
            if (look == null || !look.identity.equals(session.identity())) {
                return false;
            }
            boolean other = !Objects.equals(look.state, state);
            look.state = state;
            if (look.dueNanos - now <= 0) {
                look.dueNanos = now + (look.settled ? EVERY_NANOS : SECOND_NANOS);
                look.settled = true;
                look.printed = false;
            }
            return other;
        }
    }

    /// What was seen of a session; null if nobody has looked.
    synchronized @Nullable InputState state(Session session) {
        Look look = looks.get(SessionKey.of(session));
        return look == null || !look.identity.equals(session.identity()) ? null : look.state;
    }

    synchronized void forget(SessionKey key) {
        looks.remove(key);
    }

    synchronized void forget() {
        looks.clear();
    }

    /// How many looks there were.
    long count() {
        return count.sum();
    }
}
