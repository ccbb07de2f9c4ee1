package dev.belay.cli;

import dev.belay.server.wire.Headers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The output of a session on a server, read from an offset on.
///
/// For one thread.
final class RemoteOutput {
    private static final int READ_BYTES = 1 << 20;

    private final RemoteSession session;
    private long next;

    RemoteOutput(RemoteSession session, long from) {
        this.session = session;
        this.next = from;
    }

    /// A part of the output.
    ///
    /// @param from  where its bytes begin
    /// @param gap   how many bytes are missing and why, or null: `4096 dropped`
    /// @param end   whether nothing more will come
    @SuppressWarnings("ArrayRecordComponent")
    record Part(long from, byte[] bytes, @Nullable String gap, boolean end) {
        boolean nothing() {
            return bytes.length == 0 && gap == null && !end;
        }
    }

    /// The next part. Waits for it; it is empty if nothing came in time.
    Part next(Duration wait) {
        long from = next;
        RestClient.Answer answer = session.client()
                .read(session.path("/output", "from", from, "max", READ_BYTES, "wait_ms", wait.toMillis()));
        String after = answer.header(Headers.OUTPUT_NEXT);
        if (after != null) {
            next = Long.parseLong(after);
        }
        return new Part(
                next - answer.bytes().length, answer.bytes(), answer.header(Headers.GAP),
                "true".equals(answer.header(Headers.END)));
    }
}
