package dev.belay.server.mcp;

import dev.belay.server.Json;
import dev.belay.server.rest.Replies;
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

/// What is said to the messages of one POST: a JSON document if there is nothing but answers, a stream of events as soon
/// as something is said on the way to them. What the server asks by itself goes to the client's own stream.
///
/// Takes from any thread; its lock is a turn, events go out whole.
final class PostReply implements Consumer<JsonNode> {
    private final McpClient client;
    private final Response response;
    private final boolean streams;
    private final ReentrantLock turn = new ReentrantLock();
    private final List<JsonNode> answers = new ArrayList<>();
    private @Nullable Events events;
    private @Nullable IOException broken;

    /// @param streams whether the client takes a stream
    PostReply(McpClient client, Response response, boolean streams) {
        this.client = client;
        this.response = response;
        this.streams = streams;
    }

    @Override
    public void accept(JsonNode message) {
        boolean says = message.has("method");
        if (says && message.has("id")) {
            client.ask(message);
            return;
        }
        turn.lock();
        try {
            if (says && streams) {
                stream().send(message);
            } else if (!says && events != null) {
                events.send(message);
            } else if (!says) {
                answers.add(message);
            }
        } catch (IOException e) {
            // The client has gone. The call goes on: what it does is not undone by that.
            broken = e;
        } finally {
            turn.unlock();
        }
    }

    /// Begins the stream with the answers that waited for all to be there.
    private Events stream() throws IOException {
        if (broken != null) {
            throw broken;
        }
        if (events == null) {
            events = new Events(response);
            for (JsonNode answer : answers) {
                events.send(answer);
            }
        }
        return events;
    }

    /// All has been said.
    void finish(JsonNode message, Callback callback) throws IOException {
        if (broken != null) {
            throw broken;
        }
        if (events != null) {
            events.end(callback);
        } else if (!answers.isEmpty()) {
            JsonNode first = answers.getFirst();
            // An answer to nothing: what came was no message.
            boolean malformed = answers.size() == 1 && first.path("id").isNull();
            Replies.json(response, callback, malformed ? 400 : 200, message.isArray() ? list() : first);
        } else if (asks(message) && streams) {
            // A call that was cancelled has no answer.
            stream().end(callback);
        } else {
            response.setStatus(202);
            callback.succeeded();
        }
    }

    private ArrayNode list() {
        ArrayNode list = Json.array();
        answers.forEach(list::add);
        return list;
    }

    private static boolean asks(JsonNode message) {
        for (JsonNode one : message.isArray() ? message : List.of(message)) {
            if (one.has("method") && one.has("id")) {
                return true;
            }
        }
        return false;
    }
}
