package dev.belay.agent;

import dev.belay.OutputLog;
import dev.belay.ReadResult;
import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.Gap;
import dev.belay.RenderedText;
import dev.belay.Size;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// One way through a stretch of the log: gives out its text, in units that may not be split.
final class RenderPass {
    private static final int READ_BYTES = 64 << 10;

    private final @Nullable Units units;
    private final @Nullable RenderedText text;
    private final Units.Sink sink;
    private final List<Gap> gaps = new ArrayList<>();
    private boolean lineBegins = true;
    private long at;
    /// Where the binary output under way begins; -1 if none is.
    private long binaryFrom = -1;

    RenderPass(Excerpt.Form form, long from, Units.Sink sink) {
        this.sink = (text, offset) -> {
            lineBegins = text.charAt(text.length() - 1) == '\n';
            sink.unit(text, offset);
        };
        this.at = from;
        if (form.raw()) {
            this.units = new Units(from, this.sink);
            this.text = null;
        } else {
            RenderedText.Sink characters = (point, start, _) -> this.sink.unit(Character.toString(point), start);
            Size size = form.terminal();
            this.units = null;
            this.text = size == null
                    ? RenderedText.ofPipe(from, characters)
                    : new RenderedText(size.cols(), size.rows(), from, false, characters);
            if (form.alternate()) {
                this.text.beginOnAlternate();
            }
        }
    }

    /// The offset up to which the log was read.
    long at() {
        return at;
    }

    /// The offset after the last whole character or sequence.
    long settled() {
        return units != null ? units.settled() : text != null ? text.settled() : at;
    }

    /// Bytes in gaps that begin in a stretch.
    long lost(long from, long to) {
        return gaps.stream()
                .filter(gap -> gap.offset() >= from && gap.offset() < to)
                .mapToLong(Gap::lostBytes)
                .sum();
    }

    void run(OutputLog log, long to, boolean whole, BooleanSupplier enough) {
        while (at < to && !enough.getAsBoolean()) {
            ReadResult part = log.read(at, (int) Math.min(READ_BYTES, to - at));
            if (part instanceof Chunk chunk && chunk.bytes().length > 0) {
                feed(chunk);
            } else if (part instanceof Gap gap) {
                skip(gap);
            } else {
                break;
            }
            at = part.next();
        }
        endBinary(at);
        boolean ends = whole && at >= to;
        if (units != null && ends) {
            units.flush();
        }
        if (text != null) {
            if (ends) {
                text.end();
            }
            text.flush();
        }
    }

    private void feed(Chunk chunk) {
        if (units != null) {
            units.feed(chunk.bytes());
        }
        byte[] bytes = chunk.bytes();
        for (int from = 0; text != null && from < bytes.length; from += BinaryBlocks.BYTES) {
            int to = Math.min(bytes.length, from + BinaryBlocks.BYTES);
            BinaryBlocks.Block block = BinaryBlocks.look(bytes, from, to);
            if (!block.binary()) {
                endBinary(chunk.offset() + from);
                text.feed(Arrays.copyOfRange(bytes, from, to));
                continue;
            }
            if (binaryFrom < 0) {
                text.feed(Arrays.copyOfRange(bytes, from, block.textTo()));
                binaryFrom = chunk.offset() + block.textTo();
            }
            int next = Math.min(bytes.length, to + BinaryBlocks.BYTES);
            if (block.textFrom() < to && !BinaryBlocks.look(bytes, to, next).binary()) {
                endBinary(chunk.offset() + block.textFrom());
                text.feed(Arrays.copyOfRange(bytes, block.textFrom(), to));
            }
        }
    }

    /// Says how much binary output there was, instead of showing it.
    private void endBinary(long to) {
        if (binaryFrom >= 0 && text != null) {
            text.skipTo(binaryFrom);
            note("[Binary output] " + (to - binaryFrom) + " bytes from offset " + binaryFrom
                    + " are not shown. Write them to a file, or read them with view \"raw\".\n", binaryFrom);
            text.skipTo(to);
            binaryFrom = -1;
        }
    }

    private void skip(Gap gap) {
        endBinary(gap.offset());
        if (units != null) {
            units.skipTo(gap.next());
        }
        if (text != null) {
            text.skipTo(gap.next());
        }
        gaps.add(gap);
        note("[Output truncated] " + gap.lostBytes() + " bytes are missing here: "
                + switch (gap.reason()) {
                    case PRIVATE -> "they were printed while somebody typed privately.\n";
                    case DISK_FULL -> "the disk was full when they were printed.\n";
                    case DROPPED -> "the log no longer has them.\n";
                },
                gap.offset());
    }

    private void note(String line, long offset) {
        sink.unit((lineBegins ? "" : "\n") + line, offset);
    }
}
