package dev.belay.server.terminal;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.feed.ListReader;
import dev.belay.socketio.Socket;
import java.io.IOException;
import tools.jackson.databind.node.ObjectNode;

/// Sends a client what changes in the lists it watches: one `changed` event after the other, each with all that
/// has changed since the last one was taken. Its sender is one virtual thread.
final class ListWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");

    private final Socket socket;
    private final Outgoing outgoing;
    private final ListReader reader;
    private final Thread sender;

    /// @param reader of the lists that the client watches
    ListWatch(Socket socket, Outgoing outgoing, ListReader reader) {
        this.socket = socket;
        this.outgoing = outgoing;
        this.reader = reader;
        this.sender = Thread.ofVirtual().name("belay-watch").unstarted(this::run);
    }

    void start() {
        sender.start();
    }

    private void run() {
        try {
            for (ObjectNode next = reader.next(); next != null; next = reader.next()) {
                ObjectNode changes = next;
                outgoing.send(() -> socket.emit("changed", changes));
            }
        } catch (InterruptedException _) {
            // The client watches nothing any more, or has gone.
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a client accepts no changes", e);
            socket.close();
        } catch (SessionException e) {
            if (e.code() != ErrorCode.UNAUTHENTICATED) {
                LOG.log(System.Logger.Level.WARNING, "cannot send changes to a client", e);
            }
            socket.close();
        }
    }

    /// Sends nothing more.
    @Override
    public void close() {
        sender.interrupt();
    }
}
