package dev.belay.socketio;

/// The answer to a handshake that is not allowed: an HTTP status and a sentence.
///
/// @param status the status, 400 or above
/// @param message what to tell the client
public record Refusal(int status, String message) {
    /// Checks the status.
    public Refusal {
        if (status < 400 || status > 599) {
            throw new IllegalArgumentException("a refusal has a status from 400 to 599, not " + status);
        }
    }
}
