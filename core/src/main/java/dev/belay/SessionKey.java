package dev.belay;

import org.jspecify.annotations.Nullable;

/// What a session is listed by: its id, which is unique per owner. Sorted by id, then by owner.
public record SessionKey(String id, String owner) implements Comparable<SessionKey> {
    SessionKey(LiveSession live) {
        this(live.id, live.spec.owner());
    }

    public static SessionKey of(Session session) {
        return new SessionKey(session.id(), session.spec().owner());
    }

    public static SessionKey of(SessionRecord session) {
        return new SessionKey(session.id(), session.owner());
    }

    // Written out: the JVM would generate both for the first session, which takes milliseconds.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SessionKey key && key.id.equals(id) && key.owner.equals(owner);
    }

    @Override
    public int hashCode() {
        return 31 * id.hashCode() + owner.hashCode();
    }

    @Override
    public int compareTo(SessionKey other) {
        int byId = id.compareTo(other.id);
        return byId != 0 ? byId : owner.compareTo(other.owner);
    }
}
