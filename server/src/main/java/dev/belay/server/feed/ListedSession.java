package dev.belay.server.feed;

import dev.belay.InputState;
import dev.belay.Session;
import dev.belay.SessionRecord;
import dev.belay.Typed;
import dev.belay.server.attach.KeyboardHold;
import dev.belay.server.attach.Viewer;
import dev.belay.server.wire.Json;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// A session as lists show it: its record, and what else the server knows.
///
/// @param title    the terminal's title; null if there is none
/// @param input    whether it waits for input; null if nobody has looked
/// @param viewers  who views it, sorted
/// @param envNames the names of the variables that were set when it was opened; never their values
public record ListedSession(
        SessionRecord record,
        @Nullable String title,
        @Nullable InputState input,
        List<Watching> viewers,
        @Nullable Typed typed,
        KeyboardHold keyboard,
        List<String> envNames) {
    /// One viewer of a session.
    public record Watching(String name, String mode) {
        static final Comparator<Watching> ORDER = Comparator.comparing(Watching::name).thenComparing(Watching::mode);

        static Watching of(Viewer viewer) {
            return new Watching(viewer.login().name(), viewer.mode().label());
        }
    }

    static ListedSession of(Session session, String title, @Nullable InputState input, List<Watching> viewers) {
        return new ListedSession(
                session.snapshot(),
                title.isEmpty() ? null : title,
                input,
                viewers,
                session.typed().orElse(null),
                KeyboardHold.of(session),
                session.spec().env().keySet().stream().sorted().toList());
    }

    ListedSession input(@Nullable InputState value) {
        return new ListedSession(record, title, value, viewers, typed, keyboard, envNames);
    }

    /// Whether something other than a counter differs.
    boolean differs(ListedSession other) {
        return !solid().equals(other.solid());
    }

    /// Everything except what changes with each byte: the offsets, the last activity, and when somebody typed.
    private ListedSession solid() {
        SessionRecord all = record;
        SessionRecord still = new SessionRecord(
                all.id(), all.backend(), all.command(), all.args(), all.workdir(), all.cols(), all.rows(), all.pid(),
                all.owner(), all.labels(), all.origin(), all.keep(), all.startedAt(), all.endedAt(), all.state(),
                all.exitCode(), all.signal(), all.survivors(), 0, 0, all.startedAt(), all.endReason(), all.guard());
        Typed who = typed == null ? null : new Typed(typed.by(), typed.agent(), all.startedAt());
        return new ListedSession(still, title, input, viewers, who, keyboard, envNames);
    }

    /// The whole record.
    public ObjectNode json() {
        ObjectNode json = Json.of(record).put("title", title);
        if (input == null) {
            json.putNull("input");
        } else {
            json.putObject("input").put("waiting", input.waiting()).put("echo_off", input.echoOff());
        }
        ArrayNode people = json.putArray("viewers");
        viewers.forEach(one -> people.addObject().put("name", one.name()).put("mode", one.mode()));
        putTyped(json);
        json.put("keyboard", keyboard.holder()).put("keyboard_private", keyboard.isPrivate());
        ArrayNode names = json.putArray("env_names");
        envNames.forEach(names::add);
        return json;
    }

    /// What changes with each byte, for those who have the rest.
    ObjectNode counters() {
        ObjectNode json = Json.object()
                .put("id", record.id())
                .put("owner", record.owner())
                .put("output_start", record.outputStart())
                .put("output_end", record.outputEnd())
                .put("last_activity_at", record.lastActivityAt().toString());
        if (typed != null) {
            putTyped(json);
        }
        return json;
    }

    private void putTyped(ObjectNode json) {
        if (typed == null) {
            json.putNull("typed");
        } else {
            json.putObject("typed").put("by", typed.by()).put("agent", typed.agent()).put("at", typed.at().toString());
        }
    }
}
