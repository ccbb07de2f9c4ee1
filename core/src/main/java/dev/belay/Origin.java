package dev.belay;

import java.util.Locale;

/// The way a session was opened. Quotas and idle timeouts depend on it, so clients cannot choose it.
public enum Origin {
    /// A program that embeds Belay.
    LIBRARY,
    /// An agent's tool.
    AGENT,
    /// A terminal in a web page.
    TERMINAL,
    /// The REST interface.
    API;

    /// The name in records and logs.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
