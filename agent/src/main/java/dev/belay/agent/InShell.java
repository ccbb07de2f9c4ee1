package dev.belay.agent;

import dev.belay.ErrorCode;
import dev.belay.Mode;
import dev.belay.Origin;
import dev.belay.OutputLog;
import dev.belay.Quoted;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.Size;
import dev.belay.Until;
import dev.belay.screens.Screens;
import dev.belay.screens.ShellCommand;
import dev.belay.screens.ShellState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// `unified_exec` with `in`: runs a command in a shell that stays, opened at first use. The shell's signed marks tell
/// when the command has ended, and how.
record InShell(AgentSessions sessions, Screens screens) {
    private static final Duration WHEN_SOMETHING_HAPPENS = Duration.ofDays(1);
    /// A shell that reads before it has shown a mark asks something, or is not the one that was started.
    private static final Duration QUIET_START = Duration.ofSeconds(2);
    private static final Duration QUIET = Duration.ofSeconds(1);
    private static final int SAID_LINES = 5;
    private static final int SAID_TOKENS = 200;
    private static final Duration SOON = Duration.ofMillis(1);
    /// After its prompt, a shell whose processes may not be looked at is taken to read.
    private static final Duration UNSEEN = Duration.ofMillis(300);
    /// fish watches more than its terminal, so it is never seen to wait; it takes keys before it shows its prompt.
    private static final Duration FISH_UNSEEN = Duration.ofMillis(5);
    /// To the end of the line, and delete it: somebody may have typed something.
    private static final String CLEAR = "\u0005\u0015";

    ExecResult call(String name, ExecRequest request, Call call, AgentSettings settings) throws InterruptedException {
        requireSense(request);
        String address = sessions.address(name);
        try (CallTurns.Turn turn = sessions.turn(address)) {
            Session running = running(name, address);
            if (running != null) {
                requireSame(running, request);
            }
            Session session = running != null ? running : open(name, request, settings);
            awaitPrompt(session, settings.maxCall());
            ShellKind kind = kind(session);
            boolean moves = running != null && request.workdir() != null;
            String line = kind.line(
                    request.cmd(), moves ? sessions.folder(String.valueOf(request.workdir())).toString() : null);
            ShellCommand begun = begin(session, request.cmd(), line, settings);
            if (begun == null) {
                return call.answer(session, CallEnd.EXIT, null);
            }
            session.drainer().moveTo(begun.start());
            return call.answer(session, call.await(sessions, session, session.cursor(begun.start()), turn), null);
        }
    }

    private static void requireSense(ExecRequest request) {
        if (!request.tty()) {
            throw SessionException.invalid("A persistent shell needs a terminal; leave out tty, or in.");
        }
        if (request.timeoutMs() != null) {
            throw SessionException.invalid(
                    "timeout_ms would end the whole shell; put timeout(1) before the command, or leave out in.");
        }
    }

    private static void requireSame(Session session, ExecRequest request) {
        String wrong = !request.env().isEmpty() ? "env" : request.idleTimeoutMs() != null ? "idle_timeout_ms" : null;
        if (wrong != null) {
            throw SessionException.invalid(wrong + " applies only when a shell starts, and " + session.id()
                    + " is already running; set variables with export, or name another shell.");
        }
        if (request.shell() != null && !ShellKind.of(request.shell()).equals(kind(session))) {
            throw SessionException.invalid("Shell " + session.id() + " is a " + kind(session).label()
                    + "; name another shell for " + request.shell() + ".");
        }
    }

    private static ShellKind kind(Session session) {
        return ShellKind.of(session.spec().command().getFirst());
    }

    // --- the shell ---

