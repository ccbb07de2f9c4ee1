package dev.belay;

/// Who drives or reads a session.
///
/// @param admin   may take the keyboard from its holder and read private ranges
/// @param agent   an agent that acts for its principal: it may not type while a person has the keyboard, not even its
///                principal, and cannot read what is printed privately
/// @param watches only looks: may change nothing, and does not keep a session from being idle
public record Actor(String name, boolean admin, boolean agent, boolean watches) {
    public Actor(String name) {
        this(name, false);
    }

    public Actor(String name, boolean admin) {
        this(name, admin, false, false);
    }

    /// The agent of this principal.
    public Actor asAgent() {
        return new Actor(name, admin, true, watches);
    }

    /// The same principal, only looking.
    public Actor asWatcher() {
        return new Actor(name, admin, agent, true);
    }

    /// Whether this actor is the holder of that name. An agent never is.
    boolean is(String holder) {
        return !agent && name.equals(holder);
    }
}
