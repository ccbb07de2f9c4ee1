package dev.belay.server.logs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/// Keeps events that strangers can cause from filling a disk: the first of a kind is written at once, those that follow
/// within a minute are counted and written as one, the latest, with their number as `more`.
///
/// The number of kinds is bounded: beyond the bound, all kinds of an event share one. The monitor guards the table
/// only.
final class RepeatedEvents {
    static final Duration INTERVAL = Duration.ofMinutes(1);
    private static final int MAX_KINDS = 32;

    private final LongSupplier clock;
    private final Map<List<String>, Kind> kinds = new HashMap<>();

    /// Something to write.
    record Entry(String event, Map<String, ?> facts) {}

    private static final class Kind {
        final String event;
        long untilNanos;
        long more;
        Map<String, ?> latest = Map.of();

        Kind(String event) {
            this.event = event;
        }

        Entry entry() {
            Map<String, Object> facts = new LinkedHashMap<>(latest);
            facts.put("more", more);
            return new Entry(event, facts);
        }
    }

    RepeatedEvents(LongSupplier clock) {
        this.clock = clock;
    }

    /// Takes an event, and returns what to write now.
    synchronized List<Entry> take(String event, String of, Map<String, ?> facts) {
        List<Entry> due = due(false);
        List<String> key = List.of(event, of);
        if (!kinds.containsKey(key) && kinds.size() >= MAX_KINDS) {
            key = List.of(event, "");
        }
        Kind kind = kinds.get(key);
        if (kind == null) {
            kind = new Kind(event);
            kind.untilNanos = clock.getAsLong() + INTERVAL.toNanos();
            kinds.put(key, kind);
            due.add(new Entry(event, facts));
        } else {
            kind.more++;
            kind.latest = facts;
        }
        return due;
    }

    /// The counts of intervals that are over.
    ///
    /// @param all including intervals that are not over
    synchronized List<Entry> due(boolean all) {
        List<Entry> due = new ArrayList<>();
        long now = clock.getAsLong();
        kinds.values().removeIf(kind -> {
            if (!all && kind.untilNanos - now > 0) {
                return false;
            }
            if (kind.more == 0) {
                return true;
            }
            due.add(kind.entry());
            kind.more = 0;
            kind.untilNanos = now + INTERVAL.toNanos();
            return all;
        });
        return due;
    }
}
