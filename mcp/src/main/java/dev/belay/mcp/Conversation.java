package dev.belay.mcp;

import dev.belay.Quoted;
import dev.belay.agent.AgentTools;
import dev.belay.host.Uninterrupted;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The Model Context Protocol with one client, whatever carries the messages.
///
/// Messages may come from any thread. Calls of tools run on virtual threads of their own, side by side; everything else
/// is answered on the caller's thread. Answers go to the consumer that came with the message, from any thread.
public final class Conversation implements Peer {
    /// The versions of the protocol that are spoken, newest first.
    public static final List<String> VERSIONS = List.of("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05");

    /// The longest message: one of the largest inputs, with every byte escaped.
    public static final int MAX_MESSAGE_BYTES = 8 << 20;

    /// The most messages that come as one.
    private static final int MAX_BATCH = 100;

    private static final Logger LOG = System.getLogger(Conversation.class.getName());
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final Duration PROGRESS_EVERY = Duration.ofSeconds(1);
    private static final String INSTRUCTIONS =
            """
                    Run commands with unified_exec; talk to those that still run with write_stdin. Calls return as soon as there is \
                    something to know: prefer wait_for over polling. waiting_for_input says that a command wants an answer; \
                    echo_off that it wants a password. Output that was cut, or read before, is there again with read_output. \
                    Close what you no longer need: sessions are limited, and idle ones end after 5 minutes.""";

    private final JsonMapper json = JsonMapper.shared();
    private final Toolbox toolbox;
    private final Roots roots;
    private final String version;
    private final Map<JsonNode, Thread> calls = new ConcurrentHashMap<>();
    private final Map<Long, Consumer<JsonNode>> asked = new ConcurrentHashMap<>();
    private final AtomicLong nextId = new AtomicLong();
    private volatile boolean initialized;
    private volatile boolean rootsOffered;
    private volatile boolean closed;

    /// @param workspace the folder that the client's roots have to be within to count
    /// @param version   the version of Belay
    public Conversation(AgentTools tools, Path workspace, String version) {
        this.toolbox = new Toolbox(tools, json);
        this.roots = new Roots(workspace);
        this.version = version;
    }

    @Override
    public void receive(JsonNode message, Consumer<JsonNode> replies) {
        take(message, replies, _ -> {});
    }

    /// Takes one message, or several in an array, and returns when all has been said to it: no call that it began is
    /// under way any more. A call that was cancelled gets no answer.
    public void converse(JsonNode message, Consumer<JsonNode> replies) {
        List<Thread> begun = new ArrayList<>();
        take(message, replies, begun::add);
        begun.forEach(call -> Uninterrupted.run(call::join));
    }

    /// The answer to what is not JSON.
    public static JsonNode unreadable(JacksonException e) {
        return error(null, ProtocolException.PARSE_ERROR, "This is not JSON: " + e.getOriginalMessage());
    }

    private void take(JsonNode message, Consumer<JsonNode> replies, Consumer<Thread> begun) {
        if (message.isArray() && !message.isEmpty() && message.size() <= MAX_BATCH) {
            message.forEach(one -> take(one, replies, begun));
            return;
        }
        JsonNode id = message.get("id");
        try {
            if (!message.isObject() || !"2.0".equals(string(message.get("jsonrpc")))) {
                throw new ProtocolException(
                        ProtocolException.INVALID_REQUEST,
                        "A message is an object with \"jsonrpc\":\"2.0\", or a list of at most " + MAX_BATCH + ".");
            }
            String method = string(message.get("method"));
            if (method == null) {
                answered(message);
            } else if (id == null) {
                noted(method, params(message), replies);
            } else if (!id.isString() && !id.isIntegralNumber()) {
                throw new ProtocolException(ProtocolException.INVALID_REQUEST, "An id is a string or a number.");
            } else {
                request(id, method, params(message), replies, begun);
            }
        } catch (ProtocolException e) {
            replies.accept(error(id, e.code(), String.valueOf(e.getMessage())));
        }
    }

    private void request(
            JsonNode id, String method, @Nullable JsonNode params, Consumer<JsonNode> replies, Consumer<Thread> begun) {
        switch (method) {
            case "initialize" -> replies.accept(result(id, initialize(params)));
            case "ping" -> replies.accept(result(id, NODES.objectNode()));
            case "tools/list" -> {
                requireInitialized();
                replies.accept(result(id, toolbox.list()));
            }
            case "tools/call" -> {
                requireInitialized();
                begun.accept(call(id, new Arguments("tools/call", params), params, replies));
            }
            default -> throw new ProtocolException(
                    ProtocolException.METHOD_NOT_FOUND, "There is no method " + Quoted.of(method) + ".");
        }
    }

    private ObjectNode initialize(@Nullable JsonNode params) {
        String asks = params == null ? null : string(params.get("protocolVersion"));
        rootsOffered = params != null && params.path("capabilities").has("roots");
        ObjectNode node = NODES.objectNode()
                .put("protocolVersion", asks != null && VERSIONS.contains(asks) ? asks : VERSIONS.getFirst());
        node.putObject("capabilities").putObject("tools").put("listChanged", false);
        node.putObject("serverInfo").put("name", "belay").put("title", "Belay").put("version", version);
        initialized = true;
        return node.put("instructions", INSTRUCTIONS);
    }

    private void requireInitialized() {
        if (!initialized) {
            throw new ProtocolException(ProtocolException.INVALID_REQUEST, "Send initialize first.");
        }
    }

    // --- calls ---

