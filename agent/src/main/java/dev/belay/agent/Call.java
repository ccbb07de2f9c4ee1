package dev.belay.agent;

import dev.belay.Approval;
import dev.belay.Cursor;
import dev.belay.EndReason;
import dev.belay.ErrorCode;
import dev.belay.InputState;
import dev.belay.Mode;
import dev.belay.OutputLog;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionRecord;
import dev.belay.Until;
import dev.belay.Waited;
import dev.belay.screen.Snapshot;
import dev.belay.screens.Screens;
import dev.belay.screens.ShellCommand;
import dev.belay.screens.ShellState;
import dev.belay.screens.UntilScreen;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// A call of `unified_exec` or `write_stdin` under way: how it waits, and what it answers.
///
/// @param until       what the call waits for in the output
/// @param untilScreen what it waits for on the screen, if anything
/// @param view        how the output is shown
/// @param maxTokens   how much of it
/// @param clock       how long it takes
record Call(Screens screens, Until until, @Nullable UntilScreen untilScreen, CallDeadline deadline, View view,
        int maxTokens, Tokens tokens, CallClock clock) {
    /// A program that prints a prompt and then reads does both within this time, unless the machine is busy.
    private static final Duration REST = Duration.ofMillis(20);

    /// A program that is about to exit may look at its terminal for a moment, as vim does. A call that waits for the
    /// exit is not ended by that.
    private static final Duration NAMED_REST = Duration.ofMillis(200);
    /// Programs that listen for keys while they start, as dev servers do, are not taken for prompts before they have
    /// printed nothing for this long.
    private static final Duration MATCH_REST = Duration.ofSeconds(1);

    /// However long a person took to answer, what follows is worth waiting for.
    private static final Duration AFTER_ANSWER = Duration.ofSeconds(2);
    /// How long an answer waits at most for a screen that is being drawn.
    private static final Duration DRAWING = Duration.ofMillis(200);
    private static final String SHELL_READS =
            "The shell itself is reading: the command asks for input, or has become another"
                    + " shell, whose exit codes are unknown. Type with write_stdin.";

    static Call of(Screens screens, @Nullable WaitFor waitFor, CallDeadline deadline, View view, int maxTokens,
            Tokens tokens, CallClock clock) {
        return new Call(screens, until(waitFor), waitFor == null ? null : waitFor.untilScreen(), deadline, view,
                maxTokens, tokens, clock);
    }

    /// What a call waits for: what it names, the exit, and always the moment when the program waits for input.
    private static Until until(@Nullable WaitFor waitFor) {
        return waitFor == null ? Until.exited().orInput(REST) : waitFor.until().orInput(rest(waitFor));
    }

    /// How long a program has to be silent before it is taken for one that waits for input.
    private static Duration rest(WaitFor waitFor) {
        Duration rest = waitFor.match() == null && waitFor.screen() == null ? NAMED_REST : MATCH_REST;
        // A screen that waits for keys has come to rest as well, and that is what was asked for.
        return waitFor.settledMs() == null ? rest : rest.plusMillis(waitFor.settledMs());
    }

    /// Refuses to wait for a screen where there is none.
    void requireScreen(boolean terminal) {
        if (!terminal && (untilScreen != null || view == View.SCREEN)) {
            throw SessionException.invalid("A session on pipes has no screen; use view \"auto\", and wait_for match.");
        }
    }

    /// Waits until the deadline, or until another call wants to type, or until somebody has to approve a program. If
    /// that is the user of the client, they are asked, and the wait goes on.
    ///
    /// @param from where the output begins that may match
    CallEnd await(AgentSessions sessions, Session session, Cursor from, CallTurns.Turn turn)
            throws InterruptedException {
        ShellWatch shell = ShellWatch.of(screens, session, session.drainer().position());
        CallProbe probe = new CallProbe(screens, session, untilScreen, shell);
        Until all = until.orCut(turn.cut()).orSeen(probe).orApproval();
        Waited.Fired fired = from.await(all, deadline.left()).fired();
        while (fired == Waited.Fired.APPROVAL && sessions.askUser(session)) {
            Duration left = deadline.left();
            fired = from.await(all, left.compareTo(AFTER_ANSWER) < 0 ? AFTER_ANSWER : left).fired();
        }
        return fired == Waited.Fired.SEEN ? probe.seen() : CallEnd.of(fired);
    }

    /// The output since the last call, and the state of the session.
    ///
    /// @param refused why the session did not accept the input, if it did not
    ExecResult answer(Session session, CallEnd end, @Nullable ToolError refused) throws InterruptedException {
        Cursor cursor = session.drainer();
        ShellWatch shell = ShellWatch.of(screens, session, cursor.position());
        ShellState ended = shell == null ? null : shell.ended();
        if (shell != null && ended != null && ended.last() != null && refused == null) {
            return answer(shell, ended, ended.last());
        }
        InputState seen = session.awaitInputState(REST);
        // The exit is read before the end of the output: all output comes before the exit.
        SessionRecord record = session.snapshot();
        boolean running = record.exitCode() == null;
        boolean drained = session.drained();
        InputState input = running ? seen : InputState.NOBODY;
        long from = shell == null ? cursor.position() : shell.start();
        Shown shown = shown(session, from, session.output().end(), drained);
        Excerpt part = shown.part();
        cursor.moveTo(part.next());
        CallEnd waited = running || end == CallEnd.MATCH ? end : CallEnd.EXIT;
        return new ExecResult(
                session.id(),
                part.text(),
                running,
                record.exitCode(),
                part.omitted() > 0,
                record.signal(),
                running ? 0 : session.survivors(),
                clock.millis(),
                part.start(),
                part.next(),
                part.omitted(),
                part.tokens(),
                waited.label(),
                input.waiting(),
                input.echoOff(),
                shown.screen(),
                null,
                shell != null && shell.busy() && end == CallEnd.INPUT && session.foreground() == record.pid()
                        ? SHELL_READS
                        : hint(record, end),
                refused,
                news(session));
    }

    /// The output of a command that has ended in a shell, and its code.
    private ExecResult answer(ShellWatch shell, ShellState state, ShellCommand last) throws InterruptedException {
        Session session = shell.session();
        long end = last.end() == null ? state.after() : last.end();
        Shown shown = shown(session, shell.start(), end, true);
        Excerpt part = shown.part();
        session.drainer().moveTo(Math.max(part.next(), state.after()));
        boolean moved = state.cwd() != null && !state.cwd().equals(last.cwd());
        return new ExecResult(
                session.id(),
                part.text(),
                false,
                last.exitCode(),
                part.omitted() > 0,
                null,
                0,
                clock.millis(),
                part.start(),
                part.next(),
                part.omitted(),
                part.tokens(),
                CallEnd.EXIT.label(),
                false,
                false,
                shown.screen(),
                state.cwd(),
                last.exitCode() == null
                        ? "The shell is back at its prompt, but the exit code is unknown."
                        : moved ? "now in " + state.cwd() : null,
                null,
                news(session));
    }

    private static List<Approval> news(Session session) {
        return session.spec().guard().watched() ? session.approvalNews() : List.of();
    }

    /// What an answer shows.
    ///
    /// @param screen what it says about the screen, if it shows one
    private record Shown(Excerpt part, @Nullable ScreenView screen) {}

    private Shown shown(Session session, long from, long end, boolean drained) throws InterruptedException {
        OutputLog log = session.output();
        boolean terminal = session.spec().mode() instanceof Mode.Pty;
        boolean full = terminal && view == View.AUTO && session.exit().isEmpty() && screens.alternateAt(session, end);
        if (view == View.SCREEN || full) {
            // Programs clear a screen before they draw it again, for instance when the terminal has said what it can.
            session.cursor(end).await(Until.exited().orIdle(REST), DRAWING);
            Snapshot snapshot = screens.look(session);
            ScreenText text = ScreenText.of(snapshot, before(session, snapshot, from), maxTokens, tokens);
            long next = Math.max(from, snapshot.offset());
            return new Shown(
                    new Excerpt(text.text(), from, next, text.omitted(), tokens.count(text.text())), text.view());
        }
        LongPredicate alternateAt = offset -> terminal && screens.alternateAt(session, offset);
        Excerpt.Form form = Excerpt.Form.of(session, view, maxTokens, tokens);
        if (view != View.RAW && alternateAt.test(from)) {
            form = form.onAlternate();
        }
        return new Shown(Excerpt.ends(log, from, end, drained, form, alternateAt,
                (bytes, at) -> bytes + " bytes are missing here; read_output(session_id=\"" + session.id()
                        + "\", from=" + at + ") fetches them."),
                null);
    }

    /// Of a full-screen program's screen that a call has shown before, in the same size, only what has changed is new.
    ///
    /// @return the screen as it was shown; null if it was not, or is no longer known
    private @Nullable Snapshot before(Session session, Snapshot shown, long from) {
        OutputLog log = session.output();
        boolean known = from > 0 && from >= log.start() && shown.alternate() && screens.alternateAt(session, from)
                && log.resizes().stream().noneMatch(resize -> resize.offset() >= from);
        if (!known) {
            return null;
        }
        try {
            return screens.look(session, OptionalLong.of(from));
        } catch (SessionException e) {
            if (e.code() != ErrorCode.INVALID_REQUEST) {
                throw e;
            }
            // The log has dropped that place meanwhile.
            return null;
        }
    }

    private @Nullable String hint(SessionRecord record, CallEnd end) {
        if (record.exitCode() != null) {
            return record.endReason() == EndReason.EXIT || record.endReason() == null ? null : ended(record);
        }
        String session = "session_id=\"" + record.id() + "\"";
        return switch (end) {
            case APPROVAL -> "A person has to approve a program first. Wait for it with write_stdin(" + session
                    + ", wait_for={\"exit\":true}).";
            case CUT -> "Another call typed into this session; that call returns the output from here on.";
            case INPUT -> deadline.longWait()
                    ? "It is waiting for input; answer with write_stdin(" + session + ", chars=\"...\\n\")."
                    : null;
            case TIMEOUT -> deadline.longWait()
                    ? "Still running. To keep waiting, call write_stdin(" + session
                            + ", wait_for={\"exit\":true}); to stop it, send keys [\"ctrl-c\"]."
                    : null;
            default -> null;
        };
    }

    /// Why a session ended, in words.
    static String ended(SessionRecord record) {
        String why = switch (record.endReason()) {
            case IDLE_TIMEOUT -> "was ended by its idle timeout (to keep one, start it"
                    + " with wait_for match, or with idle_timeout_ms 0)";
            case TIMEOUT -> "was ended because it ran longer than its timeout_ms";
            case SHUTDOWN -> "was ended because Belay shut down";
            case CLOSED -> "was closed";
            case EXIT -> "has exited";
            case null -> "has exited";
            default -> "was ended because it reached its " + record.endReason().label().replace('_', ' ');
        };
        return "Session " + record.id() + " " + why + "; it accepts no more input. Start a new one with unified_exec.";
    }
}
