package dev.belay.socketio;

/// What was sent was not taken, or not answered, because the socket is no longer connected.
public final class DisconnectedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final DisconnectReason reason;

    DisconnectedException(DisconnectReason reason) {
        super("the socket is disconnected: " + reason, null, false, false);
        this.reason = reason;
    }

    /// Why it is disconnected.
    public DisconnectReason reason() {
        return reason;
    }
}
