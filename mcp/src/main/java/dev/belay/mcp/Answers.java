package dev.belay.mcp;

import dev.belay.Approval;
import dev.belay.Guarded;
import dev.belay.Quoted;
import dev.belay.SessionRecord;
import dev.belay.agent.CloseResult;
import dev.belay.agent.ExecResult;
import dev.belay.agent.ListResult;
import dev.belay.agent.OutputResult;
import dev.belay.agent.ScreenView;
import dev.belay.agent.ToolError;
import dev.belay.agent.ToolResult;
import dev.belay.screens.ShellCommand;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The answers of the tools, session records and refusals as JSON. The names are part of the API.
public final class Answers {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private Answers() {}

    static ObjectNode of(ToolResult result) {
        ObjectNode node = JSON.objectNode().put("success", result.success());
        switch (result) {
            case ExecResult exec -> put(node, exec);
            case OutputResult read -> put(node, read);
            case ListResult list -> put(node, list);
            case CloseResult close -> put(node, close);
        }
        if (result.error() != null) {
            node.set("error", of(result.error()));
        }
        return node;
    }

    private static void put(ObjectNode node, ExecResult result) {
        node.put("session_id", result.sessionId())
                .put("output", result.output())
                .put("running", result.running())
                .put("exit_code", result.exitCode())
                .put("truncated", result.truncated())
                .put("signal", result.signal())
                .put("survivors", result.survivors())
                .put("wall_time_ms", result.wallTimeMs())
                .put("output_start", result.outputStart())
                .put("output_end", result.outputEnd())
                .put("omitted_bytes", result.omittedBytes())
                .put("original_tokens", result.originalTokens())
                .put("wait_result", result.waitResult())
                .put("waiting_for_input", result.waitingForInput())
                .put("echo_off", result.echoOff());
        put(node, result.screen());
        if (result.cwd() != null) {
            node.put("cwd", result.cwd());
        }
        if (result.hint() != null) {
            node.put("hint", result.hint());
        }
        if (!result.approvals().isEmpty()) {
            result.approvals().forEach(one -> node.withArray("approvals").add(brief(one)));
        }
    }

    /// What an agent has to know about a question.
    private static ObjectNode brief(Approval approval) {
        ObjectNode node = JSON.objectNode().put("id", approval.id()).put("program", approval.program());
        node.put("command", approval.command().text());
        approval.words().forEach(node.putArray("words")::add);
        return node.put("rule", approval.rule()).put("state", approval.state().label());
    }

    private static void put(ObjectNode node, OutputResult result) {
        node.put("session_id", result.sessionId())
                .put("output", result.output())
                .put("output_start", result.outputStart())
                .put("output_end", result.outputEnd())
                .put("next", result.next())
                .put("truncated", result.truncated())
                .put("omitted_bytes", result.omittedBytes())
                .put("running", result.running())
                .put("exit_code", result.exitCode());
        put(node, result.screen());
    }

    private static void put(ObjectNode node, @Nullable ScreenView screen) {
        if (screen == null) {
            return;
        }
        ObjectNode shown = node.putObject("screen");
        shown.putObject("cursor").put("row", screen.cursorRow()).put("column", screen.cursorColumn());
        shown.put("title", screen.title())
                .put("alternate", screen.alternate())
                .put("cols", screen.cols())
                .put("rows", screen.rows())
                .put("offset", screen.offset())
                .put("changes_only", screen.changesOnly());
        screen.selected().forEach(shown.putArray("selected")::add);
        screen.uncertain().forEach(shown.putArray("uncertain")::add);
    }

    private static void put(ObjectNode node, CloseResult result) {
        node.put("session_id", result.sessionId())
                .put("exit_code", result.exitCode())
                .put("signal", result.signal())
                .put("ended", result.ended())
                .put("killed", result.killed());
    }

