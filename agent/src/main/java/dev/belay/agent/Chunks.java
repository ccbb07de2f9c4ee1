package dev.belay.agent;

import dev.belay.OutputLog;
import dev.belay.ReadResult;
import dev.belay.ReadResult.Chunk;
import java.util.function.Consumer;

/// Reads a stretch of the log chunk by chunk, past what is missing.
final class Chunks {
    private Chunks() {}

    /// @param to at most the end of the log
    static void between(OutputLog log, long from, long to, Consumer<Chunk> sink) {
        for (long at = from; at < to;) {
            ReadResult part = log.read(at, (int) (to - at));
            if (part instanceof Chunk chunk) {
                sink.accept(chunk);
            }
            if (part.next() <= at) {
                return;
            }
            at = part.next();
        }
    }
}
