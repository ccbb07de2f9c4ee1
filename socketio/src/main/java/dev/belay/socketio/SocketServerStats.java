package dev.belay.socketio;

import java.util.Map;

/// Counters of a [SocketServer].
///
/// @param connections  connected clients, in a namespace or not
/// @param strangers    those of them that no namespace has let in yet
/// @param webSockets   open WebSockets, including those that are probing or closing
/// @param sockets      clients in namespaces
/// @param pendingBytes bytes waiting to be sent to all clients
/// @param opened       connections opened so far
/// @param refused      handshakes refused so far
/// @param upgrades     connections upgraded from polling to WebSocket so far
/// @param closed       connections closed so far, by reason
public record SocketServerStats(int connections, int strangers, int webSockets, int sockets, long pendingBytes,
        long opened, long refused, long upgrades, Map<DisconnectReason, Long> closed) {}
