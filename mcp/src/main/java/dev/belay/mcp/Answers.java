package dev.belay.mcp;

import dev.belay.SessionRecord;
import dev.belay.agent.CloseResult;
import dev.belay.agent.ExecResult;
import dev.belay.agent.ListResult;
import dev.belay.agent.OutputResult;
import dev.belay.agent.ToolError;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The answers of the tools as JSON, under the names that users rely on.
public final class Answers {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private Answers() {}

    static ObjectNode of(ExecResult result) {
        ObjectNode node = JSON.objectNode()
                .put("success", result.success())
                .put("session_id", result.sessionId())
                .put("output", result.output())
                .put("running", result.running())
                .put("exit_code", result.exitCode())
                .put("truncated", result.truncated())
                .put("signal", result.signal())
                .put("wall_time_ms", result.wallTimeMs())
                .put("output_start", result.outputStart())
                .put("output_end", result.outputEnd())
                .put("omitted_bytes", result.omittedBytes())
                .put("original_tokens", result.originalTokens())
                .put("wait_result", result.waitResult())
                .put("waiting_for_input", result.waitingForInput())
                .put("echo_off", result.echoOff());
        if (result.hint() != null) {
            node.put("hint", result.hint());
        }
        return withError(node, result.error());
    }

    static ObjectNode of(OutputResult result) {
        ObjectNode node = JSON.objectNode()
                .put("success", result.success())
                .put("session_id", result.sessionId())
                .put("output", result.output())
                .put("output_start", result.outputStart())
                .put("output_end", result.outputEnd())
                .put("next", result.next())
                .put("truncated", result.truncated())
                .put("omitted_bytes", result.omittedBytes())
                .put("running", result.running())
                .put("exit_code", result.exitCode());
        return withError(node, result.error());
    }

    static ObjectNode of(CloseResult result) {
        ObjectNode node = JSON.objectNode()
                .put("success", result.success())
                .put("session_id", result.sessionId())
                .put("exit_code", result.exitCode())
                .put("signal", result.signal())
                .put("killed", result.killed());
        return withError(node, result.error());
    }

    static ObjectNode of(ListResult result) {
        ArrayNode sessions = JSON.arrayNode();
        for (ListResult.Entry entry : result.sessions()) {
            sessions.add(of(entry.session())
                    .put("waiting_for_input", entry.waitingForInput())
                    .put("unread_bytes", entry.unreadBytes()));
        }
        ObjectNode node = JSON.objectNode().put("success", result.success());
        node.set("sessions", sessions);
        return withError(node, result.error());
    }

    /// The record of a session, the same everywhere Belay shows one.
    public static ObjectNode of(SessionRecord session) {
        ArrayNode args = JSON.arrayNode();
        session.args().forEach(args::add);
        ObjectNode labels = JSON.objectNode();
        session.labels().forEach(labels::put);
        ObjectNode node = JSON.objectNode()
                .put("id", session.id())
                .put("backend", session.backend())
                .put("command", session.command());
        node.set("args", args);
        node.put("workdir", session.workdir())
                .put("cols", session.cols())
                .put("rows", session.rows())
                .put("pid", session.pid())
                .put("owner", session.owner());
        node.set("labels", labels);
        return node.put("started_at", session.startedAt().toString())
                .put("ended_at", text(session.endedAt()))
                .put("state", session.state().name().toLowerCase(java.util.Locale.ROOT))
                .put("exit_code", session.exitCode())
                .put("signal", session.signal())
                .put("survivors", session.survivors())
                .put("output_start", session.outputStart())
                .put("output_end", session.outputEnd())
                .put("last_activity_at", session.lastActivityAt().toString())
                .put("end_reason", session.endReason() == null ? null : session.endReason().label());
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }

    private static ObjectNode withError(ObjectNode node, @Nullable ToolError error) {
        if (error != null) {
            ObjectNode why = JSON.objectNode().put("code", error.code().name()).put("message", error.message());
            error.details().forEach(why::put);
            node.set("error", why);
        }
        return node;
    }
}
