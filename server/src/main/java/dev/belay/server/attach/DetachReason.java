package dev.belay.server.attach;

import java.util.Locale;

/// Why a viewer and a session part.
public enum DetachReason {
    /// The viewer wanted it.
    DETACHED,
    /// The session was closed.
    CLOSED,
    /// The connection took nothing for too long.
    SLOW,
    /// The token of the viewer is no longer valid.
    REVOKED,
    /// The server is shutting down.
    SHUTDOWN,
    /// The output could not be read; the server's log says why.
    FAILED;

    /// The name on the wire.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
