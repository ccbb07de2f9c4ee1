package dev.belay.agent;

import dev.belay.Quoted;
import dev.belay.SessionException;
import java.util.Locale;

/// How a call shows output.
public enum View {
    /// Text as it ended up on the terminal, without escape sequences; the screen while a full-screen program is up.
    AUTO,
    /// Every byte as it was printed.
    RAW,
    /// The screen, as a person would see it now.
    SCREEN;

    /// The view that a call names.
    public static View named(String name) {
        for (View view : values()) {
            if (view.name().toLowerCase(Locale.ROOT).equals(name)) {
                return view;
            }
        }
        throw SessionException.invalid("Unknown view " + Quoted.of(name) + "; use auto, raw or screen.");
    }
}
