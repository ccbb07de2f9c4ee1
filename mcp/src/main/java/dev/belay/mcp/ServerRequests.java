package dev.belay.mcp;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// What a client was asked by requests of the server, up to 2025-11-25, and has not answered yet.
final class ServerRequests {
    private final Map<Long, CompletableFuture<@Nullable JsonNode>> open = new ConcurrentHashMap<>();
    private final AtomicLong last = new AtomicLong();

    /// What the client answers; null if it refuses to.
    CompletableFuture<@Nullable JsonNode> send(
            String method, @Nullable ObjectNode params, Consumer<JsonNode> replies) {
        long id = last.incrementAndGet();
        CompletableFuture<@Nullable JsonNode> answer = new CompletableFuture<>();
        open.put(id, answer);
        replies.accept(Messages.notification(method, params).put("id", id));
        return answer.whenComplete((_, _) -> open.remove(id));
    }

    /// Takes an answer.
    void answered(JsonNode message) {
        JsonNode id = message.get("id");
        CompletableFuture<@Nullable JsonNode> waiting =
                id != null && id.isIntegralNumber() ? open.remove(id.longValue()) : null;
        if (waiting == null) {
            throw new ProtocolException(
                    ProtocolException.INVALID_REQUEST, "A message must have a method, or answer a request.");
        }
        waiting.complete(message.get("result"));
    }
}
