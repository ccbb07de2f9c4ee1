package dev.belay.socketio;

/// Why a socket was disconnected. Texts are those of the official server where it has one.
public enum DisconnectReason {
    /// The client left the namespace.
    CLIENT_DISCONNECT("client namespace disconnect"),
    /// The server asked the socket to leave the namespace.
    SERVER_DISCONNECT("server namespace disconnect"),
    /// The server closed the whole connection.
    FORCED_CLOSE("forced close"),
    /// The server is shutting down.
    SHUTDOWN("server shutting down"),
    /// The client did not answer a ping in time.
    PING_TIMEOUT("ping timeout"),
    /// The client closed the connection, or the connection broke.
    TRANSPORT_CLOSE("transport close"),
    /// Reading or writing failed, or the client violated the polling protocol.
    TRANSPORT_ERROR("transport error"),
    /// The client sent a malformed packet.
    PARSE_ERROR("parse error"),
    /// The client did not enter a namespace in time.
    CONNECT_TIMEOUT("connect timeout"),
    /// The client was not let into a namespace before too many others came.
    CROWDED_OUT("crowded out"),
    /// The client read too slowly: more than the limit was waiting to be sent.
    OVERFLOW("too much unread");

    private final String text;

    DisconnectReason(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
