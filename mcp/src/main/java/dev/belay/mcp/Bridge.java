package dev.belay.mcp;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Passes a client's messages on to a server over streamable HTTP, and what the server says back.
///
/// Requests are passed on side by side, each on a virtual thread; everything else in the order it came. If the server
/// was restarted and has forgotten the conversation, it gets the client's `initialize` again; the client does not
/// notice.
public final class Bridge implements Peer {
    private static final Logger LOG = System.getLogger(Bridge.class.getName());
    private static final Duration CONNECT = Duration.ofSeconds(10);
    /// Longer than any call: a server that is gone without a word is noticed at last.
    private static final Duration ANSWER = Duration.ofMinutes(15);
    private static final Duration PARTING = Duration.ofSeconds(5);
    private static final String CONVERSATION = "Mcp-Session-Id";

    private final URI endpoint;
    private final String token;
    private final JsonMapper json = JsonMapper.shared();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT).build();
    /// A turn: one at a time begins a conversation.
    private final ReentrantLock beginning = new ReentrantLock();
    /// The requests in progress that need no conversation.
    private final Map<JsonNode, Thread> stateless = new ConcurrentHashMap<>();
    private volatile @Nullable Begun begun;
    private volatile boolean closed;

    /// A conversation with the server.
    ///
    /// @param initialize what the client began it with
    private record Begun(JsonNode initialize, String id, String version) {}

    /// @param endpoint as in `http://127.0.0.1:10000/mcp`
    public Bridge(URI endpoint, String token) {
        this.endpoint = endpoint;
        this.token = token;
    }

    @Override
    public void receive(JsonNode message, Consumer<JsonNode> replies) {
        // Before all else: a cancellation may look like a request that needs no conversation.
        if (isMethod(message, "notifications/cancelled") && cancel(message.at("/params/requestId"))) {
            LOG.log(Level.DEBUG, "a request was cancelled");
        } else if (Conversation.isStateless(message)) {
            passStateless(message, replies);
        } else if (isMethod(message, "initialize")) {
            pass(message, replies, () -> begin(message, replies));
        } else if ((message.has("method") && message.has("id")) || message.isArray()) {
            Thread.ofVirtual().name("belay-bridge").start(() -> pass(message, replies, () -> goOn(message, replies)));
        } else {
            pass(message, replies, () -> goOn(message, replies));
        }
    }

    /// Passes on a request that needs no conversation. Ending its connection is how it is cancelled.
    private void passStateless(JsonNode message, Consumer<JsonNode> replies) {
        JsonNode id = message.path("id");
        Thread thread = Thread.ofVirtual().name("belay-bridge").unstarted(() -> {
            Consumer<JsonNode> unlessCancelled = reply -> {
                if (stateless.containsKey(id)) {
                    replies.accept(reply);
                }
            };
            try {
                pass(message, unlessCancelled, () -> read(postStateless(message), unlessCancelled));
            } finally {
                stateless.remove(id);
            }
        });
        stateless.put(id, thread);
        thread.start();
    }

    private boolean cancel(JsonNode id) {
        Thread request = stateless.remove(id);
        if (request != null) {
            request.interrupt();
        }
        return request != null;
    }

    private static boolean isMethod(JsonNode message, String method) {
        return message.path("method").asString("").equals(method);
    }

    private interface Passing {
        void run() throws IOException, InterruptedException;
    }

    /// Whatever fails on the way, the client gets an answer to what it asked.
    private void pass(JsonNode message, Consumer<JsonNode> replies, Passing passing) {
        try {
            passing.run();
        } catch (IOException e) {
            fail(message, replies, "The server at " + endpoint + " cannot be reached (" + reason(e)
                    + "); is it running? Start it with: belay serve");
        } catch (SessionException e) {
            fail(message, replies, String.valueOf(e.getMessage()));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            fail(message, replies, "Belay is shutting down.");
        }
    }

    private static String reason(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    private void fail(JsonNode message, Consumer<JsonNode> replies, String why) {
        if (closed) {
            return;
        }
        JsonNode id = message.get("id");
        if (id == null || !message.has("method")) {
            LOG.log(Level.WARNING, why);
        } else {
            replies.accept(Messages.error(id, new ProtocolException(ProtocolException.INTERNAL_ERROR, why)));
        }
    }

    // --- the conversation ---

    private void begin(JsonNode initialize, Consumer<JsonNode> replies) throws IOException, InterruptedException {
        beginning.lockInterruptibly();
        try {
            begun = null;
            HttpResponse<InputStream> answer = post(initialize, null);
            Consumer<JsonNode> look = message -> {
                String version = message.path("result").path("protocolVersion").asString("");
                String id = answer.headers().firstValue(CONVERSATION).orElse("");
                if (!version.isEmpty() && !id.isEmpty()) {
                    begun = new Begun(initialize, id, version);
                }
            };
            read(answer, look.andThen(replies));
        } finally {
            beginning.unlock();
        }
    }

    private void goOn(JsonNode message, Consumer<JsonNode> replies) throws IOException, InterruptedException {
        Begun now = begun;
        HttpResponse<InputStream> answer = post(message, now);
        if (answer.statusCode() == 404 && now != null) {
            answer.body().close();
            answer = post(message, again(now, replies));
        }
        read(answer, replies);
        Begun used = begun;
        if (used != null && isMethod(message, "notifications/initialized")) {
            listen(used, replies);
        }
    }

    /// Begins again with a server that no longer knows a conversation, unless another thread has done so.
    private @Nullable Begun again(Begun lost, Consumer<JsonNode> replies) throws IOException, InterruptedException {
        beginning.lockInterruptibly();
        try {
            if (lost.equals(begun)) {
                // The client knows all of this: what it asked has its answer.
                begin(lost.initialize(), _ -> {});
                Begun now = begun;
                if (now != null) {
                    JsonNode ready = json.createObjectNode()
                            .put("jsonrpc", "2.0")
                            .put("method", "notifications/initialized");
                    read(post(ready, now), replies);
                    listen(now, replies);
                }
            }
            return begun;
        } finally {
            beginning.unlock();
        }
    }

    /// Passes on the server's own requests, until either side is gone.
    private void listen(Begun in, Consumer<JsonNode> replies) {
        Thread.ofVirtual().name("belay-bridge-stream").start(() -> {
            try {
                read(send(request(in).header("Accept", "text/event-stream").GET()), replies);
            } catch (IOException | SessionException e) {
                // Nothing is lost but questions of the server, which it asks again in the next conversation.
                LOG.log(Level.DEBUG, "the server's stream has ended", e);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        });
    }

    // --- HTTP ---

    private HttpRequest.Builder request(@Nullable Begun in) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(endpoint).timeout(ANSWER).header("Authorization", "Bearer " + token);
        if (in != null) {
            request.header(CONVERSATION, in.id()).header("MCP-Protocol-Version", in.version());
        }
        return request;
    }

    private HttpResponse<InputStream> post(JsonNode message, @Nullable Begun in)
            throws IOException, InterruptedException {
        return postTo(request(in), message);
    }

    /// The headers repeat what the message says, for proxies on the way.
    private HttpResponse<InputStream> postStateless(JsonNode message) throws IOException, InterruptedException {
        HttpRequest.Builder request = request(null)
                .header("MCP-Protocol-Version", header(String.valueOf(Conversation.spoken(message))))
                .header("Mcp-Method", header(message.path("method").asString("")));
        String name = Messages.string(message.path("params").get("name"));
        return postTo(name == null ? request : request.header("Mcp-Name", header(name)), message);
    }

    /// A value that a header can carry: encoded, if it cannot go as it is.
    private static String header(String value) {
        boolean plain = value.equals(value.strip()) && value.chars().allMatch(c -> c >= ' ' && c <= '~')
                && !(value.startsWith("=?base64?") && value.endsWith("?="));
        return plain
                ? value
                : "=?base64?" + Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8)) + "?=";
    }

    private HttpResponse<InputStream> postTo(HttpRequest.Builder request, JsonNode message)
            throws IOException, InterruptedException {
        return send(request.header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(HttpRequest.BodyPublishers.ofString(json.writeValueAsString(message))));
    }

    private HttpResponse<InputStream> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    private void read(HttpResponse<InputStream> answer, Consumer<JsonNode> replies) throws IOException {
        String type = answer.headers().firstValue("Content-Type").orElse("");
        try (InputStream in = answer.body()) {
            if (answer.statusCode() / 100 == 2 && type.startsWith("text/event-stream")) {
                events(in, replies);
                return;
            }
            byte[] body = in.readAllBytes();
            JsonNode message = body.length == 0 || !type.startsWith("application/json") ? null : json.readTree(body);
            if (message != null && (message.isArray() || message.has("jsonrpc"))) {
                (message.isArray() ? message : java.util.List.of(message)).forEach(replies);
            } else if (answer.statusCode() / 100 != 2) {
                throw refused(answer.statusCode(), message);
            }
        } catch (JacksonException e) {
            throw new IOException("the server's answer is not JSON", e);
        }
    }

    private static SessionException refused(int status, @Nullable JsonNode body) {
        String why = body == null ? "" : body.at("/error/message").asString("");
        return new SessionException(
                status == 401 ? ErrorCode.UNAUTHENTICATED : ErrorCode.UNAVAILABLE,
                "The server refused with status " + status + (why.isEmpty() ? "." : ": " + why),
                Map.of());
    }

    /// Events of one line of data each, as Belay sends them; several lines are put together as the format says.
    private void events(InputStream in, Consumer<JsonNode> replies) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        StringBuilder data = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("data:")) {
                data.append(data.isEmpty() ? "" : "\n").append(line.substring(5).stripLeading());
            } else if (line.isEmpty() && !data.isEmpty()) {
                replies.accept(json.readTree(data.toString()));
                data.setLength(0);
            }
        }
    }

    /// Tells the server that the conversation is over. Its sessions keep running.
    @Override
    public void close() {
        closed = true;
        Begun now = begun;
        try {
            if (now != null) {
                http.send(request(now).timeout(PARTING).DELETE().build(), HttpResponse.BodyHandlers.discarding());
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "could not tell the server that the client is gone", e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            http.shutdownNow();
        }
    }
}
