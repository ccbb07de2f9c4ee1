package dev.belay.server.auth;

import dev.belay.Actor;

/// Who somebody turned out to be.
public record Principal(String name, Role role, Quota quota) {
    public boolean admin() {
        return role == Role.ADMIN;
    }

    /// As sessions know them.
    public Actor actor() {
        return new Actor(name, admin());
    }

    boolean sees(String owner) {
        return role != Role.USER || name.equals(owner);
    }
}
