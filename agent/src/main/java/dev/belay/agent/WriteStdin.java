package dev.belay.agent;

import dev.belay.Cursor;
import dev.belay.ErrorCode;
import dev.belay.Mode;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.screens.Screens;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// `write_stdin`: types into a session, if there is something to type, and waits for the answer.
record WriteStdin(AgentSessions sessions, Screens screens) {
    ExecResult call(WriteRequest request, AgentSettings settings) throws InterruptedException {
        CallClock clock = CallClock.start(sessions.time());
        try {
            Call call = Call.of(
                    screens,
                    request.waitFor(),
                    CallDeadline.of(clock, request.yieldTimeMs(), request.waitFor() != null,
                            request.isPoll() ? settings.poll() : settings.yield(), settings.maxCall()),
                    request.view(),
                    request.maxOutputTokens(),
                    settings.tokens(),
                    clock);
            String address = sessions.address(request.sessionId());
            try (CallTurns.Turn turn = request.isPoll() ? sessions.turn(address) : sessions.turnToType(address)) {
                Session session = sessions.drive(address);
                call.requireScreen(isTerminal(session));
                requireAllowed(session, request, settings.policy());
                long before = session.output().end();
                ToolError refused = request.isPoll() ? null : type(session, request, settings.maxCall());
                if (refused != null) {
                    CallEnd now = session.exit().isPresent() ? CallEnd.EXIT : CallEnd.TIMEOUT;
                    return call.answer(session, now, refused);
                }
                // Output from before the input is no answer to it.
                Cursor from = request.isPoll() ? session.drainer() : session.cursor(before);
                return call.answer(session, call.await(sessions, session, from, turn), null);
            }
        } catch (SessionException e) {
            return ExecResult.failed(request.sessionId(), clock.millis(), ToolError.of(e));
        }
    }

    private static boolean isTerminal(Session session) {
        return session.spec().mode() instanceof Mode.Pty;
    }

    /// What is typed may be a command, as far as anybody can tell. Text for an editor is not.
    private void requireAllowed(Session session, WriteRequest request, Policy policy) {
        boolean editor = isTerminal(session) && screens.alternateAt(session, session.output().end());
        if (!request.chars().isEmpty() && !editor) {
            policy.require(CommandText.parse(request.chars()), session.spec().workdir(), "Nothing was typed");
        }
    }

    /// @return why the session did not accept the input, if it did not
    private @Nullable ToolError type(Session session, WriteRequest request, Duration most)
            throws InterruptedException {
        try {
            boolean pipes = !isTerminal(session);
            if (pipes && session.exit().isEmpty() && specialOnPipes(session, request)) {
                return null;
            }
            boolean application = !pipes && Keys.anyCursorKey(request.keys()) && screens.cursorKeys(session);
            boolean paste = request.paste() && !pipes && !request.chars().isEmpty();
            String text = (paste ? Keys.pasted(request.chars()) : request.chars())
                    + Keys.sequence(request.keys(), application);
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            Duration usual = sessions.limits().writeTimeout();
            int written = write(session, bytes, request.chars(), usual.compareTo(most) < 0 ? usual : most);
            if (written == bytes.length) {
                return null;
            }
            return new ToolError(
                    ErrorCode.TIMEOUT,
                    "The command read only " + written + " of " + bytes.length + " bytes. Send the rest when it reads"
                            + " again, or stop it with keys [\"ctrl-c\"].",
                    Map.of("taken", written));
        } catch (SessionException e) {
            boolean gone = e.code() == ErrorCode.NOT_WRITABLE || e.code() == ErrorCode.NOT_FOUND;
            return gone && session.exit().isPresent()
                    ? new ToolError(ErrorCode.NOT_WRITABLE, Call.ended(session.snapshot()), e.details())
                    : ToolError.of(e);
        }
    }

    /// Writes in pieces if only what belongs to the characters, such as keys, makes the input too large.
    private int write(Session session, byte[] bytes, String chars, Duration timeout) throws InterruptedException {
        int most = sessions.limits().maxInputBytes();
        int piece = chars.getBytes(StandardCharsets.UTF_8).length > most ? bytes.length : most;
        int written = 0;
        while (written < bytes.length) {
            int size = Math.min(piece, bytes.length - written);
            int taken = session.write(Arrays.copyOfRange(bytes, written, written + size), timeout);
            written += taken;
            if (taken < size) {
                break;
            }
        }
        return written;
    }

    /// Pipes have no terminal that turns Ctrl-C into a signal and Ctrl-D into the end of input.
    private static boolean specialOnPipes(Session session, WriteRequest request) throws InterruptedException {
        String typed = request.chars() + Keys.sequence(request.keys(), false);
        if (typed.equals("\u0003")) {
            session.interrupt();
            return true;
        }
        if (typed.equals("\u0004")) {
            session.closeInput();
            return true;
        }
        return false;
    }
}
