package dev.belay;

/// Who drives or reads a session.
///
/// @param admin an admin may take the keyboard from its holder and reads private ranges
/// @param agent an agent that acts for its principal: while a person has the keyboard it may not type, and what is
///              printed privately stays private from it, whoever that person is
public record Actor(String name, boolean admin, boolean agent) {
    public Actor(String name) {
        this(name, false);
    }

    public Actor(String name, boolean admin) {
        this(name, admin, false);
    }

    /// The agent of this principal.
    public Actor asAgent() {
        return new Actor(name, admin, true);
    }

    /// Whether what somebody holds is held by this actor.
    boolean is(String holder) {
        return !agent && name.equals(holder);
    }
}
