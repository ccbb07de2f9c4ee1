package dev.belay;

import dev.belay.host.LoopStats;
import java.util.concurrent.atomic.LongAdder;

/// What a [Sessions] counts from the moment it is made. Any thread may count.
final class Counters {
    final LongAdder opened = new LongAdder();
    final LongAdder closed = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder leaked = new LongAdder();
    /// Bytes of input that processes accepted.
    final LongAdder bytesWritten = new LongAdder();
    /// Inputs that were sent again and not written again.
    final LongAdder inputsRepeated = new LongAdder();
    private final LongAdder bytesLogged = new LongAdder();
    private final LongAdder bytesUnstored = new LongAdder();

    /// Output was appended to a log.
    ///
    /// @param unstored how many of the bytes the disk refused
    void logged(long bytes, long unstored) {
        bytesLogged.add(bytes);
        if (unstored > 0) {
            bytesUnstored.add(unstored);
        }
    }

    Stats stats(Permits permits, int listed, long droppedEvents, int orphans, LoopStats loop) {
        return new Stats(
                permits.used(),
                permits.limit(),
                listed,
                opened.sum(),
                closed.sum(),
                rejected.sum(),
                leaked.sum(),
                bytesLogged.sum(),
                bytesWritten.sum(),
                inputsRepeated.sum(),
                bytesUnstored.sum(),
                droppedEvents,
                orphans,
                loop);
    }
}
