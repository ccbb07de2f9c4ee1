package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.cli.args.Similar;
import dev.belay.cli.args.UsageException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A session on a server, found by the name that a person wrote.
///
/// @param owner whose session it is, if the id alone may not say so
record RemoteSession(RestClient client, String id, @Nullable String owner) {
    private static final String SESSIONS = "/api/sessions";

    /// Finds a session by its id, by the beginning of its id, or by `OWNER/ID`.
    static RemoteSession find(RestClient client, String name) {
        int slash = name.indexOf('/');
        String owner = slash < 0 ? null : name.substring(0, slash);
        String id = name.substring(slash + 1);
        if (id.matches("[A-Za-z0-9_-]{1,128}")) {
            RemoteSession exact = new RemoteSession(client, id, owner);
            try {
                exact.record();
                return exact;
            } catch (SessionException e) {
                if (e.code() != ErrorCode.NOT_FOUND) {
                    throw e;
                }
            }
        }
        return byPrefix(client, name, id, owner);
    }

    private static RemoteSession byPrefix(RestClient client, String name, String id, @Nullable String owner) {
        List<RemoteSession> found = new ArrayList<>();
        List<String> known = new ArrayList<>();
        for (JsonNode record : client.get(SESSIONS).path("sessions")) {
            String its = record.path("id").asString("");
            String owned = record.path("owner").asString("");
            known.add(its);
            if (!id.isEmpty() && its.startsWith(id) && (owner == null || owner.equals(owned))) {
                found.add(new RemoteSession(client, its, owned));
            }
        }
        if (found.isEmpty()) {
            String similar = Similar.suggestion(id, known);
            throw new SessionException(
                    ErrorCode.NOT_FOUND,
                    "There is no session '" + name + "'"
                            + (similar.equals(".") ? "; 'belay ls' lists your sessions." : similar));
        }
        if (found.size() > 1) {
            throw new UsageException("'" + name + "' matches "
                    + String.join(", ", found.stream().limit(5).map(RemoteSession::named).toList())
                    + (found.size() > 5 ? ", ..." : "") + "; type more of it");
        }
        return found.getFirst();
    }

    private String named() {
        return owner == null ? id : owner + "/" + id;
    }

    /// The path of something below this session.
    ///
    /// @param query names and values of query parameters in turn; those without a value are left out
    String path(String below, @Nullable Object... query) {
        StringBuilder path = new StringBuilder(SESSIONS + "/" + id + below);
        char next = add(path, '?', "owner", owner);
        for (int i = 0; i < query.length; i += 2) {
            next = add(path, next, String.valueOf(query[i]), query[i + 1]);
        }
        return path.toString();
    }

    private static char add(StringBuilder path, char mark, String name, @Nullable Object value) {
        if (value == null) {
            return mark;
        }
        path.append(mark).append(name).append('=')
                .append(URLEncoder.encode(value.toString(), StandardCharsets.UTF_8));
        return '&';
    }

    ObjectNode record() {
        return client.get(path(""));
    }
}
