package dev.belay.agent;

import dev.belay.SessionRecord;
import dev.belay.screens.ShellCommand;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What `list_pty_sessions` answers: the sessions the agent can see, sorted by id.
public record ListResult(List<Entry> sessions, @Nullable ToolError error) implements ToolResult {
    public ListResult {
        sessions = List.copyOf(sessions);
    }

    /// One session.
    ///
    /// @param waitingForInput whether it waits for input; null if unknown
    /// @param unreadBytes     bytes that no call has returned yet
    /// @param commands        the last commands of a persistent shell, oldest first
    public record Entry(
            SessionRecord session, @Nullable Boolean waitingForInput, long unreadBytes, List<ShellCommand> commands) {
        public Entry {
            commands = List.copyOf(commands);
        }
    }

    /// Nothing was listed.
    public static ListResult failed(ToolError error) {
        return new ListResult(List.of(), error);
    }
}
