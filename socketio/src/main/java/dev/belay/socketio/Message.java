package dev.belay.socketio;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Frames that stay together, such as an event and its attachments.
///
/// @param bytes their size, which counts towards the limit of a connection's queue
/// @param taken completes once the transport has written all of them
record Message(List<Frame> frames, long bytes, CompletableFuture<Void> taken) {
    /// Memory per message besides its bytes: the objects that hold it.
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
