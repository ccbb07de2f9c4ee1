package dev.belay.server.feed;

import dev.belay.server.wire.Json;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// What has changed in the list of sessions after a version.
///
/// @param version  to ask for later changes with
/// @param all      whether these are all sessions: any others that a reader knows are gone
/// @param sessions those that are new or have changed
/// @param gone     those that were closed; some of `sessions` may have the same id again
public record Changes(long version, boolean all, List<Change> sessions, List<Gone> gone) {
    /// A session that is new or has changed.
    ///
    /// @param whole false if only counters have changed
    public record Change(ListedSession shown, long version, boolean whole) {
        public ObjectNode json() {
            return (whole ? shown.json() : shown.counters()).put("version", version);
        }
    }

    /// A session that was closed.
    public record Gone(String id, String owner, long version) {}

    public boolean none() {
        return !all && sessions.isEmpty() && gone.isEmpty();
    }

    /// Adds it to an answer or an event.
    public ObjectNode put(ObjectNode to) {
        to.put("version", version).put("all", all);
        ArrayNode changed = to.putArray("sessions");
        sessions.forEach(change -> changed.add(change.json()));
        ArrayNode closed = to.putArray("gone");
        gone.forEach(one -> closed.addObject().put("id", one.id()).put("owner", one.owner()));
        return to;
    }

    /// As an answer of its own.
    public ObjectNode json() {
        return put(Json.object());
    }
}
