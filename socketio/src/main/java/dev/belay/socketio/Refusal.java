package dev.belay.socketio;

/// The HTTP response to a handshake that is refused.
///
/// @param status  from 400 to 599
/// @param message the reason, for the client
public record Refusal(int status, String message) {
    public Refusal {
        if (status < 400 || status > 599) {
            throw new IllegalArgumentException("status must be from 400 to 599, not " + status);
        }
    }
}
