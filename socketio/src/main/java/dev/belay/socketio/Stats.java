package dev.belay.socketio;

import java.util.Map;

/// What a [SocketServer] holds now and has done since it was built.
///
/// @param connections clients that are connected, whether or not they are in a namespace
/// @param webSockets open WebSockets, those that still probe or close among them
/// @param sockets clients in namespaces
/// @param pendingBytes what waits to be sent to all clients
/// @param opened connections opened so far
/// @param refused handshakes refused so far
/// @param upgrades connections that went from polling to a WebSocket so far
/// @param closed connections closed so far, by reason
public record Stats(int connections, int webSockets, int sockets, long pendingBytes, long opened, long refused,
        long upgrades,
        Map<DisconnectReason, Long> closed) {}
