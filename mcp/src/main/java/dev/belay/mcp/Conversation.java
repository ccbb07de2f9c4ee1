package dev.belay.mcp;

import dev.belay.Approval;
import dev.belay.Approval.Answer;
import dev.belay.Quoted;
import dev.belay.SessionException;
import dev.belay.agent.AgentTools;
import dev.belay.agent.ToolResult;
import dev.belay.host.Uninterrupted;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The Model Context Protocol with one client, whatever carries the messages.
///
/// Since revision 2026-07-28, each request is complete in itself ([Stateless]), so requests of unrelated clients may be
/// mixed. What earlier revisions agree on in `initialize` applies to all later requests here.
///
/// Messages may come from any thread. Calls of tools run on virtual threads of their own, side by side; everything else
/// is answered on the caller's thread. Answers go to the consumer that came with the message, from any thread.
public final class Conversation implements Peer {
    /// The versions that begin with `initialize`, newest first.
    public static final List<String> LEGACY = List.of("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05");
    /// All versions of the protocol that are spoken, newest first.
    public static final List<String> VERSIONS =
            List.of(Stateless.VERSION, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05");

    /// The longest message: one of the largest inputs, with every byte escaped.
    public static final int MAX_MESSAGE_BYTES = 8 << 20;

    /// The most messages that come as one.
    private static final int MAX_BATCH = 100;
    /// How long a client that offers roots has to name them before its first command starts.
    private static final Duration ROOTS = Duration.ofSeconds(5);

    private static final Logger LOG = System.getLogger(Conversation.class.getName());
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String INSTRUCTIONS =
            """
                    Run commands with unified_exec; while one runs, continue with write_stdin. Calls return as soon as \
                    there is something to report, so use wait_for and do not poll. The line in brackets after the \
                    output shows the command's state, for example that it waits for input. read_output shows \
                    output again. Close sessions that you no longer need: their number is limited.""";

    private final Workplace workplace;
    private final Supplier<Results> results;
    private final String version;
    private final Calls calls = new Calls();
    private final ServerRequests asked = new ServerRequests();
    /// Run it when the user of the client can no longer be asked; null before the first call.
    private final AtomicReference<@Nullable Runnable> attends = new AtomicReference<>();
    /// What the client said in `initialize`; null before.
    private volatile @Nullable JsonNode capabilities;
    /// What it answered to `roots/list`, or will.
    private volatile CompletableFuture<@Nullable JsonNode> roots = CompletableFuture.completedFuture(null);

    /// @param results what answers carry; asked in every call
    /// @param version the version of Belay
    public Conversation(Workplace workplace, Supplier<Results> results, String version) {
        this.workplace = workplace;
        this.results = results;
        this.version = version;
    }

    @Override
    public void receive(JsonNode message, Consumer<JsonNode> replies) {
        take(message, replies, _ -> {});
    }

    /// Takes one message, or several in an array, and returns when it is fully answered: no call that it began is still
    /// in progress. A call that was cancelled gets no answer.
    public void converse(JsonNode message, Consumer<JsonNode> replies) {
        begin(message, replies).forEach(call -> Uninterrupted.run(call::join));
    }

    /// Takes one message, or several in an array.
    ///
    /// @return the calls that it began; the message is fully answered when they have ended
    public List<Thread> begin(JsonNode message, Consumer<JsonNode> replies) {
        List<Thread> begun = new ArrayList<>();
        take(message, replies, begun::add);
        return begun;
    }

    /// Whether a message is complete in itself, as since 2026-07-28: it needs no conversation.
    public static boolean isStateless(JsonNode message) {
        return Stateless.claims(Messages.string(message.get("method")), message.get("params"));
    }

    /// The version that a message says it speaks, if it says so.
    public static @Nullable String spoken(JsonNode message) {
        return Stateless.spoken(message);
    }

    /// The answer to what is not JSON.
    public static JsonNode unreadable(JacksonException e) {
        return Messages.error(null, new ProtocolException(
                ProtocolException.PARSE_ERROR, "This is not JSON: " + e.getOriginalMessage()));
    }

    /// The answer to what is not UTF-8.
    public static JsonNode notUtf8() {
        return Messages.error(null, new ProtocolException(
                ProtocolException.PARSE_ERROR, "This is not JSON: it is not valid UTF-8."));
    }

    /// The answer to a message that contradicts the headers of its request.
    public static JsonNode headerMismatch(JsonNode message, String why) {
        return Messages.error(message.get("id"), new ProtocolException(ProtocolException.HEADER_MISMATCH, why));
    }

    /// The answer to a message that does not name its version, although its headers do.
    public static JsonNode saysNothing(JsonNode message) {
        return Messages.error(message.get("id"), Stateless.versionMissing());
    }

    private void take(JsonNode message, Consumer<JsonNode> replies, Consumer<Thread> begun) {
        if (message.isArray() && !message.isEmpty() && message.size() <= MAX_BATCH) {
            message.forEach(one -> take(one, replies, begun));
            return;
        }
        JsonNode id = message.get("id");
        try {
            if (!message.isObject() || !"2.0".equals(Messages.string(message.get("jsonrpc")))) {
                throw new ProtocolException(
                        ProtocolException.INVALID_REQUEST,
                        "A message is an object with \"jsonrpc\":\"2.0\", or a list of at most " + MAX_BATCH + ".");
            }
            String method = Messages.string(message.get("method"));
            if (method == null) {
                asked.answered(message);
            } else if (id == null) {
                noted(method, Messages.params(message), replies);
            } else if (!id.isString() && !id.isIntegralNumber()) {
                throw new ProtocolException(ProtocolException.INVALID_REQUEST, "An id is a string or a number.");
            } else if (isStateless(message)) {
                stateless(id, method, Messages.params(message), replies, begun);
            } else {
                request(id, method, Messages.params(message), replies, begun);
            }
        } catch (ProtocolException e) {
            replies.accept(Messages.error(id, e));
        }
    }

    // --- since 2026-07-28 ---

    private void stateless(
            JsonNode id, String method, @Nullable JsonNode params, Consumer<JsonNode> replies, Consumer<Thread> begun) {
        JsonNode offered = Stateless.requireCapabilities(params);
        JsonNode given = params == null ? NODES.objectNode() : params;
        switch (method) {
            case "server/discover" -> {
                ObjectNode node = NODES.objectNode();
                Stateless.putVersions(node, "supportedVersions");
                replies.accept(Messages.result(id, Stateless.cacheable(introduced(node), server())));
            }
            case "tools/list" -> replies.accept(Messages.result(id, Stateless.cacheable(list(), server())));
            case "tools/call" -> {
                Questions questions = new Questions.OfOneTry(offered, given);
                begun.accept(calls.begin(id, () -> {
                    try {
                        return Stateless.complete(
                                call(given, replies, questions, true, offered.has(ApprovalQuestion.CAPABILITY)),
                                server());
                    } catch (Questions.Open e) {
                        return e.result();
                    }
                }, replies));
            }
            case "subscriptions/listen" -> begun.accept(calls.begin(id, () -> listen(id, replies), replies));
            default -> throw noMethod(method);
        }
    }

    /// Nothing that a client can subscribe to ever changes here. Confirms the subscription, which lasts until either
    /// side ends it.
    private ObjectNode listen(JsonNode id, Consumer<JsonNode> replies) {
        ObjectNode acknowledged = Stateless.ofSubscription(NODES.objectNode(), id);
        acknowledged.putObject("notifications");
        replies.accept(Messages.notification("notifications/subscriptions/acknowledged", acknowledged));
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException _) {
            // Cancelled, and then nobody hears the result; or Belay ends, and it tells the client so.
        }
        return Stateless.ofSubscription(Stateless.complete(NODES.objectNode(), server()), id);
    }

