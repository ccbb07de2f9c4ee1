package dev.belay.host;

import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The result of a write that did not wait.
///
/// @param written as [HostProcess#write] returns it
/// @param rest    null if the write is over; otherwise no other write gets its turn until the rest is finished
public record TriedWrite(int written, @Nullable Rest rest) {
    /// The rest of a write that was begun.
    @FunctionalInterface
    public interface Rest {
        /// Writes it and waits, at most for the timeout. Must be called once, on any thread.
        ///
        /// @param bytes the same buffer, where the write left it
        /// @return as [HostProcess#write], for the rest alone
        int finish(ByteBuffer bytes, Duration timeout) throws InterruptedException;
    }
}
