package dev.belay.cli;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The sessions of a server, kept current by asking what has changed since the last answer. For one thread.
final class LiveList {
    private final Map<String, JsonNode> sessions = new LinkedHashMap<>();
    private @Nullable String version;

    /// What to ask the server next. It answers as soon as something has changed; at first, at once.
    String path(Duration wait) {
        return version == null ? "/api/sessions" : "/api/sessions?since=" + version + "&wait_ms=" + wait.toMillis();
    }

    /// Takes in an answer.
    ///
    /// @return whether anything is different now
    boolean update(ObjectNode answer) {
        boolean changed = version == null;
        version = Long.toString(answer.path("version").asLong());
        if (answer.path("all").asBoolean(false)) {
            changed = true;
            sessions.clear();
        }
        for (JsonNode gone : answer.path("gone")) {
            changed |= sessions.remove(name(gone)) != null;
        }
        for (JsonNode record : answer.path("sessions")) {
            changed = true;
            sessions.merge(name(record), record, LiveList::merged);
        }
        return changed;
    }

    /// If only counters have changed, the server sends only these.
    private static JsonNode merged(JsonNode known, JsonNode news) {
        ObjectNode all = known.deepCopy().asObject();
        all.setAll(news.asObject());
        return all;
    }

    private static String name(JsonNode record) {
        return record.path("owner").asString("") + "/" + record.path("id").asString("");
    }

    Collection<JsonNode> sessions() {
        return sessions.values();
    }
}
