package dev.belay.socketio;

/// A message was not sent, or not answered, because the socket is no longer connected.
public final class DisconnectedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final DisconnectReason reason;

    DisconnectedException(DisconnectReason reason) {
        super("socket disconnected: " + reason, null, false, false);
        this.reason = reason;
    }

    public DisconnectReason reason() {
        return reason;
    }
}
