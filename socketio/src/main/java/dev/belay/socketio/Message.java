package dev.belay.socketio;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Frames that stay together, such as an event and its attachments, and the promise that is kept when the transport
/// has taken all of them.
///
/// @param bytes their size, by which a connection's memory is bounded
record Message(List<Frame> frames, long bytes, CompletableFuture<Void> taken) {
    /// What a message costs besides its bytes: the objects that hold it.
    private static final int OVERHEAD = 128;

    static Message of(List<Frame> frames) {
        long bytes = OVERHEAD;
        for (Frame frame : frames) {
            bytes += frame.size();
        }
        return new Message(frames, bytes, new CompletableFuture<>());
    }

    static Message of(EnginePacket.Type type, String data) {
        return of(List.of(new EnginePacket(type, data).frame()));
    }
}
