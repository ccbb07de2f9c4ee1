package dev.belay.mcp;

import dev.belay.agent.ToolResult;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Tells a client that asked for it, once a second, that a call is still under way, and the last line of its output.
///
/// @param token names the call to the client
record Progress(JsonNode token, Consumer<JsonNode> replies) {
    private static final Duration EVERY = Duration.ofSeconds(1);

    interface Call {
        ToolResult run() throws InterruptedException;
    }

    /// @param lastLine of the call's output
    ToolResult of(Call call, Supplier<String> lastLine) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        Thread ticker = Thread.ofVirtual().name("belay-progress").start(() -> tick(lastLine, done));
        try {
            return call.run();
        } finally {
            done.countDown();
            // None after the answer.
            ticker.join();
        }
    }

    private void tick(Supplier<String> lastLine, CountDownLatch done) {
        try {
            for (int seconds = 1; !done.await(EVERY.toMillis(), TimeUnit.MILLISECONDS); seconds++) {
                String line = lastLine.get();
                ObjectNode params = JsonNodeFactory.instance.objectNode();
                params.set("progressToken", token);
                params.put("progress", seconds)
                        .put("message", line.isEmpty() ? "Waiting for " + seconds + " s." : line);
                replies.accept(Messages.notification("notifications/progress", params));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
