package dev.belay;

import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.End;
import dev.belay.ReadResult.Gap;
import java.time.Duration;
import java.util.List;

/// Everything a session printed, as one actor may see it: bytes at absolute offsets that never change.
///
/// Any number of threads may read, each at its own offset. A slow reader gets a [Gap] and delays nobody.
/// Output that was printed while somebody else had the keyboard privately becomes a gap when they give it back.
public final class OutputLog {
    /// The most bytes that one read returns.
    public static final int MAX_READ_BYTES = 1 << 20;

    private final LiveSession live;
    private final Actor actor;

    OutputLog(LiveSession live, Actor actor) {
        this.live = live;
        this.actor = actor;
    }

    /// The offset of the oldest byte still kept.
    public long start() {
        return live.log.start();
    }

    /// The offset after the newest byte.
    public long end() {
        return live.keyboard.visibleEnd(actor, live.log.end());
    }

    /// The sizes the terminal had, each with the offset at which it began.
    public List<Resize> resizes() {
        return live.log.resizes();
    }

    /// The terminal has this size from the offset on.
    public record Resize(long offset, Size size) {}

    /// Whether the actor may read everything from one offset to another now. Does not wait, so the host's loop may ask.
    public boolean shows(long from, long to) {
        return live.state() != SessionState.CLOSED
                && start() <= from
                && live.keyboard.visibleEnd(actor, to) >= to
                && live.keyboard.hiddenUntil(actor, from) == from
                && live.keyboard.nextHidden(actor, from) >= to;
    }

    /// The ranges that only some may read, in order, whether or not this actor may. Those that were dropped from the
    /// log may be missing.
    public List<PrivateRange> privateRanges() {
        return live.keyboard.privateRanges();
    }

    /// Reads at most `max` bytes from an offset, without waiting. An empty chunk means that there is nothing to read
    /// yet.
    public ReadResult read(long from, int max) {
        touch();
        return look(from, max);
    }

    /// Reads at most `max` bytes from an offset. Waits if there is nothing to read yet.
    ///
    /// @return an empty chunk if nothing came in time
    public ReadResult read(long from, int max, Duration timeout) throws InterruptedException {
        Deadline deadline = live.in(timeout);
        try (var _ = busy()) {
            while (true) {
                long seen = live.bell.rings();
                ReadResult result = look(from, max);
                if (!isEmpty(result) || !live.bell.await(seen, deadline)) {
                    return result;
                }
            }
        }
    }

    /// Counts as activity, unless the reader only watches.
    void touch() {
        live.clocks.touch(actor);
    }

    /// Counts as activity until it is closed, unless the reader only watches.
    Clocks.Busy busy() {
        return live.clocks.busy(actor);
    }

    /// Reads without counting as activity.
    ReadResult look(long from, int max) {
        if (max < 1) {
            throw SessionException.invalid("A read must ask for at least 1 byte, not " + max + ".");
        }
        if (live.state() == SessionState.CLOSED) {
            throw new SessionException(
                    ErrorCode.NOT_FOUND, "Session " + live.id + " is closed; its output is gone.");
        }
        // The order matters: if the end was final before it was read, it stays final.
        boolean last = live.sealed();
        long end = live.log.end();
        if (from < 0 || from > end) {
            throw SessionException.invalid(
                    "Offset " + from + " is outside the output of session " + live.id + ", which ends at " + end + ".");
        }
        long visible = live.keyboard.visibleEnd(actor, end);
        if (from >= visible) {
            ExitStatus exit = live.exit();
            return last && visible == end && exit != null
                    ? new End(end, exit)
                    : new Chunk(from, new byte[0], Outlet.STDOUT);
        }
        long hiddenUntil = live.keyboard.hiddenUntil(actor, from);
        if (hiddenUntil > from) {
            return new Gap(from, Math.min(hiddenUntil, visible) - from, Gap.Reason.PRIVATE);
        }
        long limit = Math.min(visible, live.keyboard.nextHidden(actor, from));
        return live.log.read(from, Math.min(max, MAX_READ_BYTES), limit);
    }

    static boolean isEmpty(ReadResult result) {
        return result instanceof Chunk chunk && chunk.bytes().length == 0;
    }
}
