/// A Socket.IO server on Jetty that knows nothing of what it carries. Start at [dev.belay.socketio.SocketServer].
///
/// It is to be read next to the two protocol documents:
///
/// | document | section | here |
/// |---|---|---|
/// | Engine.IO 4 | transports | `Engine` tells requests apart; `Polling`, `WebSocket` |
/// | | handshake, heartbeat, upgrade, message | `Connection` |
/// | | packet encoding | `EnginePacket`, `Payload`; `Frame` and `Message` on the way out |
/// | Socket.IO 5 | exchange protocol | `Client` finds the socket; [dev.belay.socketio.Socket] |
/// | | packet encoding | `SocketPacket`, `Decoder`, `Encoder`, `Json` |
///
/// **Threads.** There are none of its own. Jetty's deliver packets and tell when one was written; they never run a
/// handler. Handlers run on virtual threads, those of one socket in order (`Inbox`). Timers are the Jetty server's and
/// start virtual threads. Locks cover fields, never I/O or a callback.
///
/// **Bounds.** Out: `maxPending` bytes and one message per connection, then it is closed; who waits for what
/// [dev.belay.socketio.Socket#emit] returns never gets there. In: a client whose events wait for their handlers is not
/// read, and its heartbeat is not held against it meanwhile. A stalled client costs that memory and no thread.
@NullMarked
package dev.belay.socketio;

import org.jspecify.annotations.NullMarked;
