package dev.belay.socketio;

/// Decides which clients may enter a namespace and what happens there.
@FunctionalInterface
public interface Namespace {
    /// Decides about a client that asks to enter. Runs on a virtual thread and may block; the client's events wait for
    /// it. An exception is logged and refuses the client.
    ///
    /// @return [Admission#accept] or [Admission#refuse]
    Admission admit(Handshake handshake) throws Exception;
}
