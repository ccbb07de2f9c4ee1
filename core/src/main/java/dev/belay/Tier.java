package dev.belay;

import java.util.Locale;

/// How much of the machine a session may touch. Each tier includes the restrictions of the one before.
public enum Tier {
    /// What Belay's own user may do.
    NONE,
    /// No new privileges: `sudo` and other setuid programs gain nothing.
    LIMITS,
    /// Only the files, the network and the processes of the sandbox.
    SANDBOX;

    /// The name in settings and records.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