    // --- up to 2025-11-25 ---

    private void request(
            JsonNode id, String method, @Nullable JsonNode params, Consumer<JsonNode> replies, Consumer<Thread> begun) {
        switch (method) {
            case "initialize" -> replies.accept(Messages.result(id, initialize(params)));
            case "ping" -> replies.accept(Messages.result(id, NODES.objectNode()));
            case "tools/list" -> {
                requireInitialized();
                replies.accept(Messages.result(id, list()));
            }
            case "tools/call" -> {
                JsonNode offered = requireInitialized();
                JsonNode given = params == null ? NODES.objectNode() : params;
                Questions questions = (capability, _, asks, question) -> offered.has(capability)
                        ? answer(asked.send(asks, question, replies))
                        : null;
                begun.accept(calls.begin(id, () -> call(
                        given, replies, questions, false, offered.has(ApprovalQuestion.CAPABILITY)), replies));
            }
            default -> throw noMethod(method);
        }
    }

    private static @Nullable JsonNode answer(CompletableFuture<@Nullable JsonNode> asked) throws InterruptedException {
        try {
            return asked.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            asked.cancel(false);
        }
    }

    private ObjectNode initialize(@Nullable JsonNode params) {
        String asks = params == null ? null : Messages.string(params.get("protocolVersion"));
        capabilities = params == null ? NODES.objectNode() : params.path("capabilities");
        ObjectNode node = NODES.objectNode()
                .put("protocolVersion", asks != null && LEGACY.contains(asks) ? asks : LEGACY.getFirst());
        node.set("serverInfo", server());
        return introduced(node);
    }

    private JsonNode requireInitialized() {
        JsonNode offered = capabilities;
        if (offered == null) {
            throw new ProtocolException(ProtocolException.INVALID_REQUEST, "Send initialize first.");
        }
        return offered;
    }

    private void noted(String method, @Nullable JsonNode params, Consumer<JsonNode> replies) {
        switch (method) {
            case "notifications/cancelled" -> calls.cancel(params == null ? null : params.get("requestId"));
            case "notifications/initialized", "notifications/roots/list_changed" -> {
                JsonNode offered = capabilities;
                if (offered != null && offered.has("roots")) {
                    roots = asked.send("roots/list", null, replies);
                }
            }
            default -> LOG.log(Level.DEBUG, () -> "unknown notification: " + Quoted.of(method));
        }
    }

