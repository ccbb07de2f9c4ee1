package dev.belay;

/// What a session is listed by: its id, which is unique per owner. Sorted by id, then by owner.
record SessionKey(String id, String owner) implements Comparable<SessionKey> {
    SessionKey(LiveSession live) {
        this(live.id, live.spec.owner());
    }

    @Override
    public int compareTo(SessionKey other) {
        int byId = id.compareTo(other.id);
        return byId != 0 ? byId : owner.compareTo(other.owner);
    }
}
