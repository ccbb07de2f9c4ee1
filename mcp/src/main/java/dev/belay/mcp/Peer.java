package dev.belay.mcp;

import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/// What answers a client's messages: a [Conversation] here, or a [Bridge] to one on a server.
public interface Peer extends AutoCloseable {
    /// Takes one message, or several in an array.
    ///
    /// @param replies where the answer goes, and what is said on the way to it; from any thread
    void receive(JsonNode message, Consumer<JsonNode> replies);

    /// The client has gone.
    @Override
    void close();
}
