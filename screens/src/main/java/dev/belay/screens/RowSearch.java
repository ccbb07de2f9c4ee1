package dev.belay.screens;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.belay.OutputLog;
import dev.belay.ReadResult.Chunk;
import dev.belay.screen.Row;
import dev.belay.screen.Sight;
import dev.belay.screen.Snapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/// Plays a session's output on a screen of its own and searches the lines that leave it, then those that are left.
final class RowSearch {
    private static final int STEP_BYTES = 16 << 10;
    /// At most so many rows leave the screen in a step; more are kept above it.
    private static final int STEP_ROWS = 150;

    private final Pattern pattern;
    private final int most;
    private final Deque<Found> found = new ArrayDeque<>();
    /// The rows of a line that is not complete.
    private final List<Row> line = new ArrayList<>();

    RowSearch(Pattern pattern, int most) {
        this.pattern = pattern;
        this.most = most;
    }

    /// @param sight asked again after each step, since more may turn out to be private
    List<Found> run(Follower follower, OutputLog log, Supplier<Sight> sight) {
        long end = log.end();
        long seen = 0;
        for (long at = follower.screen().offset(); at < end; at = follower.screen().offset()) {
            follower.follow(Math.min(end, at + step(log, at, follower.screen().cols())));
            Snapshot now = follower.screen().snapshot(sight.get(), Integer.MAX_VALUE);
            seen = now.alternate() ? seen : take(now.history(), seen);
        }
        Snapshot last = follower.screen().snapshot(sight.get(), 0);
        take(last.rows(), 0);
        flush();
        return List.copyOf(found);
    }

    /// How many bytes to play at once. A row leaves at a line feed or another control or sequence, or when it is full.
    private static long step(OutputLog log, long from, int cols) {
        if (!(log.read(from, STEP_BYTES) instanceof Chunk chunk)) {
            return STEP_BYTES;
        }
        byte[] bytes = chunk.bytes();
        int left = STEP_ROWS * cols;
        int count = 0;
        while (count < bytes.length && left > 0) {
            byte next = bytes[count++];
            left -= (next >= 0 && next < ' ') || next == (byte) 0xc2 ? cols : 1;
        }
        return Math.max(1, count);
    }

    /// Takes the rows from a number on.
    ///
    /// @return the number of the next row
    private long take(List<Row> rows, long from) {
        long next = from;
        for (Row row : rows) {
            if (row.number() >= from) {
                if (!row.wrapped()) {
                    flush();
                }
                line.add(row);
                next = row.number() + 1;
            }
        }
        return next;
    }

    private void flush() {
        if (line.isEmpty()) {
            return;
        }
        StringBuilder text = new StringBuilder();
        line.forEach(row -> text.append(row.text()));
        Matcher matcher = pattern.matcher(text);
        if (matcher.find()) {
            Row first = line.getFirst();
            boolean certain = line.stream().allMatch(Row::certain);
            found.addLast(new Found(
                    first.number(), first.began(), text.toString(), matcher.start(), matcher.end(), certain));
            if (found.size() > most) {
                found.removeFirst();
            }
        }
        line.clear();
    }
}
