package dev.belay.agent;

import dev.belay.ReadResult.Chunk;
import dev.belay.OutputLog;
import dev.belay.ReadResult;

/// Finds where the last lines of an output begin.
final class LastLines {
    private static final int STEP = 64 << 10;

    private LastLines() {}

    /// A line feed at the very end does not begin a line.
    static long start(OutputLog log, long end, int lines) {
        int seen = 0;
        for (long to = end; to > log.start(); to -= STEP) {
            long from = Math.max(log.start(), to - STEP);
            long[] feeds = new long[(int) (to - from)];
            int count = feeds(log, from, to, feeds);
            for (int i = count - 1; i >= 0; i--) {
                if (feeds[i] != end - 1 && ++seen == lines) {
                    return feeds[i] + 1;
                }
            }
        }
        return log.start();
    }

    private static int feeds(OutputLog log, long from, long to, long[] feeds) {
        int count = 0;
        for (long at = from; at < to;) {
            ReadResult part = log.read(at, (int) (to - at));
            if (part instanceof Chunk chunk) {
                if (chunk.bytes().length == 0) {
                    break;
                }
                for (int i = 0; i < chunk.bytes().length; i++) {
                    if (chunk.bytes()[i] == '\n') {
                        feeds[count++] = at + i;
                    }
                }
            }
            at = part.next();
        }
        return count;
    }
}
