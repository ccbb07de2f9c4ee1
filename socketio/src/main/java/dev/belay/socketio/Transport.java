package dev.belay.socketio;

import java.util.List;
import org.eclipse.jetty.util.Callback;

/// Carries the packets of a [Connection] ("Transports" in the protocol document).
sealed interface Transport permits Polling, WebSocket {
    /// Claims the right to send one batch, if one can be sent now. The caller holds the connection's lock.
    boolean claim();

    /// Sends a batch after a successful claim, one at a time. Never blocks.
    void send(List<Frame> frames, Callback callback);

    /// Closes the transport after its connection has ended. Never blocks.
    ///
    /// @param farewell the packet for a waiting poll
    /// @param atOnce   whether to skip the closing handshake because the client no longer responds
    void end(EnginePacket farewell, boolean atOnce);
}
