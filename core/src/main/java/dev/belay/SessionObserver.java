package dev.belay;

/// Hears what happens to sessions. Metrics, logs and audits are observers.
///
/// Called on a virtual thread of Belay's, one call at a time, in order. An observer that is slow or throws hurts no
/// session: its exceptions are logged and dropped, output is reported in larger steps, and events beyond a bound are
/// dropped and counted in [Stats#droppedEvents()]. Each `opened` is followed by exactly one `closed`.
public interface SessionObserver {
    /// A session has started.
    default void opened(SessionRecord session) {}

    /// There is output up to `end`; several appends may be reported as one.
    default void output(String id, long end) {}

    /// The leader is dead and all it wrote is in the log.
    default void exited(SessionRecord session) {}

    /// The session is gone.
    default void closed(SessionRecord session) {}

    /// A session was not opened.
    default void rejected(SessionSpec spec, ErrorCode code, String message) {}

    /// Something was dropped without being closed, and has been released.
    default void leaked(String what) {}
}
