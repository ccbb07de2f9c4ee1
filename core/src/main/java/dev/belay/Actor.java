package dev.belay;

/// Who drives or reads a session.
///
/// @param admin an admin may take the keyboard from its holder and reads private ranges
public record Actor(String name, boolean admin) {
    public Actor(String name) {
        this(name, false);
    }
}
