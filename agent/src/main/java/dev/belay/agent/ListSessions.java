package dev.belay.agent;

import dev.belay.ErrorCode;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.screens.Screens;
import dev.belay.screens.ShellCommand;
import java.util.List;

/// `list_pty_sessions`: the sessions the agent can see.
record ListSessions(AgentSessions sessions, Screens screens) {
    private static final int LAST_COMMANDS = 3;

    ListResult call() {
        try {
            return new ListResult(sessions.list().stream().map(this::entry).toList(), null);
        } catch (SessionException e) {
            return ListResult.failed(ToolError.of(e));
        }
    }

    private ListResult.Entry entry(Session session) {
        return new ListResult.Entry(
                session.snapshot(), session.inputState().waiting(), session.undrained(), commands(session));
    }

    private List<ShellCommand> commands(Session session) {
        if (!session.spec().labels().containsKey(AgentTools.SHELL_LABEL)) {
            return List.of();
        }
        try {
            List<ShellCommand> all = screens.commands(session);
            return all.subList(Math.max(0, all.size() - LAST_COMMANDS), all.size());
        } catch (SessionException e) {
            if (e.code() != ErrorCode.NOT_FOUND && e.code() != ErrorCode.INVALID_REQUEST) {
                throw e;
            }
            // It was closed meanwhile, or is on pipes and has only the label.
            return List.of();
        }
    }
}
