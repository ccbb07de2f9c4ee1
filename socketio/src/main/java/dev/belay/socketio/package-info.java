/// A Socket.IO server on Jetty that knows nothing about what it carries. Start at [dev.belay.socketio.SocketServer].
///
/// Read it next to the two protocol documents:
///
/// | document | section | here |
/// |---|---|---|
/// | Engine.IO 4 | transports | `Engine` dispatches requests; `Polling`, `WebSocket` |
/// | | handshake, heartbeat, upgrade, message | `Connection` |
/// | | packet encoding | `EnginePacket`, `Payload`; `Frame` and `Message` on the way out |
/// | Socket.IO 5 | exchange protocol | `Client` finds the socket; [dev.belay.socketio.Socket] |
/// | | packet encoding | `SocketPacket`, `Decoder`, `Encoder`, `PacketJson` |
///
/// **Threads.** The module has none of its own. Jetty's threads deliver packets and report completed writes; they never
/// run a handler. Handlers run on virtual threads, those of one socket in order (`SerialExecutor`). Timers belong to
/// the Jetty server and start virtual threads. Locks cover fields, never I/O or a callback.
///
/// **Bounds.** Outgoing: a connection is closed when more than `maxPending` bytes and one message wait. A sender that
/// waits for the result of [dev.belay.socketio.Socket#emit] never gets there. Incoming: while a client's events wait
/// for their handlers, the server does not read from it and does not enforce its heartbeat. A stalled client costs that
/// memory and no thread.
@NullMarked
package dev.belay.socketio;

import org.jspecify.annotations.NullMarked;
