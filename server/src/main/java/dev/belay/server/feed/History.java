package dev.belay.server.feed;

import dev.belay.Actor;
import dev.belay.Approval;
import dev.belay.ApprovalListener;
import dev.belay.Doorbell;
import dev.belay.ErrorCode;
import dev.belay.SessionKey;
import dev.belay.SessionObserver;
import dev.belay.SessionRecord;
import dev.belay.SessionSpec;
import dev.belay.Time;
import dev.belay.access.ActorSessions;
import dev.belay.server.attach.DetachReason;
import dev.belay.server.attach.Viewer;
import dev.belay.server.attach.ViewerListener;
import dev.belay.server.wire.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// What people and agents did recently: the last 2,000 events of all sessions. Who, what and when; never what was typed
/// or printed.
///
/// Typing, and decisions that programs can cause as often as they like, are reported in portions of some seconds. The
/// monitor guards the events and the portions.
public final class History implements SessionObserver, ApprovalListener, ViewerListener {
    /// How many events are kept.
    static final int MOST = 2000;

    private static final long PORTION_NANOS = 2_000_000_000;
    private static final int MOST_PORTIONS = 1000;
    private static final int MAX_TEXT = 500;
    /// Events whose `by` is who answered.
    private static final Set<String> ANSWERS = Set.of("answered", "checked");

    private final Time time;
    private final Doorbell bell;
    private final Deque<Event> events = new ArrayDeque<>();
    private final Map<Kind, Portion> portions = new LinkedHashMap<>();
    private final long start;
    private long number;

    /// Something that happened.
    ///
    /// @param owner    whose session it is about; they see it
    /// @param session  null: there is none
    /// @param answered who answered the question that it is about; they see it. Null: nobody
    private record Event(long number, Instant at, String owner, @Nullable String session, @Nullable String answered,
            ObjectNode json) {}

    /// Something that happens often.
    ///
    /// @param unit what is counted
    private record Kind(SessionKey session, String event, @Nullable String by, boolean agent, ObjectNode facts,
            String unit) {}

    private record Portion(long sinceNanos, long amount) {}

    /// What has happened after an event.
    ///
    /// @param all whether these are all events that are kept; more may have happened
    public record Events(long version, boolean all, List<ObjectNode> events) {
        public ObjectNode json() {
            ObjectNode json = Json.object().put("version", version).put("all", all);
            ArrayNode list = json.putArray("events");
            events.forEach(list::add);
            return json;
        }
    }

    History(Time time, Doorbell bell) {
        this.time = time;
        this.start = time.now().toEpochMilli() * 1000;
        this.number = start;
        this.bell = bell;
    }

    // --- what happens, on the threads where it does ---

    @Override
    public void opened(SessionRecord session) {
        add("opened", SessionKey.of(session), session.owner(), false, Json.object()
                .put("origin", session.origin().label())
                .put("command", cut(session.command())));
    }

    @Override
    public void exited(SessionRecord session) {
        flush(SessionKey.of(session));
        Instant end = session.endedAt() == null ? time.now() : session.endedAt();
        add("exited", SessionKey.of(session), null, false, Json.object()
                .put("exit_code", session.exitCode())
                .put("signal", session.signal())
                .put("reason", session.endReason() == null ? null : session.endReason().label())
                .put("duration_ms", Duration.between(session.startedAt(), end).toMillis()));
    }

    @Override
    public void closed(SessionRecord session) {
        flush(SessionKey.of(session));
        add("closed", SessionKey.of(session), null, false, Json.object()
                .put("reason", session.endReason() == null ? null : session.endReason().label())
                .put("output_bytes", session.outputEnd()));
    }

    @Override
    public void rejected(SessionSpec spec, ErrorCode code, String message) {
        add("refused", spec.owner(), null, spec.owner(), false, Json.object()
                .put("origin", spec.origin().label())
                .put("code", code.name())
                .put("message", cut(message)));
    }

    @Override
    public void keyboard(String owner, String id, @Nullable String holder, boolean isPrivate) {
        flush(new SessionKey(id, owner));
        add("keyboard", new SessionKey(id, owner), holder, false, Json.object().put("private", isPrivate));
    }

    @Override
    public void came(Viewer viewer) {
        add("attached", SessionKey.of(viewer.session()), viewer.login().name(), false,
                Json.object().put("mode", viewer.mode().label()));
    }

    @Override
    public void left(Viewer viewer, DetachReason why) {
        add("left", SessionKey.of(viewer.session()), viewer.login().name(), false,
                Json.object().put("reason", why.label()));
    }

    /// An agent has called a tool.
    ///
    /// @param session the id of the session that the call names, if it names one
    public void called(String principal, String tool, @Nullable String session) {
        add("called", principal, session == null ? null : cut(session), principal, true,
                Json.object().put("tool", tool));
    }

