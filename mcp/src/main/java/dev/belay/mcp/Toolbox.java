package dev.belay.mcp;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionException;
import dev.belay.agent.AgentSettings;
import dev.belay.agent.AgentTools;
import dev.belay.agent.CloseResult;
import dev.belay.agent.ExecRequest;
import dev.belay.agent.ExecResult;
import dev.belay.agent.ListResult;
import dev.belay.agent.OutputResult;
import dev.belay.agent.ReadRequest;
import dev.belay.agent.ToolError;
import dev.belay.agent.ToolResult;
import dev.belay.agent.View;
import dev.belay.agent.WaitFor;
import dev.belay.agent.WriteRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// The tools as the protocol shows them: their descriptions, and one call of one by name with JSON arguments.
final class Toolbox {
    static final String EXEC = "unified_exec";

    private static final int LAST_LINE_TOKENS = 200;
    private static final int LAST_LINE_CHARS = 160;
    private static final String TOOLS = resource("tools.json");
    private static final JsonNode OUTPUTS = JsonMapper.shared().readTree(resource("outputs.json"));

    private final AgentTools tools;
    private final String folder;
    /// The session that the call is about, as soon as that is known.
    private volatile @Nullable String session;

    /// @param folder where relative folders start, as seen from the workspace
    Toolbox(AgentTools tools, String folder) {
        this.tools = tools;
        this.folder = folder;
    }

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(Toolbox.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What `tools/list` answers: with the defaults that hold, and with output schemas where records are sent.
    static ObjectNode list(AgentSettings settings, Results results) {
        ObjectNode list = (ObjectNode) JsonMapper.shared().readTree(TOOLS
                .replace("${shell}", settings.shell().replace("\\", "\\\\").replace("\"", "\\\""))
                .replace("${yield_ms}", String.valueOf(settings.yield().toMillis()))
                .replace("${toolchain_yield_ms}", String.valueOf(settings.toolchainYield().toMillis()))
                .replace("${poll_ms}", String.valueOf(settings.poll().toMillis()))
                .replace("${max_call_ms}", String.valueOf(settings.maxCall().toMillis()))
                .replace("${idle_timeout_ms}", String.valueOf(settings.idleTimeout().toMillis()))
                .replace("${max_output_tokens}", String.valueOf(ExecRequest.DEFAULT_OUTPUT_TOKENS)));
        if (results.records()) {
            for (JsonNode tool : list.path("tools")) {
                ((ObjectNode) tool).set("outputSchema", OUTPUTS.path(tool.path("name").stringValue()));
            }
        }
        return list;
    }

    /// Whether there is a tool of that name.
    static boolean has(String name) {
        return OUTPUTS.has(name);
    }

    ToolResult call(String name, @Nullable JsonNode given) throws InterruptedException {
        try {
            Arguments arguments = new Arguments(name, given);
            return switch (name) {
                case EXEC -> located(tools.unifiedExec(exec(arguments)));
                case "write_stdin" -> tools.writeStdin(write(arguments));
                case "read_output" -> tools.readOutput(read(arguments));
                case "list_pty_sessions" -> {
                    arguments.done();
                    yield tools.listPtySessions();
                }
                case "close_pty_session" -> {
                    String id = arguments.requiredString("session_id");
                    boolean force = arguments.flag("force", false);
                    arguments.done();
                    yield tools.closePtySession(id, force);
                }
                default -> throw ProtocolException.invalidParams("Unknown tool " + Quoted.of(name)
                        + "; use one of unified_exec, write_stdin, read_output, list_pty_sessions, close_pty_session.");
            };
        } catch (SessionException e) {
            return refused(name, e);
        }
    }

    /// The arguments of a `write_stdin` that types nothing and waits for what a call of any tool waits for.
    static ObjectNode goOn(String session, @Nullable JsonNode arguments) {
        ObjectNode poll = JsonMapper.shared().createObjectNode().put("session_id", session);
        for (String name : List.of("wait_for", "yield_time_ms", "max_output_tokens", "view", "strip_ansi")) {
            JsonNode value = arguments == null ? null : arguments.get(name);
            if (value != null) {
                poll.set(name, value);
            }
        }
        return poll;
    }

    /// The last line that the call's session has printed; empty if there is none.
    String lastLine() {
        String id = session;
        if (id == null) {
            return "";
        }
        String line = tools.readOutput(ReadRequest.tail(id, 1).maxOutputTokens(LAST_LINE_TOKENS)).output()
                .lines().map(String::strip).filter(one -> !one.isEmpty()).reduce("", (_, last) -> last);
        return line.length() <= LAST_LINE_CHARS
                ? line
                : line.substring(0, line.offsetByCodePoints(0, line.codePointCount(0, LAST_LINE_CHARS))) + "...";
    }

    /// Adds to the error for a wrong folder what folders are relative to.
    private ExecResult located(ExecResult result) {
        ToolError error = result.error();
        if (error == null || result.sessionId() != null
                || (error.code() != ErrorCode.NOT_FOUND && error.code() != ErrorCode.OUTSIDE_WORKSPACE)) {
            return result;
        }
        return ExecResult.failed(null, result.wallTimeMs(), new ToolError(
                error.code(),
                error.message() + " workdir is relative to " + tools.workspace().resolve(folder).normalize() + ".",
                error.details()));
    }

    /// A folder as seen from the workspace.
    private String inWorkspace(String workdir) {
        return folder.equals(".") || workdir.startsWith("/") ? workdir : folder + "/" + workdir;
    }

    private ExecRequest exec(Arguments arguments) {
        ExecRequest base = ExecRequest.of(arguments.requiredString("cmd"));
        String asked = arguments.string("session_id");
        String in = arguments.string("in");
        if (asked != null && in != null) {
            throw SessionException.invalid("in names the session already; leave out session_id.");
        }
        String workdir = arguments.string("workdir");
        String id = asked == null ? AgentTools.newSessionId() : asked;
        ExecRequest request = new ExecRequest(
                base.cmd(),
                workdir == null ? null : inWorkspace(workdir),
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
                view(arguments),
                id,
                arguments.integer("idle_timeout_ms"),
                in,
                folder);
        arguments.done();
        session = in == null ? id : in;
        return request;
    }

    private WriteRequest write(Arguments arguments) {
        WriteRequest request = new WriteRequest(
                arguments.requiredString("session_id"),
                arguments.string("chars", ""),
                arguments.strings("keys"),
                arguments.flag("paste", false),
                arguments.integer("yield_time_ms"),
                arguments.integer("max_output_tokens", ExecRequest.DEFAULT_OUTPUT_TOKENS),
                waitFor(arguments),
                view(arguments));
        arguments.done();
        session = request.sessionId();
        return request;
    }

    private static ReadRequest read(Arguments arguments) {
        ReadRequest request = new ReadRequest(
                arguments.requiredString("session_id"),
                arguments.offset("from"),
                arguments.integer("tail"),
                arguments.string("match"),
                arguments.integer("max_output_tokens", ExecRequest.DEFAULT_OUTPUT_TOKENS),
                view(arguments));
        arguments.done();
        return request;
    }

    /// `strip_ansi: false` is another way to ask for every byte.
    private static View view(Arguments arguments) {
        String name = arguments.string("view");
        boolean strip = arguments.flag("strip_ansi", true);
        return name == null ? strip ? View.AUTO : View.RAW : View.named(name);
    }

    private static @Nullable WaitFor waitFor(Arguments arguments) {
        Arguments inner = arguments.object("wait_for");
        if (inner == null) {
            return null;
        }
        WaitFor waitFor = new WaitFor(inner.string("match"), inner.integer("idle_ms"), inner.flag("exit", false),
                inner.string("screen"), inner.integer("settled_ms"));
        inner.done();
        return waitFor;
    }

    /// A request whose values make no sense is a failed call, in the shape of the tool's other answers.
    static ToolResult refused(String name, SessionException e) {
        ToolError error = ToolError.of(e);
        return switch (name) {
            case "read_output" -> OutputResult.failed(null, error);
            case "list_pty_sessions" -> ListResult.failed(error);
            case "close_pty_session" -> CloseResult.failed("", error);
            default -> ExecResult.failed(null, 0, error);
        };
    }
}
