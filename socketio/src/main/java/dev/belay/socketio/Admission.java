package dev.belay.socketio;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The answer to a client that asks to enter a namespace.
public sealed interface Admission {
    /// The client may enter.
    ///
    /// @param start registers handlers on its socket and sends the first events
    record Accepted(Consumer<Socket> start) implements Admission {}

    /// The client may not enter and gets a `connect_error`.
    ///
    /// @param message the message of the error
    /// @param data the `data` of the error, or null
    record Refused(String message, @Nullable Object data) implements Admission {}

    /// Lets the client in. `start` runs after the client is told and before any of its events.
    static Admission accept(Consumer<Socket> start) {
        return new Accepted(start);
    }

    /// Refuses the client.
    static Admission refuse(String message) {
        return new Refused(message, null);
    }

    /// Refuses the client, with data for it.
    static Admission refuse(String message, Object data) {
        return new Refused(message, data);
    }
}
