package dev.belay.server.mcp;

import dev.belay.server.wire.HttpReplies;
import dev.belay.server.wire.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/// The answers to the messages of one POST: a stream of events if a tool is called, which may take time and report
/// progress, otherwise a JSON document. The server's own requests go to the client's own stream.
///
/// Takes from any thread; its lock is a turn, events go out whole.
final class PostReply implements Consumer<JsonNode> {
    private final @Nullable McpClient client;
    private final Response response;
    private final boolean streams;
    private final ReentrantLock turn = new ReentrantLock();
    private final List<JsonNode> answers = new ArrayList<>();
    private @Nullable EventStream events;
    private @Nullable IOException broken;

    /// @param client  whose own stream gets what the server asks; null if the server asks nothing
    /// @param streams whether the client takes a stream
    PostReply(@Nullable McpClient client, Response response, boolean streams) {
        this.client = client;
        this.response = response;
        this.streams = streams;
    }

    /// Begins the stream now if the message calls a tool, so that no proxy mistakes a long wait for a lost answer.
    void begin(JsonNode message) throws IOException {
        if (streams && calls(message)) {
            events = new EventStream(response);
        }
    }

    @Override
    public void accept(JsonNode message) {
        boolean says = message.has("method");
        if (client != null && says && message.has("id")) {
            client.ask(message);
            return;
        }
        turn.lock();
        try {
            if (says && events == null && streams && client == null) {
                events = new EventStream(response);
            }
            if (events != null && broken == null) {
                events.send(message);
            } else if (!says) {
                answers.add(message);
            }
        } catch (IOException e) {
            // The client has gone. The call continues: what it does is not undone by that.
            broken = e;
        } finally {
            turn.unlock();
        }
    }

    /// Sends an empty event on a stream: the client knows that it is heard, and the server notices if it has gone.
    ///
    /// @return whether it is still there, as far as can be seen
    boolean keepAlive() {
        turn.lock();
        try {
            if (streams && answers.isEmpty()) {
                events = events == null ? new EventStream(response) : events;
                events.keepAlive();
            }
        } catch (IOException e) {
            broken = e;
        } finally {
            turn.unlock();
        }
        return broken == null;
    }

    /// Everything is answered.
    void finish(JsonNode message, Callback callback) throws IOException {
        if (broken != null) {
            throw broken;
        }
        if (events != null) {
            events.end(callback);
        } else if (answers.isEmpty()) {
            response.setStatus(202);
            callback.succeeded();
        } else {
            JsonNode first = answers.getFirst();
            // An answer to nothing: what came was no message.
            boolean malformed = answers.size() == 1 && first.path("id").isNull();
            int status = client == null ? status(first) : malformed ? 400 : 200;
            HttpReplies.json(response, callback, status, message.isArray() ? list() : first);
        }
    }

    /// The status that goes with an answer, since 2026-07-28: of a request that is wrong as such it is not 200.
    private static int status(JsonNode answer) {
        return switch (answer.at("/error/code").asInt(0)) {
            case -32601 -> 404;
            case -32700, -32600, -32602, -32020, -32021, -32022 -> 400;
            default -> 200;
        };
    }

    private ArrayNode list() {
        ArrayNode list = Json.array();
        answers.forEach(list::add);
        return list;
    }

    private static boolean calls(JsonNode message) {
        for (JsonNode one : message.isArray() ? message : List.of(message)) {
            if (one.path("method").asString("").equals("tools/call")) {
                return true;
            }
        }
        return false;
    }
}
