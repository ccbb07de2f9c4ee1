package dev.belay.socketio;

import java.util.List;
import tools.jackson.databind.JsonNode;

/// Handles one kind of event from a client.
@FunctionalInterface
public interface EventHandler {
    /// Handles an event. Runs on a virtual thread, one event of a socket after the other, and may block; while too many
    /// events wait, the server stops reading from the client. Exceptions are logged.
    ///
    /// @param args the arguments; binary ones are binary nodes
    /// @param ack  answers the event, if the client wants an answer
    void on(List<JsonNode> args, Ack ack) throws Exception;
}
