package dev.belay.agent;

import dev.belay.Mode;
import dev.belay.Session;
import dev.belay.screens.Screens;
import dev.belay.screens.ShellCommand;
import dev.belay.screens.ShellState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a call has to report about the command in a persistent shell.
///
/// @param from where the output begins that no call has returned yet
record ShellWatch(Screens screens, Session session, long from) {
    /// For a persistent shell that has not exited; null for any other session.
    static @Nullable ShellWatch of(Screens screens, Session session, long from) {
        boolean shell = session.spec().mode() instanceof Mode.Pty
                && session.spec().labels().containsKey(AgentTools.SHELL_LABEL)
                && session.exit().isEmpty()
                && screens.shell(session).signed();
        return shell ? new ShellWatch(screens, session, from) : null;
    }

    /// The state of the shell if its last command has ended since, and it shows its prompt again; else null.
    @Nullable ShellState ended() {
        ShellState state = screens.shell(session);
        ShellCommand last = state.last();
        return state.atPrompt() && last != null && last.end() != null && last.end() >= from ? state : null;
    }

    /// Whether a command runs.
    boolean busy() {
        ShellCommand last = screens.shell(session).last();
        return last != null && last.running();
    }

    /// Where the output of the last command begins, without the prompt and the echo before it. All that is new if there
    /// were several.
    long start() {
        List<ShellCommand> fresh =
                screens.commands(session).stream().filter(command -> command.start() >= from).toList();
        return fresh.size() == 1 ? fresh.getFirst().start() : from;
    }
}
