package dev.belay.server.feed;

import dev.belay.Deadline;
import dev.belay.access.ActorSessions;
import dev.belay.server.wire.Json;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// A reader of some of the lists that remembers how far it has got. Belongs to one thread.
public final class ListReader {
    /// The lists there are.
    public static final List<String> LISTS = List.of("sessions", "stats", "events");

    private final Feed feed;
    private final ActorSessions view;
    private final Set<String> lists;
    private OptionalLong sessions;
    private OptionalLong seconds = OptionalLong.empty();
    private OptionalLong events;
    private boolean begun;

    /// @param lists    some of [#LISTS]
    /// @param sessions the version that the reader has of the sessions, if any
    /// @param events   the same of the events
    public ListReader(
            Feed feed, ActorSessions view, Set<String> lists, OptionalLong sessions, OptionalLong events) {
        this.feed = feed;
        this.view = view;
        this.lists = lists;
        this.sessions = sessions;
        this.events = events;
    }

    /// What is new; at first whatever there is. Waits until something is.
    ///
    /// @return null if the feed has been closed
    public @Nullable ObjectNode next() throws InterruptedException {
        try (var _ = lists.contains("sessions") ? feed.watch() : null) {
            while (!feed.closed()) {
                long rings = feed.changed().rings();
                view.requireSignedIn();
                ObjectNode now = Json.object();
                boolean moreSessions = putSessions(now);
                boolean moreSeconds = putStats(now);
                boolean moreEvents = putEvents(now);
                if (moreSessions || moreSeconds || moreEvents || !begun) {
                    begun = true;
                    return now;
                }
                feed.changed().await(rings, Deadline.in(view.time(), Duration.ofMinutes(1)));
            }
            return null;
        }
    }

    private boolean putSessions(ObjectNode to) throws InterruptedException {
        if (!lists.contains("sessions")) {
            return false;
        }
        // Only the first time it has to look itself: later the feed's thread does.
        Changes changes = begun ? feed.known(view, sessions) : feed.since(view, sessions, Duration.ZERO);
        sessions = OptionalLong.of(changes.version());
        changes.put(to);
        return !changes.none();
    }

    private boolean putStats(ObjectNode to) {
        if (!lists.contains("stats")) {
            return false;
        }
        List<ObjectNode> more = feed.statistics().since(view, seconds);
        if (!more.isEmpty()) {
            ArrayNode list = to.putObject("stats").putArray("seconds");
            more.forEach(list::add);
            seconds = OptionalLong.of(more.getLast().get("at").longValue());
        }
        return !more.isEmpty();
    }

    private boolean putEvents(ObjectNode to) {
        if (!lists.contains("events")) {
            return false;
        }
        History.Events more = feed.history().since(view, events, null);
        events = OptionalLong.of(more.version());
        if (!more.events().isEmpty()) {
            ArrayNode list = to.putArray("events");
            more.events().forEach(list::add);
        }
        return !more.events().isEmpty();
    }
}
