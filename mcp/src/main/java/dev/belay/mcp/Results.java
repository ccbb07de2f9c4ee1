package dev.belay.mcp;

import dev.belay.Quoted;
import dev.belay.SessionException;
import java.util.Arrays;
import java.util.Locale;

/// What the answer of a tool carries. Clients that get both texts and records show their model only the records, which
/// cost it several times the tokens; so records are for programs that ask for them.
public enum Results {
    /// Text for a model. The tools have no output schemas.
    TEXT,
    /// Records for a program, and no text.
    STRUCTURED,
    /// Both.
    BOTH;

    /// The form of this name: `text`, `structured` or `both`.
    public static Results of(String word) {
        return Arrays.stream(values())
                .filter(one -> one.word().equals(word))
                .findFirst()
                .orElseThrow(() -> SessionException.invalid(
                        "results must be text, structured or both, not " + Quoted.of(word) + "."));
    }

    /// How it is written in settings and options.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean text() {
        return this != STRUCTURED;
    }

    boolean records() {
        return this != TEXT;
    }
}
