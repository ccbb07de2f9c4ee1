package dev.belay.socketio;

/// What a client sent is not a packet of the protocol. It costs the client its connection, and nobody else anything.
final class MalformedPacketException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedPacketException(String message) {
        // It says all in its message, and a hostile client must not make us walk the stack for each packet.
        super(message, null, false, false);
    }
}
