package dev.belay.agent;

import dev.belay.OutputLog;
import dev.belay.Regex;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionRecord;
import dev.belay.screen.Snapshot;
import dev.belay.screens.Screens;
import java.util.OptionalLong;

/// `read_output`: reads any part of a session's output again.
record ReadOutput(AgentSessions sessions, Screens screens) {
    OutputResult call(ReadRequest request, AgentSettings settings) {
        try {
            Session session = sessions.find(request.sessionId());
            return read(session, request,
                    Excerpt.Form.of(session, request.view(), request.maxOutputTokens(), settings.tokens()));
        } catch (SessionException e) {
            return OutputResult.failed(request.sessionId(), ToolError.of(e));
        }
    }

    private OutputResult read(Session session, ReadRequest request, Excerpt.Form form) {
        // The exit is read before the end of the output: all output comes before the exit.
        SessionRecord record = session.snapshot();
        OutputLog log = session.output();
        boolean drained = session.drained();
        long end = log.end();
        Excerpt shown;
        ScreenView screen = null;
        if (request.view() == View.SCREEN) {
            Snapshot snapshot = screens.look(session,
                    request.from() == null ? OptionalLong.empty() : OptionalLong.of(request.from()));
            ScreenText text = ScreenText.of(snapshot, null, request.maxOutputTokens(), form.tokens());
            screen = text.view();
            shown = new Excerpt(text.text(), end, end, text.omitted(), form.tokens().count(text.text()));
        } else if (request.tail() != null) {
            shown = Excerpt.end(log, LastLines.start(log, end, request.tail()), end, drained, form);
        } else {
            long from = request.from() == null ? log.start() : request.from();
            if (from < 0 || from > end) {
                throw SessionException.invalid("Offset " + from + " is not in the output of session "
                        + session.id() + ", which ends at " + end + ".");
            }
            shown = request.match() == null
                    ? Excerpt.beginning(log, from, end, drained, form)
                    : Excerpt.matching(log, from, end, drained, form, Regex.compile(request.match()));
        }
        long rest = request.tail() == null ? end - shown.next() : 0;
        return new OutputResult(
                session.id(),
                shown.text(),
                shown.start(),
                shown.next(),
                shown.next(),
                shown.omitted() + rest > 0,
                shown.omitted() + rest,
                record.exitCode() == null,
                record.exitCode(),
                screen,
                null);
    }
}
