package dev.belay.server.logs;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionObserver;
import dev.belay.SessionRecord;
import dev.belay.SessionSpec;
import dev.belay.server.auth.Door;
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
/// Who, which session, how long and why; never input, output, arguments or values of the environment. Everything outside
/// of ASCII is escaped, so that a name cannot pretend to be something else. Safe for any thread.
public final class EventLog implements SessionObserver {
    private final PrintStream out;
    private final @Nullable JsonMapper json;

    private EventLog(PrintStream out, @Nullable JsonMapper json) {
        this.out = out;
        this.json = json;
    }

    public static EventLog json(PrintStream out) {
        return new EventLog(
                out, JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build());
    }

    public static EventLog words(PrintStream out) {
        return new EventLog(out, null);
    }

    /// For those who do not want to know.
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

    private static Map<String, Object> ended(SessionRecord session) {
        Map<String, Object> facts = of(session);
        Instant end = session.endedAt() == null ? Instant.now() : session.endedAt();
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
        String door = session.labels().get(Door.LABEL);
        if (door != null) {
            facts.put("door", door);
        }
        return facts;
    }

    /// Writes one line.
    public void log(String event, Map<String, ?> facts) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        out.println(json != null ? line(json, now, event, facts) : words(now, event, facts));
    }

    private static String line(JsonMapper json, Instant now, String event, Map<String, ?> facts) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("time", now.toString());
        line.put("event", event);
        line.putAll(facts);
        return json.writeValueAsString(line);
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
