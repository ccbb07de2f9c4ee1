package dev.belay;

import java.util.Locale;

/// Where a session is in its life. It only moves forward.
public enum SessionState {
    /// The process is being started.
    STARTING,
    /// The leader is alive.
    RUNNING,
    /// The leader is dead and all it wrote is in the log, which stays readable.
    EXITED,
    /// The session is gone, with its processes, terminal and files.
    CLOSED;

    /// The name in records.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
