package dev.belay.server.feed;

import dev.belay.Session;
import dev.belay.SessionRecord;

/// The key of a session in lists.
record Key(String owner, String id) {
    static Key of(Session session) {
        return new Key(session.spec().owner(), session.id());
    }

    static Key of(SessionRecord session) {
        return new Key(session.owner(), session.id());
    }
}
