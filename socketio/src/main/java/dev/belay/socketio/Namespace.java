package dev.belay.socketio;

/// Decides who may enter a namespace, and what happens there.
@FunctionalInterface
public interface Namespace {
    /// Answers a client that asks to come in. Runs on a virtual thread and may block; the client's events wait for it.
    /// An exception refuses the client and is logged.
    ///
    /// @param handshake what is known of the client
    /// @return [Admission#accept] or [Admission#refuse]
    Admission admit(Handshake handshake) throws Exception;
}
