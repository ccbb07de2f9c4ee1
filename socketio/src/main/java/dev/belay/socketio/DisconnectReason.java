package dev.belay.socketio;

/// Why a socket was disconnected. The texts are those of the official server, where it has one.
public enum DisconnectReason {
    /// The client left the namespace.
    CLIENT_DISCONNECT("client namespace disconnect"),
    /// The server asked the socket to leave the namespace.
    SERVER_DISCONNECT("server namespace disconnect"),
    /// The server closed the whole connection.
    FORCED_CLOSE("forced close"),
    /// The server stops.
    SHUTDOWN("server shutting down"),
    /// The client did not answer a ping in time.
    PING_TIMEOUT("ping timeout"),
    /// The client closed the connection, or it broke off.
    TRANSPORT_CLOSE("transport close"),
    /// Reading or writing failed, or the client broke the rules of polling.
    TRANSPORT_ERROR("transport error"),
    /// The client sent something that is not a packet of the protocol.
    PARSE_ERROR("parse error"),
    /// The client entered no namespace in time.
    CONNECT_TIMEOUT("connect timeout"),
    /// The client reads too slowly for what it was sent: more than the limit waited for it.
    OVERFLOW("too much unread");

    private final String text;

    DisconnectReason(String text) {
        this.text = text;
    }

    /// In words, as the official server has them.
    @Override
    public String toString() {
        return text;
    }
}
