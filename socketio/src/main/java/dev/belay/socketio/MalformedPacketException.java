package dev.belay.socketio;

/// A client sent a malformed packet. Its connection is closed; nobody else is affected.
final class MalformedPacketException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedPacketException(String message) {
        // No stack trace: a hostile client must not make us walk the stack for each packet.
        super(message, null, false, false);
    }
}
