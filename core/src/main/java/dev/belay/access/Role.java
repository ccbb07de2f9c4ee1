package dev.belay.access;

import java.util.Locale;

/// What a principal may do.
public enum Role {
    /// Sees and drives every session, and reads private output.
    ADMIN,
    /// Opens sessions; sees and drives only those.
    USER,
    /// Sees every session except private output, and changes nothing.
    WATCH;

    /// The name in settings and records.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
