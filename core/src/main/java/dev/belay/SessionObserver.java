package dev.belay;

import org.jspecify.annotations.Nullable;

/// Observes what happens to sessions. Metrics, logs and audits are observers.
///
/// Called on a virtual thread of Belay, one call at a time, in order. An observer that is slow or throws does not harm
/// any session: its exceptions are logged, output is reported in larger steps, and events beyond a bound are dropped
/// and counted in [Stats#droppedEvents()]. Each `opened` is followed by exactly one `closed`.
public interface SessionObserver {
    /// A session has started.
    default void opened(SessionRecord session) {}

    /// There is output up to `end`. The first output of a session is reported at once, later output at most ten
    /// times a second, and the last before its exit. An [OutputTap] gets each.
    default void output(String owner, String id, long end) {}

    /// The leader is dead and all it wrote is in the log.
    default void exited(SessionRecord session) {}

    /// The session is gone.
    default void closed(SessionRecord session) {}

    /// The keyboard of a session has changed hands.
    ///
    /// @param holder    who has it now; null: nobody
    /// @param isPrivate whether only the holder and admins may read what is printed from now on
    default void keyboard(String owner, String id, @Nullable String holder, boolean isPrivate) {}

    /// An actor typed. Inputs are reported at most ten times a second, several as one.
    ///
    /// @param bytes how many bytes the session took
    default void typed(String owner, String id, Actor by, long bytes) {}

    /// A session could not be opened.
    default void rejected(SessionSpec spec, ErrorCode code, String message) {}

    /// Something was dropped without being closed, and has been released.
    default void leaked(String what) {}
}
