package dev.belay.server.feed;

import dev.belay.SessionKey;
import dev.belay.server.feed.Changes.Change;
import dev.belay.server.feed.Changes.Gone;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The sessions as readers know them, and the number of each change.
///
/// Numbers begin where those of earlier runs of a server cannot be: at the time of the start, in microseconds. So a
/// reader that comes with a number of another run gets everything. What it remembers is bounded by the sessions there
/// are and by the last sessions that were closed. The monitor guards the fields; nothing is looked up in it.
final class SessionList {
    /// How many closed sessions are remembered. A reader that has missed more gets everything.
    static final int MOST_GONE = 1000;

    private static final long COUNT_NANOS = 1_000_000_000;

    private final Map<SessionKey, Entry> entries = new HashMap<>();
    private final Deque<Gone> gone = new ArrayDeque<>();
    private final long start;
    private long version;
    /// The version that a reader must have to get only what is new.
    private long floor;
    private long tickets;

    /// A session as it was last reported.
    ///
    /// @param version      of its last change
    /// @param wholeVersion of the last change of something other than a counter
    /// @param ticket       of the look that found this
    /// @param countedNanos when its counters were last reported
    private record Entry(
            String identity, ListedSession shown, long version, long wholeVersion, long ticket, long countedNanos) {
        Change change(long since) {
            return new Change(shown, version, wholeVersion > since);
        }
    }

    SessionList(long startMillis) {
        this.start = startMillis * 1000;
        this.version = start;
        this.floor = version;
    }

    /// Taken before sessions are looked at: what a look finds does not replace what a later one has found.
    synchronized long ticket() {
        return ++tickets;
    }

    synchronized long version() {
        return version;
    }

    /// How many changes there were.
    synchronized long changes() {
        return version - start;
    }

    synchronized int size() {
        return entries.size();
    }

    /// The version of a session; null if unknown.
    synchronized @Nullable Long version(SessionKey key) {
        Entry entry = entries.get(key);
        return entry == null ? null : entry.version();
    }

    /// What is known of a session, if it is still this one.
    synchronized @Nullable ListedSession shown(SessionKey key, String identity) {
        Entry entry = entries.get(key);
        return entry == null || !entry.identity().equals(identity) ? null : entry.shown();
    }

    /// A session was looked at.
    synchronized void put(SessionKey key, String identity, ListedSession now, long ticket, long nanos) {
        Entry before = entries.get(key);
        if (before != null && before.ticket() > ticket) {
            return;
        }
        if (before != null && !before.identity().equals(identity)) {
            remove(key);
            before = null;
        }
        if (before == null || now.differs(before.shown())) {
            version++;
            entries.put(key, new Entry(identity, now, version, version, ticket, nanos));
        } else if (!now.equals(before.shown()) && nanos - before.countedNanos() >= COUNT_NANOS) {
            version++;
            entries.put(key, new Entry(identity, now, version, before.wholeVersion(), ticket, nanos));
        }
    }

    /// All sessions were looked at: the others are gone.
    synchronized void retain(Set<SessionKey> listed, long ticket) {
        List<SessionKey> closed = entries.entrySet().stream()
                .filter(entry -> !listed.contains(entry.getKey()) && entry.getValue().ticket() <= ticket)
                .map(Map.Entry::getKey)
                .toList();
        closed.forEach(this::remove);
    }

    /// A session was looked for and not found.
    synchronized void gone(SessionKey key, long ticket) {
        Entry entry = entries.get(key);
        if (entry != null && entry.ticket() <= ticket) {
            remove(key);
        }
    }

    private void remove(SessionKey key) {
        entries.remove(key);
        version++;
        gone.add(new Gone(key.id(), key.owner(), version));
        if (gone.size() > MOST_GONE) {
            floor = gone.remove().version();
        }
    }

    /// Nobody reads now: a reader that comes back gets everything.
    synchronized void forget() {
        entries.clear();
        gone.clear();
        version++;
        floor = version;
    }

    /// What has changed after a version; everything if that is empty, too old, or from another run.
    synchronized Changes since(OptionalLong since) {
        boolean all = since.isEmpty() || since.getAsLong() < floor || since.getAsLong() > version;
        long after = all ? Long.MIN_VALUE : since.getAsLong();
        List<Change> changed = new ArrayList<>();
        for (Entry entry : entries.values()) {
            if (entry.version() > after) {
                changed.add(entry.change(after));
            }
        }
        List<Gone> closed = all ? List.of() : gone.stream().filter(one -> one.version() > after).toList();
        return new Changes(version, all, changed, closed);
    }
}