    private static void put(ObjectNode node, ListResult result) {
        ArrayNode sessions = JSON.arrayNode();
        for (ListResult.Entry entry : result.sessions()) {
            ObjectNode session = of(entry.session())
                    .put("waiting_for_input", entry.waitingForInput())
                    .put("unread_bytes", entry.unreadBytes());
            if (!entry.commands().isEmpty()) {
                ArrayNode commands = session.putArray("commands");
                entry.commands().forEach(command -> commands.add(of(command)));
            }
            sessions.add(session);
        }
        node.set("sessions", sessions);
    }

    /// A command that a session's shell has run, the same everywhere Belay shows one.
    public static ObjectNode of(ShellCommand command) {
        return JSON.objectNode()
                .put("command", command.command())
                .put("cwd", command.cwd())
                .put("exit_code", command.exitCode())
                .put("began_at", command.beganAt().toString())
                .put("ended_at", text(command.endedAt()))
                .put("start", command.start())
                .put("end", command.end())
                .put("signed", command.signed());
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
        node.put("origin", session.origin().label())
                .put("keep", session.keep())
                .put("started_at", session.startedAt().toString())
                .put("ended_at", text(session.endedAt()))
                .put("state", session.state().name().toLowerCase(Locale.ROOT))
                .put("exit_code", session.exitCode())
                .put("signal", session.signal())
                .put("survivors", session.survivors())
                .put("output_start", session.outputStart())
                .put("output_end", session.outputEnd())
                .put("last_activity_at", session.lastActivityAt().toString())
                .put("end_reason", session.endReason() == null ? null : session.endReason().label());
        return session.guard() == null ? node : node.set("guard", of(session.guard()));
    }

    private static ObjectNode of(Guarded guard) {
        ObjectNode node = JSON.objectNode()
                .put("tier", guard.tier())
                .put("by", guard.by())
                .put("files", guard.files());
        if (guard.hosts().isEmpty()) {
            node.put("network", guard.network());
        } else {
            guard.hosts().forEach(node.putArray("network")::add);
        }
        node.put("no_new_privs", guard.noNewPrivs())
                .put("watched", guard.watched())
                .put("approvals", guard.approvals());
        if (!guard.changed().isEmpty()) {
            guard.changed().forEach(node.putArray("changed")::add);
        }
        return node;
    }

    /// A question about a program, as every front door shows it.
    public static ObjectNode of(Approval approval) {
        ObjectNode node = JSON.objectNode()
                .put("id", approval.id())
                .put("session", approval.session())
                .put("owner", approval.owner())
                .put("program", approval.program());
        approval.words().forEach(node.putArray("words")::add);
        if (approval.command().folded() > 0) {
            node.put("more_words", approval.command().folded());
        }
        node.putObject("shown")
                .put("command", approval.command().text())
                .put("program", Quoted.inside(approval.program()))
                .put("workdir", Quoted.inside(approval.workdir()));
        node.put("workdir", approval.workdir());
        approval.variables().forEach(node.putArray("variables")::add);
        approval.ancestors().forEach(node.putArray("ancestors")::add);
        node.put("rule", approval.rule())
                .put("count", approval.count())
                .put("asked_at", approval.askedAt().toString())
                .put("expires_at", approval.expiresAt().toString())
                .put("state", approval.state().label());
        approval.scopes().forEach(scope -> node.withArray("scopes").add(scope.label()));
        if (approval.privateTo() != null) {
            node.put("private_to", approval.privateTo());
        }
        if (approval.by() != null) {
            node.put("by", approval.by());
        }
        if (approval.scope() != null) {
            node.put("scope", approval.scope().label());
        }
        if (approval.reason() != null) {
            node.put("reason", approval.reason().label());
        }
        return node;
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }

    /// A refusal, the same everywhere Belay shows one: `{code, message, ...details}`; details keep their types.
    public static ObjectNode of(ToolError error) {
        ObjectNode node = JSON.objectNode().put("code", error.code().name()).put("message", error.message());
        error.details().forEach((name, value) -> {
            switch (value) {
                case Number number -> node.put(name, number.longValue());
                case Boolean flag -> node.put(name, flag);
                default -> node.put(name, value.toString());
            }
        });
        return node;
    }
}
