package dev.belay.agent;

import dev.belay.OutputLog;
import java.util.ArrayList;
import java.util.List;

/// Finds where the last lines of an output begin.
final class LastLines {
    private static final int STEP = 64 << 10;

    private LastLines() {}

    /// A line feed at the very end does not begin a line.
    static long start(OutputLog log, long end, int lines) {
        int seen = 0;
        for (long to = end; to > log.start(); to -= STEP) {
            long from = Math.max(log.start(), to - STEP);
            List<Long> feeds = new ArrayList<>();
            Chunks.between(log, from, to, chunk -> {
                for (int i = 0; i < chunk.bytes().length; i++) {
                    if (chunk.bytes()[i] == '\n') {
                        feeds.add(chunk.offset() + i);
                    }
                }
            });
            for (long feed : feeds.reversed()) {
                if (feed != end - 1 && ++seen == lines) {
                    return feed + 1;
                }
            }
        }
        return log.start();
    }
}
