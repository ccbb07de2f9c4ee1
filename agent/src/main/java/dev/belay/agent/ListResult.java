package dev.belay.agent;

import dev.belay.SessionRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What `list_pty_sessions` answers: the agent's sessions, sorted by id.
public record ListResult(boolean success, List<Entry> sessions, @Nullable ToolError error) {
    public ListResult {
        sessions = List.copyOf(sessions);
    }

    /// One session.
    ///
    /// @param waitingForInput whether it waits for input; null if that cannot be told
    /// @param unreadBytes     bytes that no call has returned yet
    public record Entry(SessionRecord session, @Nullable Boolean waitingForInput, long unreadBytes) {}
}
