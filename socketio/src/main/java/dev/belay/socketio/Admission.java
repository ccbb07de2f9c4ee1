package dev.belay.socketio;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The answer to a client that asks to enter a namespace.
public sealed interface Admission {
    /// The client is in.
    ///
    /// @param start what to do with its socket: register handlers, send the first events
    record Accepted(Consumer<Socket> start) implements Admission {}

    /// The client stays out, and gets a `connect_error`.
    ///
    /// @param message the message of the error
    /// @param data the `data` of the error, or null
    record Refused(String message, @Nullable Object data) implements Admission {}

    /// Lets the client in. `start` runs after the client was told so, and before any of its events.
    static Admission accept(Consumer<Socket> start) {
        return new Accepted(start);
    }

    /// Keeps the client out.
    static Admission refuse(String message) {
        return new Refused(message, null);
    }

    /// Keeps the client out, with data for it.
    static Admission refuse(String message, Object data) {
        return new Refused(message, data);
    }
}