    private Thread call(JsonNode id, Arguments params, @Nullable JsonNode raw, Consumer<JsonNode> replies) {
        String name = params.requiredString("name");
        JsonNode given = raw == null ? null : raw.get("arguments");
        Arguments arguments = new Arguments(name, given);
        JsonNode progress = raw == null ? null : raw.path("_meta").get("progressToken");
        Thread thread = Thread.ofVirtual().name("belay-call").unstarted(() -> {
            try {
                ObjectNode answer =
                        withProgress(progress, replies, () -> toolbox.call(name, arguments, roots.workdir()));
                // A call that was cancelled is not answered.
                if (calls.remove(id) != null) {
                    replies.accept(result(id, toolResult(answer)));
                }
            } catch (InterruptedException _) {
                calls.remove(id);
            } catch (ProtocolException e) {
                calls.remove(id);
                replies.accept(error(id, e.code(), String.valueOf(e.getMessage())));
            } catch (RuntimeException e) {
                calls.remove(id);
                LOG.log(Level.ERROR, "a call of " + name + " failed", e);
                replies.accept(error(id, ProtocolException.INTERNAL_ERROR, "An error of Belay itself: " + e));
            }
        });
        if (calls.putIfAbsent(id, thread) != null) {
            throw new ProtocolException(ProtocolException.INVALID_REQUEST, "A request with this id is under way.");
        }
        thread.start();
        if (closed) {
            thread.interrupt();
        }
        return thread;
    }

    private ObjectNode toolResult(ObjectNode answer) {
        ObjectNode node = NODES.objectNode();
        node.putArray("content").addObject().put("type", "text").put("text", AnswerText.of(answer));
        node.set("structuredContent", answer);
        return node.put("isError", !answer.path("success").booleanValue());
    }

    private interface Call {
        ObjectNode run() throws InterruptedException;
    }

    /// Tells a client that asked for it, once a second, that the call is still under way.
    private static ObjectNode withProgress(@Nullable JsonNode token, Consumer<JsonNode> replies, Call call)
            throws InterruptedException {
        if (token == null) {
            return call.run();
        }
        CountDownLatch done = new CountDownLatch(1);
        Thread ticker = Thread.ofVirtual().name("belay-progress").start(() -> tick(token, done, replies));
        try {
            return call.run();
        } finally {
            done.countDown();
            // None after the answer.
            ticker.join();
        }
    }

    private static void tick(JsonNode token, CountDownLatch done, Consumer<JsonNode> replies) {
        try {
            for (int seconds = 1; !done.await(PROGRESS_EVERY.toMillis(), TimeUnit.MILLISECONDS); seconds++) {
                ObjectNode params = NODES.objectNode();
                params.set("progressToken", token);
                params.put("progress", seconds).put("message", "Waiting for " + seconds + " s.");
                replies.accept(message("notifications/progress", params));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    // --- notifications and the client's answers ---

    private void noted(String method, @Nullable JsonNode params, Consumer<JsonNode> replies) {
        switch (method) {
            case "notifications/cancelled" -> {
                JsonNode id = params == null ? null : params.get("requestId");
                Thread call = id == null ? null : calls.remove(id);
                if (call != null) {
                    call.interrupt();
                }
            }
            case "notifications/initialized", "notifications/roots/list_changed" -> {
                if (rootsOffered) {
                    long id = nextId.incrementAndGet();
                    asked.put(id, roots::set);
                    replies.accept(message("roots/list", null).put("id", id));
                }
            }
            default -> LOG.log(Level.DEBUG, () -> "a notification that is not known: " + Quoted.of(method));
        }
    }

    private void answered(JsonNode message) {
        JsonNode id = message.get("id");
        Consumer<JsonNode> waiting = id != null && id.isIntegralNumber() ? asked.remove(id.longValue()) : null;
        if (waiting != null && message.has("result")) {
            waiting.accept(message.path("result"));
        } else if (waiting == null) {
            throw new ProtocolException(ProtocolException.INVALID_REQUEST, "A message has a method, or answers one.");
        }
    }

    /// Ends all waits. Sessions live on: they are the tools', not the conversation's.
    @Override
    public void close() {
        closed = true;
        calls.values().forEach(Thread::interrupt);
        List.copyOf(calls.values()).forEach(call -> Uninterrupted.run(call::join));
    }

    // --- messages ---

    private static @Nullable JsonNode params(JsonNode message) {
        JsonNode params = message.get("params");
        if (params != null && !params.isObject() && !params.isNull()) {
            throw ProtocolException.invalidParams("params has to be an object.");
        }
        return params == null || params.isNull() ? null : params;
    }

    private static @Nullable String string(@Nullable JsonNode node) {
        return node != null && node.isString() ? node.stringValue() : null;
    }

    private static ObjectNode message(String method, @Nullable ObjectNode params) {
        ObjectNode node = NODES.objectNode().put("jsonrpc", "2.0").put("method", method);
        if (params != null) {
            node.set("params", params);
        }
        return node;
    }

    private static ObjectNode result(JsonNode id, JsonNode result) {
        ObjectNode node = NODES.objectNode().put("jsonrpc", "2.0");
        node.set("id", id);
        node.set("result", result);
        return node;
    }

    static ObjectNode error(@Nullable JsonNode id, int code, String message) {
        ObjectNode node = NODES.objectNode().put("jsonrpc", "2.0");
        node.set("id", id == null ? NODES.nullNode() : id);
        node.putObject("error").put("code", code).put("message", message);
        return node;
    }
}
