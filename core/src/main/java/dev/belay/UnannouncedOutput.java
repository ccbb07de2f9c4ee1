package dev.belay;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The output of a session that is in its log but not announced yet: where it begins and, if there is little of it and
/// somebody taps the session, its bytes. Loop only.
final class UnannouncedOutput {
    private final FileLog log;
    private final Doorbell bell;
    private long start;
    /// All of it, if taps can be handed it.
    private byte @Nullable [] bytes;

    UnannouncedOutput(FileLog log, Doorbell bell) {
        this.log = log;
        this.bell = bell;
    }

    /// Appends output to the log.
    ///
    /// @return how many bytes the disk refused
    long append(ByteBuffer output, Outlet outlet) {
        long before = log.unstored();
        byte[] copy = copyForTaps(output);
        log.append(output, outlet);
        long refused = log.unstored() - before;
        bytes = refused == 0 ? copy : null;
        return refused;
    }

    private byte @Nullable [] copyForTaps(ByteBuffer output) {
        if (output.remaining() > OutputTap.MAX_BYTES || log.end() != start || !bell.tapped()) {
            return null;
        }
        byte[] copy = new byte[output.remaining()];
        output.get(output.position(), copy);
        return copy;
    }

    /// Announces it to those who wait, and hands it to the taps.
    void announce() {
        long from = start;
        byte[] fresh = bytes;
        start = log.end();
        bytes = null;
        bell.ring(from, fresh);
    }
}
