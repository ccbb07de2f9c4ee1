package dev.belay;

import java.util.Locale;

/// Where a session is in its life. It only ever moves forward.
public enum SessionState {
    /// The permit is held, the process is being started.
    STARTING,
    /// The leader lives.
    RUNNING,
    /// The leader is dead and all it wrote is in the log, which stays readable.
    EXITED,
    /// The session is gone: no process, no terminal, no file is left.
    CLOSED;

    /// The name in records.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