    @Override
    public void typed(String owner, String id, Actor by, long bytes) {
        count(new Kind(new SessionKey(id, owner), "typed", by.name(), by.agent(), Json.object(), "bytes"), bytes);
    }

    // --- decisions about programs ---

    @Override
    public void asked(Approval approval) {
        if (approval.count() == 1) {
            add("asked", keyOf(approval), null, false, of(approval));
        }
    }

    @Override
    public void closed(Approval approval) {
        add("answered", keyOf(approval), approval.by(), false, decided(approval)
                .put("scope", approval.scope() == null ? null : approval.scope().label())
                .put("count", approval.count()));
    }

    @Override
    public void denied(Approval approval) {
        count(new Kind(keyOf(approval), "denied", null, false, decided(approval), "count"), 1);
    }

    @Override
    public void checked(Approval approval, Approval.Check check) {
        count(new Kind(keyOf(approval), "checked", approval.by(), false,
                decided(approval).put("check", check.label()), "count"), 1);
    }

    private static SessionKey keyOf(Approval approval) {
        return new SessionKey(approval.session(), approval.owner());
    }

    /// The program, but not its arguments.
    private static ObjectNode of(Approval approval) {
        return Json.object().put("program", cut(approval.withheld().program())).put("rule", approval.rule());
    }

    private static ObjectNode decided(Approval approval) {
        return of(approval)
                .put("state", approval.state().label())
                .put("reason", approval.reason() == null ? null : approval.reason().label());
    }

    // --- portions ---

    private void count(Kind kind, long amount) {
        boolean full;
        synchronized (this) {
            portions.merge(kind, new Portion(time.nanos(), amount),
                    (before, more) -> new Portion(before.sinceNanos(), before.amount() + more.amount()));
            full = portions.size() > MOST_PORTIONS;
        }
        if (full) {
            flush(_ -> true, Long.MAX_VALUE);
        }
    }

    /// Reports portions that are complete. Call it once a second.
    public void tick() {
        long now = time.nanos();
        flush(_ -> true, now);
    }

    /// Reports what has happened to a session so far, before something else does.
    private void flush(SessionKey session) {
        flush(kind -> kind.session().equals(session), Long.MAX_VALUE);
    }

    /// @param now [Long#MAX_VALUE]: whether complete or not
    private void flush(Predicate<Kind> which, long now) {
        Map<Kind, Portion> done = new LinkedHashMap<>();
        synchronized (this) {
            portions.entrySet().removeIf(entry -> {
                boolean complete = now == Long.MAX_VALUE || now - entry.getValue().sinceNanos() >= PORTION_NANOS;
                boolean told = complete && which.test(entry.getKey());
                if (told) {
                    done.put(entry.getKey(), entry.getValue());
                }
                return told;
            });
        }
        done.forEach((kind, portion) -> add(kind.event(), kind.session(), kind.by(), kind.agent(),
                kind.facts().deepCopy().put(kind.unit(), portion.amount())));
    }

    private void add(String event, SessionKey session, @Nullable String by, boolean agent, ObjectNode facts) {
        add(event, session.owner(), session.id(), by, agent, facts);
    }

    private void add(
            String event,
            String owner,
            @Nullable String session,
            @Nullable String by,
            boolean agent,
            ObjectNode facts) {
        Instant now = time.now();
        ObjectNode json = Json.object();
        synchronized (this) {
            number++;
            json.put("number", number)
                    .put("at", now.toString())
                    .put("event", event)
                    .put("owner", owner)
                    .put("session", session)
                    .put("by", by)
                    .put("agent", agent);
            json.setAll(facts);
            events.add(new Event(number, now, owner, session, ANSWERS.contains(event) ? by : null, json));
            if (events.size() > MOST) {
                events.remove();
            }
        }
        bell.ring();
    }

    private static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "...";
    }

    // --- reading ---

    /// What has happened after an event, as somebody may see it.
    ///
    /// @param since   the version of an earlier answer; empty: everything that is kept
    /// @param session of which session; null: of all
    public Events since(ActorSessions view, OptionalLong since, @Nullable String session) {
        List<Event> after;
        long version;
        boolean all;
        synchronized (this) {
            version = number;
            long oldest = number - events.size();
            all = since.isEmpty() || since.getAsLong() < oldest || since.getAsLong() > number;
            long from = all ? oldest : since.getAsLong();
            after = events.stream().filter(one -> one.number() > from).toList();
        }
        List<ObjectNode> seen = new ArrayList<>();
        for (Event one : after) {
            boolean visible = view.sees(one.owner()) || view.actor().name().equals(one.answered());
            if (visible && (session == null || session.equals(one.session()))) {
                seen.add(one.json());
            }
        }
        return new Events(version, all, seen);
    }

    /// How many events are kept.
    synchronized int kept() {
        return events.size();
    }

    /// How many events there were.
    public synchronized long count() {
        return number - start;
    }
}
