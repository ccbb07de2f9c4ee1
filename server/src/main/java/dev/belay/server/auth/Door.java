package dev.belay.server.auth;

import dev.belay.Session;
import java.util.Locale;

/// The way a session was opened, which decides its quota and its idle timeout. It is kept in the label `door`.
public enum Door {
    /// An agent's tool.
    AGENT,
    /// A terminal in somebody's page.
    TERMINAL,
    /// The REST interface.
    API;

    /// The name of the label; clients cannot set it.
    public static final String LABEL = "door";

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// Whether a session was opened this way.
    public boolean opened(Session session) {
        return label().equals(session.spec().labels().get(LABEL));
    }
}
