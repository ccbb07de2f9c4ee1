package dev.belay.socketio;

import java.util.List;
import tools.jackson.databind.JsonNode;

/// Handles an event of a client.
@FunctionalInterface
public interface EventHandler {
    /// Called on a virtual thread, one event of a socket after the other, so it may block; a client whose events wait
    /// for too long is not read any further. An exception is logged.
    ///
    /// @param args the arguments; binary ones are binary nodes
    /// @param ack answers the event, if the client asked for that
    void on(List<JsonNode> args, Ack ack) throws Exception;
}
