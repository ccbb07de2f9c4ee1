package dev.belay.screens;

import dev.belay.screens.Follower.Mark;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The checkpoints of one session, by their offsets. Belongs to the thread that has the screen's turn.
final class Checkpoints {
    /// Between checkpoints: a segment of the log, so that the log always begins at one.
    final long stride;

    private final Counts counts;
    private final NavigableMap<Long, Mark> byOffset = new TreeMap<>();

    Checkpoints(long stride, Counts counts) {
        this.stride = stride;
        this.counts = counts;
    }

    /// The last one at or before an offset.
    @Nullable Mark before(long offset) {
        Map.Entry<Long, Mark> found = byOffset.floorEntry(offset);
        return found == null ? null : found.getValue();
    }

    /// The offset of the newest one, 0 if there is none.
    long newest() {
        return byOffset.isEmpty() ? 0 : byOffset.lastKey();
    }

    boolean has(long offset) {
        return byOffset.containsKey(offset);
    }

    /// The next offset after this one at which there should be one.
    long boundary(long offset) {
        return (offset / stride + 1) * stride;
    }

    void add(Mark mark) {
        count(byOffset.put(mark.offset(), mark), -1);
        count(mark, 1);
    }

    /// Drops those that no look can need: before the log's start, only the last one stays. Of those that are not at a
    /// boundary, only the newest stays.
    void prune(long start) {
        Long base = byOffset.floorKey(start);
        if (base != null) {
            drop(byOffset.headMap(base, false));
        }
        if (byOffset.size() > 1) {
            byOffset.headMap(byOffset.lastKey(), false).entrySet().removeIf(entry -> {
                boolean extra = entry.getKey() % stride != 0 && !entry.getKey().equals(base);
                if (extra) {
                    count(entry.getValue(), -1);
                }
                return extra;
            });
        }
    }

    /// Drops all but the base and the newest, to save memory: looks back take longer.
    void thin(long start) {
        prune(start);
        if (byOffset.size() > 2) {
            drop(byOffset.subMap(byOffset.firstKey(), false, byOffset.lastKey(), false));
        }
    }

    void clear() {
        drop(byOffset);
    }

    private void drop(NavigableMap<Long, Mark> part) {
        part.values().forEach(mark -> count(mark, -1));
        part.clear();
    }

    private void count(@Nullable Mark mark, int sign) {
        if (mark != null) {
            counts.checkpoints.addAndGet(sign);
            counts.checkpointBytes.addAndGet((long) sign * mark.screen().size());
        }
    }
}
