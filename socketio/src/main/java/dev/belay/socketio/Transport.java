package dev.belay.socketio;

import java.util.List;
import org.eclipse.jetty.util.Callback;

/// The way packets of a [Connection] go at the moment ("Transports" of the document).
sealed interface Transport permits Polling, WebSocket {
    /// Takes the right to send one batch, if one can be sent now. Called with the connection's lock held.
    boolean claim();

    /// Sends a batch, after a successful claim; one at a time. Never blocks.
    void send(List<Frame> frames, Callback callback);

    /// Ends what is left of the transport once its connection has ended. Never blocks.
    ///
    /// @param farewell the packet for a poll that waits
    /// @param atOnce whether the client has shown that it does not take part any more
    void end(EnginePacket farewell, boolean atOnce);
}
