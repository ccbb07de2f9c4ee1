package dev.belay.access;

import dev.belay.Actor;
import dev.belay.Isolation;
import java.util.List;

/// Somebody who uses sessions: a person, or a program with a name of its own.
///
/// @param isolation the minimum isolation of its sessions
/// @param approvers who may approve programs of its sessions, besides admins; see [dev.belay.Guard#approvers()]
public record Principal(String name, Role role, Quota quota, Isolation isolation, List<String> approvers) {
    public Principal(String name, Role role, Quota quota) {
        this(name, role, quota, Isolation.NONE, List.of());
    }

    public Principal {
        approvers = List.copyOf(approvers);
    }

    public boolean admin() {
        return role == Role.ADMIN;
    }

    /// The principal as sessions know it.
    public Actor actor() {
        Actor actor = new Actor(name, admin());
        return role == Role.WATCH ? actor.asWatcher() : actor;
    }

    boolean sees(String owner) {
        return role != Role.USER || name.equals(owner);
    }
}
