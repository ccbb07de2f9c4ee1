package dev.belay.server.auth;

import java.util.Locale;

/// What a principal may do at the most.
public enum Role {
    /// Sees and drives every session, and reads private ranges.
    ADMIN,
    /// Opens sessions; sees and drives these and no others.
    USER,
    /// Sees every session but private ranges, and changes nothing.
    WATCH;

    /// The name in settings and records.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
