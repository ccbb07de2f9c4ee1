package dev.belay.mcp;

import dev.belay.SessionException;
import dev.belay.agent.AgentTools;
import dev.belay.agent.CloseResult;
import dev.belay.agent.ExecRequest;
import dev.belay.agent.ExecResult;
import dev.belay.agent.ListResult;
import dev.belay.agent.OutputResult;
import dev.belay.agent.ReadRequest;
import dev.belay.agent.ToolError;
import dev.belay.agent.WaitFor;
import dev.belay.agent.WriteRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// The tools as the protocol shows them: their descriptions, and calls of them by name with JSON arguments.
final class Toolbox {
    private final AgentTools tools;
    private final JsonNode list;

    Toolbox(AgentTools tools, JsonMapper json) {
        this.tools = tools;
        try (InputStream in = Objects.requireNonNull(Toolbox.class.getResourceAsStream("tools.json"))) {
            this.list = json.readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What `tools/list` answers.
    JsonNode list() {
        return list;
    }

    /// Calls a tool.
    ///
    /// @param workdir where commands start that name no folder; null: at the root of the workspace
    ObjectNode call(String name, Arguments arguments, @Nullable String workdir) throws InterruptedException {
        try {
            return switch (name) {
                case "unified_exec" -> Answers.of(tools.unifiedExec(exec(arguments, workdir)));
                case "write_stdin" -> Answers.of(tools.writeStdin(write(arguments)));
                case "read_output" -> Answers.of(tools.readOutput(read(arguments)));
                case "list_pty_sessions" -> {
                    arguments.done();
                    yield Answers.of(tools.listPtySessions());
                }
                case "close_pty_session" -> {
                    String id = arguments.requiredString("session_id");
                    boolean force = arguments.flag("force", false);
                    arguments.done();
                    yield Answers.of(tools.closePtySession(id, force));
                }
                default -> throw ProtocolException.invalidParams("There is no tool " + dev.belay.Quoted.of(name)
                        + "; there are unified_exec, write_stdin, read_output, list_pty_sessions, close_pty_session.");
            };
        } catch (SessionException e) {
            return refused(name, e);
        }
    }

    private static ExecRequest exec(Arguments arguments, @Nullable String workdir) {
        ExecRequest base = ExecRequest.of(arguments.requiredString("cmd"));
        String asked = arguments.string("workdir");
        ExecRequest request = new ExecRequest(
                base.cmd(),
                asked == null ? workdir : asked,
                arguments.string("shell"),
                arguments.flag("login", base.login()),
                arguments.flag("tty", base.tty()),
                arguments.integer("yield_time_ms"),
                arguments.integer("max_output_tokens", base.maxOutputTokens()),
                arguments.stringMap("env"),
                arguments.integer("cols", base.cols()),
                arguments.integer("rows", base.rows()),
                arguments.integer("timeout_ms"),
                waitFor(arguments),
                arguments.flag("strip_ansi", base.stripAnsi()),
                arguments.string("session_id"),
                arguments.integer("idle_timeout_ms"));
        arguments.done();
        return request;
    }

    private static WriteRequest write(Arguments arguments) {
        WriteRequest request = new WriteRequest(
                arguments.requiredString("session_id"),
                arguments.string("chars", ""),
                arguments.strings("keys"),
                arguments.flag("paste", false),
                arguments.integer("yield_time_ms"),
                arguments.integer("max_output_tokens", ExecRequest.DEFAULT_OUTPUT_TOKENS),
                waitFor(arguments),
                arguments.flag("strip_ansi", false));
        arguments.done();
        return request;
    }

    private static ReadRequest read(Arguments arguments) {
        ReadRequest request = new ReadRequest(
                arguments.requiredString("session_id"),
                arguments.offset("from"),
                arguments.integer("tail"),
                arguments.integer("max_output_tokens", ExecRequest.DEFAULT_OUTPUT_TOKENS),
                arguments.flag("strip_ansi", false));
        arguments.done();
        return request;
    }

    private static @Nullable WaitFor waitFor(Arguments arguments) {
        Arguments inner = arguments.object("wait_for");
        if (inner == null) {
            return null;
        }
        WaitFor waitFor = new WaitFor(inner.string("match"), inner.integer("idle_ms"), inner.flag("exit", false));
        inner.done();
        return waitFor;
    }

    /// A request whose values make no sense is a failed call, in the shape of the tool's other answers.
    private static ObjectNode refused(String name, SessionException e) {
        ToolError error = ToolError.of(e);
        return switch (name) {
            case "read_output" -> Answers.of(OutputResult.failed(null, error));
            case "list_pty_sessions" -> Answers.of(new ListResult(false, List.of(), error));
            case "close_pty_session" -> Answers.of(new CloseResult(false, "", null, null, 0, error));
            default -> Answers.of(ExecResult.failed(null, 0, error));
        };
    }
}
