package dev.belay.cli.view;

/// A key that a person pressed.
///
/// @param name `up`, `enter`, `ctrl-c`, ... or `text` for a character
/// @param text the character, if it is one
public record Key(String name, String text) {
    static final String TEXT = "text";
    static final Key ESCAPE = named("escape");

    static Key named(String name) {
        return new Key(name, "");
    }

    static Key of(int code) {
        return new Key(TEXT, Character.toString(code));
    }

    /// What a person would call it: `up`, `a`.
    String label() {
        return name.equals(TEXT) ? text : name;
    }
}
