package dev.belay.agent;

import dev.belay.Closed;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionRecord;

/// `close_pty_session`: ends a session with all its processes and forgets it.
record CloseSession(AgentSessions sessions) {
    CloseResult call(String sessionId, boolean force) {
        try {
            Session session = sessions.drive(sessionId);
            Closed closed = session.close(force);
            SessionRecord record = session.snapshot();
            return new CloseResult(
                    sessionId, record.exitCode(), record.signal(), closed.ended(), closed.killed(), null);
        } catch (SessionException e) {
            return CloseResult.failed(sessionId, ToolError.of(e));
        }
    }
}
