package dev.belay.server.logs;

import dev.belay.Approval;
import dev.belay.ApprovalListener;
import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionObserver;
import dev.belay.SessionRecord;
import dev.belay.SessionSpec;
import dev.belay.Time;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/// What happened to sessions and to the server, one line each: JSON for programs, or words for people at a terminal.
///
/// Who, which session, how long and why; never input, output, arguments or values of the environment. Everything
/// outside of ASCII is escaped, so that a name cannot pretend to be something else. Safe for any thread.
public final class EventLog implements SessionObserver, ApprovalListener {
    private static final int MAX_TEXT = 500;

    private final PrintStream out;
    private final @Nullable JsonMapper json;
    private final Time time;
    private final RepeatedEvents seldom;

    private EventLog(PrintStream out, @Nullable JsonMapper json, Time time) {
        this.out = out;
        this.json = json;
        this.time = time;
        this.seldom = new RepeatedEvents(time::nanos);
    }

    public static EventLog json(PrintStream out) {
        return json(out, Time.system());
    }

    static EventLog json(PrintStream out, Time time) {
        return new EventLog(
                out, JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build(), time);
    }

    public static EventLog words(PrintStream out) {
        return new EventLog(out, null, Time.system());
    }

    /// A log that drops everything.
    public static EventLog none() {
        return words(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.US_ASCII));
    }

    @Override
    public void opened(SessionRecord session) {
        Map<String, Object> facts = of(session);
        facts.put("backend", session.backend());
        facts.put("pid", session.pid());
        facts.put("program", session.command());
        log("session_opened", facts);
    }

    @Override
    public void exited(SessionRecord session) {
        log("session_exited", ended(session));
    }

    @Override
    public void closed(SessionRecord session) {
        Map<String, Object> facts = ended(session);
        facts.put("output_bytes", session.outputEnd());
        log("session_closed", facts);
    }

    @Override
    public void rejected(SessionSpec spec, ErrorCode code, String message) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("owner", spec.owner());
        facts.put("code", code.name());
        facts.put("message", message);
        log("session_rejected", facts);
    }

    @Override
    public void leaked(String what) {
        log("leaked", Map.of("what", what));
    }

    // --- approvals ---

    @Override
    public void asked(Approval approval) {
        if (approval.count() == 1) {
            log("exec_asked", of(approval));
        }
    }

    @Override
    public void closed(Approval approval) {
        Map<String, Object> facts = decided(approval);
        if (approval.scope() != null) {
            facts.put("scope", approval.scope().label());
        }
        facts.put("count", approval.count());
        log("exec_answered", facts);
    }

    @Override
    public void denied(Approval approval) {
        Map<String, Object> facts = decided(approval);
        seldom("exec_denied", approval.session() + " " + facts.get("program"), facts);
    }

    @Override
    public void checked(Approval approval, Approval.Check check) {
        Map<String, Object> facts = decided(approval);
        facts.put("check", check.label());
        log("exec_checked", facts);
    }

    private static Map<String, Object> decided(Approval approval) {
        Map<String, Object> facts = of(approval);
        facts.put("state", approval.state().label());
        if (approval.reason() != null) {
            facts.put("reason", approval.reason().label());
        }
        if (approval.by() != null) {
            facts.put("by", approval.by());
        }
        return facts;
    }

    /// The program, but not its arguments.
    private static Map<String, Object> of(Approval approval) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("session", approval.session());
        facts.put("owner", approval.owner());
        facts.put("approval", approval.id());
        facts.put("program", approval.withheld().program());
        if (approval.rule() != null) {
            facts.put("rule", approval.rule());
        }
        return facts;
    }

    private Map<String, Object> ended(SessionRecord session) {
        Map<String, Object> facts = of(session);
        Instant end = session.endedAt() == null ? time.now() : session.endedAt();
        facts.put("duration_ms", Duration.between(session.startedAt(), end).toMillis());
        if (session.exitCode() != null) {
            facts.put("exit_code", session.exitCode());
        }
        if (session.signal() != null) {
            facts.put("signal", session.signal());
        }
        if (session.endReason() != null) {
            facts.put("reason", session.endReason().label());
        }
        return facts;
    }

    private static Map<String, Object> of(SessionRecord session) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("session", session.id());
        facts.put("owner", session.owner());
        facts.put("door", session.origin().label());
        return facts;
    }

    /// Writes one line, for events that anybody can cause as often as they like: the first of a kind at once, then once
    /// a minute how many `more` there were.
    ///
    /// @param of what distinguishes this kind from others of the same event, such as an address
    public void seldom(String event, String of, Map<String, ?> facts) {
        seldom.take(event, of, facts).forEach(entry -> log(entry.event(), entry.facts()));
    }

    /// Writes the counts whose minute is over. Call it now and then.
    public void flush() {
        seldom.due(false).forEach(entry -> log(entry.event(), entry.facts()));
    }

    /// Writes all counts, at the end.
    public void flushAll() {
        seldom.due(true).forEach(entry -> log(entry.event(), entry.facts()));
    }

    /// Writes one line. Texts are cut to 500 characters.
    public void log(String event, Map<String, ?> facts) {
        Instant now = time.now().truncatedTo(ChronoUnit.MILLIS);
        out.println(json != null ? line(json, now, event, facts) : words(now, event, facts));
    }

    private static String line(JsonMapper json, Instant now, String event, Map<String, ?> facts) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("time", now.toString());
        line.put("event", event);
        facts.forEach((name, value) -> line.put(name, value instanceof String text ? cut(text) : value));
        // JSON leaves DEL as it is, some terminals do not.
        return json.writeValueAsString(line).replace("\u007f", "\\u007f");
    }

    private static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "...";
    }

    private static String words(Instant now, String event, Map<String, ?> facts) {
        return now + " " + event.replace('_', ' ') + facts.entrySet().stream()
                .map(fact -> " " + fact.getKey() + "=" + word(fact.getValue()))
                .collect(Collectors.joining());
    }

    private static String word(Object value) {
        String text = String.valueOf(value);
        return text.matches("[A-Za-z0-9_./:@+-]{1,100}") ? text : Quoted.of(text);
    }
}