    /// The shell of that name, if it runs.
    private @Nullable Session running(String name, String address) {
        Session session;
        try {
            session = sessions.drive(address);
        } catch (SessionException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return null;
            }
            throw e;
        }
        if (session.exit().isPresent()) {
            return null;
        }
        if (!(session.spec().mode() instanceof Mode.Pty) || !screens.shell(session).signed()) {
            throw SessionException.invalid("Session " + name + " is not a persistent shell; type into it with"
                    + " write_stdin, or choose another name for the shell.");
        }
        return session;
    }

    private Session open(String name, ExecRequest request, AgentSettings settings) throws InterruptedException {
        String shell = request.shell() != null ? request.shell() : Shells.persistent(settings.shell());
        ShellKind kind = ShellKind.of(shell);
        try (StartUpFolder startUp = StartUpFolder.of(kind)) {
            Session session = sessions.open(spec(name, shell, kind, startUp, request, settings));
            boolean ready = false;
            try {
                screens.sign(session, startUp.key());
                awaitFirstPrompt(session, shell, settings);
                ready = true;
                return session;
            } finally {
                if (!ready) {
                    session.close(true);
                }
            }
        }
    }

    private static SessionSpec spec(String name, String shell, ShellKind kind, StartUpFolder startUp,
            ExecRequest request, AgentSettings settings) {
        Duration idle = request.idleTimeoutMs() == null ? Duration.ZERO : Duration.ofMillis(request.idleTimeoutMs());
        return SessionSpec.of(kind.command(shell, startUp.folder()))
                .id(name)
                .workdir(request.folder())
                .env(settings.env())
                .env(request.env())
                .env(kind.env(startUp.folder()))
                .startUp(startUp.folder())
                .mode(new Mode.Pty(new Size(request.cols(), request.rows())))
                .origin(Origin.AGENT)
                .label(AgentTools.SHELL_LABEL, kind.label())
                .idleTimeout(idle.isZero() ? null : idle);
    }

    private void awaitFirstPrompt(Session session, String shell, AgentSettings settings) throws InterruptedException {
        await(session, 0, QUIET_START, settings.maxCall(), ShellState::atPrompt);
        if (!screens.shell(session).atPrompt()) {
            String said = said(session, settings.tokens());
            throw new SessionException(
                    ErrorCode.SPAWN_FAILED,
                    shell + " did not show a prompt with Belay's marks" + (said.isEmpty() ? "." : ": " + said)
                            + " Check what its profile does, name another shell, or leave out in.");
        }
    }

    // --- a command ---

    /// Waits until the shell reads at its prompt, and refuses if a command runs in it.
    private void awaitPrompt(Session session, Duration most) throws InterruptedException {
        ShellState state = screens.shell(session);
        if (state.last() != null && state.last().running()) {
            throw busy(session);
        }
        await(session, session.output().end(), QUIET, most, ShellState::atPrompt);
        if (session.exit().isEmpty() && !screens.shell(session).atPrompt()) {
            throw busy(session);
        }
        if (!session.inputState().seenWaiting()) {
            Duration unseen = kind(session) == ShellKind.FISH ? FISH_UNSEEN : UNSEEN;
            session.cursor(session.output().end()).await(Until.exited().orInput(SOON).orIdle(unseen), most);
        }
    }

    private SessionException busy(Session session) {
        List<ShellCommand> commands = screens.commands(session);
        String text = commands.isEmpty() ? null : commands.getLast().command();
        return new SessionException(
                ErrorCode.NOT_WRITABLE,
                "Shell " + session.id() + " is busy" + (text == null ? "" : " with " + Quoted.of(text))
                        + ". Talk to it with write_stdin(session_id=\"" + session.id()
                        + "\"), stop it with keys [\"ctrl-c\"], or use another shell.");
    }

    /// Pastes a line at the prompt, and waits until the shell says that it runs it.
    ///
    /// @return null if the shell has ended before that
    private @Nullable ShellCommand begin(Session session, String cmd, String line, AgentSettings settings)
            throws InterruptedException {
        long before = session.output().end();
        screens.announce(session, cmd, before);
        byte[] bytes = (CLEAR + Keys.pasted(line) + "\r").getBytes(StandardCharsets.UTF_8);
        int written = session.write(bytes, settings.maxCall());
        if (written == bytes.length) {
            await(session, before, QUIET, settings.maxCall(),
                    state -> state.last() != null && state.last().start() >= before);
        }
        ShellCommand last = screens.shell(session).last();
        if (last != null && last.start() >= before) {
            return last;
        }
        if (session.exit().isPresent()) {
            return null;
        }
        throw new SessionException(
                ErrorCode.TIMEOUT,
                "Shell " + session.id() + " did not start the command: " + said(session, settings.tokens())
                        + " Look with write_stdin(session_id=\"" + session.id() + "\"), or use another shell.");
    }

    /// The last lines that it has printed.
    private static String said(Session session, Tokens tokens) {
        OutputLog log = session.output();
        long end = log.end();
        return Excerpt.end(log, LastLines.start(log, end, SAID_LINES), end, true,
                Excerpt.Form.of(session, View.AUTO, SAID_TOKENS, tokens)).text().strip();
    }

    /// Waits until the marks say something; at most until the shell has exited, or reads and is silent for a while.
    private void await(Session session, long from, Duration quiet, Duration most, Predicate<ShellState> so)
            throws InterruptedException {
        Until.Probe probe = () -> so.test(screens.shell(session)) ? Duration.ZERO : WHEN_SOMETHING_HAPPENS;
        session.cursor(from).await(Until.exited().orSeen(probe).orInput(quiet), most);
    }
}
