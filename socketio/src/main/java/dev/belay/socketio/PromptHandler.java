package dev.belay.socketio;

import java.util.List;
import tools.jackson.databind.JsonNode;

/// Handles one kind of event on the thread that reads from connections, if it can do so without waiting.
@FunctionalInterface
public interface PromptHandler {
    /// Handles an event, or leaves it to the event's [EventHandler]. Called only if no earlier event of the socket is
    /// being handled, so events keep their order. Never blocks. If it throws, the event counts as handled.
    ///
    /// @return false if nothing was done
    boolean on(List<JsonNode> args, Ack ack);
}
