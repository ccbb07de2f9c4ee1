package dev.belay.screens;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/// What a [Screens] counts. Any thread may count.
final class Counts {
    final AtomicInteger warm = new AtomicInteger();
    final AtomicLong warmBytes = new AtomicLong();
    final AtomicInteger checkpoints = new AtomicInteger();
    final AtomicLong checkpointBytes = new AtomicLong();
    final AtomicInteger masks = new AtomicInteger();
    final LongAdder looks = new LongAdder();
    final LongAdder answers = new LongAdder();
    final LongAdder unanswered = new LongAdder();
    final LongAdder lateScans = new LongAdder();

    ScreensStats stats() {
        return new ScreensStats(
                warm.get(),
                warmBytes.get(),
                checkpoints.get(),
                checkpointBytes.get(),
                looks.sum(),
                answers.sum(),
                unanswered.sum(),
                lateScans.sum(),
                masks.get());
    }
}
