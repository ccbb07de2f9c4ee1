package dev.belay.server.ws;

import dev.belay.server.attach.Viewer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// How a connection gets its viewer: at once, or by a message of the client.
@FunctionalInterface
interface Beginning {
    /// The client has connected. Does not block.
    ///
    /// @return null: the client has to say first what it wants to view
    @Nullable Viewer connected(WebSocketViewer line);

    /// A message of a client that has no viewer yet. May block; the next message is not read before it returns.
    ///
    /// @return null if the connection is being closed
    default @Nullable Viewer heard(ByteBuffer message, WebSocketViewer line) throws InterruptedException {
        throw new IllegalStateException("it was attached at once");
    }

    /// The connection has ended, with or without a viewer.
    default void gone() {}
}
