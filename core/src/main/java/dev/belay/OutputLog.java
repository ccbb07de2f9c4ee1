package dev.belay;

import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.End;
import dev.belay.ReadResult.Gap;
import java.time.Duration;
import java.util.List;

/// Everything a session printed, as one actor may see it: bytes at absolute offsets that never change.
///
/// Any number of threads may read, each at its own offset; a reader that is slow gets a [Gap] and delays nobody.
/// Output that was printed while somebody else had the keyboard privately is a gap, once the keyboard is given back.
public final class OutputLog {
    /// The most bytes that one read gives.
    public static final int MAX_READ_BYTES = 1 << 20;

    private final Life life;
    private final Actor actor;

    OutputLog(Life life, Actor actor) {
        this.life = life;
        this.actor = actor;
    }

    /// The offset of the oldest byte still kept.
    public long start() {
        return life.log.start();
    }

    /// The offset after the newest byte.
    public long end() {
        return life.keyboard.visibleEnd(actor, life.log.end());
    }

    /// The sizes the terminal had, each with the offset at which it began.
    public List<Resize> resizes() {
        return life.log.resizes();
    }

    /// The terminal has this size from the offset on.
    public record Resize(long offset, Size size) {}

    /// Reads at most `max` bytes from an offset, without waiting. A chunk without bytes: nothing to read yet.
    public ReadResult read(long from, int max) {
        life.clocks.touch();
        return look(from, max);
    }

    /// Reads at most `max` bytes from an offset; where there is nothing to read yet, waits for it.
    ///
    /// @return a chunk without bytes if nothing came in time
    public ReadResult read(long from, int max, Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.in(timeout);
        try (var _ = life.clocks.busy()) {
            while (true) {
                long seen = life.bell.rings();
                ReadResult result = look(from, max);
                if (!isEmpty(result) || !life.bell.await(seen, deadline)) {
                    return result;
                }
            }
        }
    }

    /// Reads without counting as activity.
    ReadResult look(long from, int max) {
        if (max < 1) {
            throw SessionException.invalid("A read asks for at least 1 byte; " + max + " was asked for.");
        }
        if (life.state() == SessionState.CLOSED) {
            throw new SessionException(
                    ErrorCode.NOT_FOUND, "Session " + life.id + " is closed; its output is no longer kept.");
        }
        // The order matters: an end that is seen as final before the bytes are looked at stays final.
        boolean last = life.sealed();
        long end = life.log.end();
        if (from < 0 || from > end) {
            throw SessionException.invalid(
                    "Offset " + from + " is not in the output of session " + life.id + ", which ends at " + end + ".");
        }
        long visible = life.keyboard.visibleEnd(actor, end);
        if (from >= visible) {
            ExitStatus exit = life.exit();
            return last && visible == end && exit != null
                    ? new End(end, exit)
                    : new Chunk(from, new byte[0], Outlet.STDOUT);
        }
        long hiddenUntil = life.keyboard.hiddenUntil(actor, from);
        if (hiddenUntil > from) {
            return new Gap(from, Math.min(hiddenUntil, visible) - from, Gap.Reason.PRIVATE);
        }
        long limit = Math.min(visible, life.keyboard.nextHidden(actor, from));
        return life.log.read(from, Math.min(max, MAX_READ_BYTES), limit);
    }

    static boolean isEmpty(ReadResult result) {
        return result instanceof Chunk chunk && chunk.bytes().length == 0;
    }
}