    // --- what both have ---

    private static ProtocolException noMethod(String method) {
        return new ProtocolException(
                ProtocolException.METHOD_NOT_FOUND, "There is no method " + Quoted.of(method) + ".");
    }

    private ObjectNode server() {
        return NODES.objectNode().put("name", "belay").put("title", "Belay").put("version", version);
    }

    private static ObjectNode introduced(ObjectNode node) {
        node.putObject("capabilities").putObject("tools").put("listChanged", false);
        return node.put("instructions", INSTRUCTIONS);
    }

    private ObjectNode list() {
        return Toolbox.list(workplace.settings(), results.get());
    }

    private ObjectNode call(
            JsonNode params, Consumer<JsonNode> replies, Questions questions, boolean asksRoots, boolean elicits)
            throws InterruptedException {
        String name = Messages.string(params.get("name"));
        if (name == null) {
            throw ProtocolException.invalidParams("tools/call needs the name of a tool.");
        }
        ApprovalQuestion answered = answered(params);
        Roots known = !asksRoots ? knownRoots() : answered == null ? askRoots(name, questions) : Roots.NONE;
        AgentTools tools;
        try {
            tools = workplace.open(known.first());
        } catch (SessionException e) {
            return result(Toolbox.refused(name, e));
        }
        if (Toolbox.has(name)) {
            workplace.called(name, Messages.string(params.path("arguments").get("session_id")));
        }
        if (elicits) {
            attend(tools);
        }
        if (answered != null) {
            Answer answer = ApprovalQuestion.answer(params.path("inputResponses").get(answered.key()));
            tools.answerAsClient(answered.approval(), answer == null ? Answer.DENY : answer);
        }
        AgentTools asking = tools.asking(approval -> ask(tools, approval, questions));
        Toolbox toolbox = new Toolbox(asking, known.within(tools.workspace(), workplace.folder()));
        Progress.Call call = answered == null
                ? () -> toolbox.call(name, params.get("arguments"))
                // The command runs already: this goes on where the question was asked.
                : () -> toolbox.call("write_stdin", Toolbox.goOn(answered.session(), params.get("arguments")));
        JsonNode token = params.path("_meta").get("progressToken");
        return result(token == null ? call.run() : new Progress(token, replies).of(call, toolbox::lastLine));
    }

    /// Asks the user of the client about a program.
    private static boolean ask(AgentTools tools, Approval approval, Questions questions) throws InterruptedException {
        Answer answer = ApprovalQuestion.answer(questions.ask(
                ApprovalQuestion.CAPABILITY, ApprovalQuestion.of(approval).key(), ApprovalQuestion.METHOD,
                ApprovalQuestion.params(approval)));
        if (answer == null) {
            return false;
        }
        tools.answerAsClient(approval.id(), answer);
        return true;
    }

    /// The question about a program that a call comes back to answer; null if it does not.
    private static @Nullable ApprovalQuestion answered(JsonNode params) {
        return params.path("inputResponses").propertyStream()
                .map(one -> ApprovalQuestion.parse(one.getKey()))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /// From the first call on somebody can be asked, even while no call waits.
    private void attend(AgentTools tools) {
        if (attends.get() == null) {
            Runnable ends = tools.attend();
            if (!attends.compareAndSet(null, ends)) {
                ends.run();
            }
        }
    }

    /// Where a client since 2026-07-28 works, if the call depends on it.
    private Roots askRoots(String name, Questions questions) throws InterruptedException {
        return name.equals(Toolbox.EXEC) || !workplace.isOpen()
                ? Roots.of(questions.ask("roots", "roots", "roots/list", NODES.objectNode()))
                : Roots.NONE;
    }

    /// Where a client has said that it works. The first call waits for that, if the workspace depends on it.
    private Roots knownRoots() throws InterruptedException {
        CompletableFuture<@Nullable JsonNode> answer = roots;
        try {
            return Roots.of(workplace.isOpen()
                    ? answer.getNow(null)
                    : answer.get(ROOTS.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException _) {
            LOG.log(Level.WARNING, "the client offers its roots but does not list them");
            return Roots.NONE;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private ObjectNode result(ToolResult answer) {
        Results form = results.get();
        ObjectNode node = NODES.objectNode();
        ArrayNode content = node.putArray("content");
        if (form.text()) {
            content.addObject().put("type", "text").put("text", AnswerText.of(answer));
        }
        if (form.records()) {
            node.set("structuredContent", Answers.of(answer));
        }
        return node.put("isError", !answer.success());
    }

    /// Ends all waits. Sessions keep running: they belong to the tools, not to the conversation.
    @Override
    public void close() {
        calls.close();
        Runnable ends = attends.getAndSet(() -> {});
        if (ends != null) {
            ends.run();
        }
    }
}
