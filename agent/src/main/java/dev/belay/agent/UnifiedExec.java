package dev.belay.agent;

import dev.belay.Mode;
import dev.belay.Origin;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Size;
import dev.belay.screens.Screens;
import java.time.Duration;
import java.util.Optional;

/// `unified_exec`: starts a command in a session of its own.
record UnifiedExec(AgentSessions sessions, Screens screens) {
    ExecResult call(ExecRequest request, AgentSettings settings) throws InterruptedException {
        CallClock clock = CallClock.start(sessions.time());
        String id = request.sessionId() == null ? AgentTools.newSessionId() : request.sessionId();
        Session session = null;
        try {
            if (request.cmd().isBlank()) {
                throw SessionException.invalid("cmd is empty; give the command to run, for example 'ls -l'.");
            }
            CommandText command = CommandText.parse(request.cmd());
            settings.policy().require(command, request.folder(), "The command was not started");
            Optional<String> tool = Toolchain.of(command);
            Duration usual = tool.isPresent() ? settings.toolchainYield() : settings.yield();
            Call call = Call.of(
                    screens,
                    request.waitFor(),
                    CallDeadline.of(clock, request.yieldTimeMs(), request.waitFor() != null, usual, settings.maxCall()),
                    request.view(),
                    request.maxOutputTokens(),
                    settings.tokens(),
                    clock);
            call.requireScreen(request.tty());
            if (request.in() != null) {
                id = request.in();
                return new InShell(sessions, screens).call(id, request, call, settings);
            }
            SessionSpec spec = spec(request, id, tool, settings);
            try (CallTurns.Turn turn = sessions.turn(sessions.ownAddress(id))) {
                session = sessions.open(spec);
                return call.answer(session, call.await(sessions, session, session.drainer(), turn), null);
            }
        } catch (SessionException e) {
            return ExecResult.failed(session == null ? null : id, clock.millis(), ToolError.of(e));
        }
    }

    private static SessionSpec spec(ExecRequest request, String id, Optional<String> tool, AgentSettings settings) {
        String shell = request.shell() == null ? settings.shell() : request.shell();
        Duration idle = request.idleTimeoutMs() != null
                ? Duration.ofMillis(request.idleTimeoutMs())
                : isToStay(request) ? Duration.ZERO : settings.idleTimeout();
        SessionSpec spec = SessionSpec.of(Shells.command(shell, request.login(), request.cmd()))
                .id(id)
                .workdir(request.folder())
                .env(settings.env())
                .env(request.env())
                .mode(request.tty() ? new Mode.Pty(new Size(request.cols(), request.rows())) : new Mode.Pipe())
                .origin(Origin.AGENT)
                .timeout(request.timeoutMs() == null ? null : Duration.ofMillis(request.timeoutMs()))
                .idleTimeout(idle.isZero() ? null : idle);
        return tool.map(name -> spec.label(AgentTools.TOOL_LABEL, name)).orElse(spec);
    }

    /// A caller that waits until a program says that it is up means to use it later.
    private static boolean isToStay(ExecRequest request) {
        WaitFor waitFor = request.waitFor();
        return waitFor != null && (waitFor.match() != null || waitFor.screen() != null);
    }
}
