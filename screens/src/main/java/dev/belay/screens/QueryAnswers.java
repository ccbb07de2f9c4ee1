package dev.belay.screens;

import dev.belay.ReadResult;
import dev.belay.ReadResult.Chunk;
import dev.belay.Session;
import dev.belay.Time;
import dev.belay.screen.Colours;
import dev.belay.screen.Query;
import dev.belay.screen.Scanner;
import dev.belay.screen.Screen;
import dev.belay.screen.Sight;
import dev.belay.screen.Snapshot;
import dev.belay.screen.Told;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What the programs of a session ask their terminal, and the answers.
///
/// Belongs to the belay-screen thread, except the ranges of viewers that answer themselves, which their monitor guards.
final class QueryAnswers implements Scanner.Sink {
    /// Of output that there is too much of, so much is scanned: what was asked last.
    private static final int TAIL_BYTES = 64 << 10;
    private static final int READ_BYTES = 64 << 10;
    private static final int DRAWN_BYTES = 4096;
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final Set<Integer> ALTERNATE = Set.of(47, 1047, 1049);

    private final SessionScreen kept;
    private final Session session;
    private final ScreensLimits limits;
    private final Counts counts;
    private final Time time;
    private final List<Range> viewers = new ArrayList<>();
    private volatile Colours colours;
    /// The last one that was set, as everybody may see it.
    private volatile String title = "";

    private long scanned;
    /// Up to where everything was scanned and no sequence is begun; -1 if one is. Read by the host's loop.
    private volatile long settled;
    /// Only while a sequence is not complete.
    private @Nullable Scanner begun;
    private boolean alternate;
    private long group;
    private final Deque<Reply> replies = new ArrayDeque<>();
    private long secondBegan;
    private int inSecond;
    /// Since when the oldest output of this scan may be there, and whether a question of it needed the screen.
    private long oldestNanos;
    private boolean looked;

    /// An answer that is not written yet.
    ///
    /// @param after the offset after the question
    @SuppressWarnings("ArrayRecordComponent")
    private record Reply(byte[] bytes, long after, long group, long askedNanos) {}

    /// The offsets at which a viewer answers.
    private static final class Range {
        final long from;
        long to = Long.MAX_VALUE;

        Range(long from) {
            this.from = from;
        }

        boolean has(long offset) {
            return from <= offset && offset < to;
        }
    }

    /// A viewer that answers questions from the log's end on, until it leaves or another one comes.
    final class Viewer {
        private final Range range;

        private Viewer(Range range) {
            this.range = range;
        }

        boolean answers(long offset) {
            synchronized (viewers) {
                return range.has(offset);
            }
        }

        void leave() {
            synchronized (viewers) {
                range.to = Math.min(range.to, kept.log.end());
            }
        }
    }

    QueryAnswers(SessionScreen kept, ScreensLimits limits, Counts counts, Time time) {
        this.kept = kept;
        this.session = kept.session;
        this.limits = limits;
        this.counts = counts;
        this.time = time;
        this.colours = limits.colours();
        this.secondBegan = time.nanos();
    }

    /// Passes over what is there already. Called before the thread knows the session.
    void begin() {
        scanned = kept.log.end();
        settled = scanned;
    }

    // --- on any thread ---

    Viewer viewer() {
        synchronized (viewers) {
            // In the monitor: what is printed from now on is after the end, and nobody has decided who answers it.
            long end = kept.log.end();
            viewers.forEach(range -> range.to = Math.min(range.to, end));
            Range range = new Range(end);
            viewers.add(range);
            return new Viewer(range);
        }
    }

    String title() {
        return title;
    }

    void colours(Colours value) {
        colours = value;
    }

    /// Up to where nothing is left to scan, and no sequence is begun; -1 if one is.
    long settled() {
        return settled;
    }

    // --- on the belay-screen thread ---

    /// Up to where the output was scanned.
    long scanned() {
        return scanned;
    }

    /// Scans what is new.
    ///
    /// @param spare       a scanner that may be used if nothing is begun
    /// @param queuedNanos since when the oldest of it may be there
    /// @return the end of the log
    long scan(Scanner spare, long queuedNanos) {
        long end = kept.log.end();
        oldestNanos = queuedNanos;
        if (isLate()) {
            jump(end);
        } else if (end - scanned > limits.lateBytes()) {
            jump(end - TAIL_BYTES);
        }
        group = 0;
        Scanner scanner = begun != null ? begun : spare;
        try {
            while (scanned < end) {
                ReadResult read = kept.log.read(scanned, (int) Math.min(READ_BYTES, end - scanned));
                if (read instanceof Chunk chunk) {
                    scanner.feed(chunk.bytes(), 0, chunk.bytes().length, scanned, this);
                }
                scanned = read.next();
            }
        } finally {
            if (looked) {
                looked = false;
                kept.answered();
            }
        }
        // If a sequence is begun, the scanner is kept for this session, and the caller needs another spare one.
        begun = scanner.between() ? null : scanner;
        settled = begun == null ? scanned : -1;
        synchronized (viewers) {
            viewers.removeIf(range -> range.to <= scanned);
        }
        return end;
    }

    boolean holds(Scanner scanner) {
        return begun == scanner;
    }

    private void jump(long to) {
        if (to > scanned) {
            scanned = to;
            begun = null;
            counts.lateScans.increment();
        }
    }

    @Override
    public void told(Told told) {
        switch (told) {
            case Told.Mode mode when mode.dec() && ALTERNATE.contains(mode.number()) -> alternate = mode.on();
            case Told.Title said -> title = isPrivate(said.to() - 1) ? "" : said.text();
            case Told.Mark _ -> kept.stream.marked();
            default -> {
                // Of no use here.
            }
        }
    }

    private boolean isPrivate(long offset) {
        return kept.log.privateRanges().stream().anyMatch(range -> range.from() <= offset && offset < range.to());
    }

    @Override
    public void query(Query query) {
        if (query.kind() == Query.Kind.MASKED || aViewerAnswers(query.from())) {
            return;
        }
        // Before the answer is made, and even if there is none: a flood of questions must not keep the thread from the
        // other sessions.
        if (!withinRate() || isLate()) {
            counts.unanswered.increment();
            return;
        }
        inSecond++;
        Optional<byte[]> answer = answer(query);
        if (answer.isEmpty()) {
            return;
        }
        if (group == 0) {
            group = session.foreground();
        }
        replies.add(new Reply(answer.get(), query.to(), group, time.nanos()));
    }

    private boolean aViewerAnswers(long offset) {
        synchronized (viewers) {
            return viewers.stream().anyMatch(range -> range.has(offset));
        }
    }

    private Optional<byte[]> answer(Query query) {
        Colours now = colours;
        boolean always = switch (query.kind()) {
            case DEVICE, DEVICE_VERSION, NAME -> true;
            case STATUS -> query.numbers().contains(5);
            default -> false;
        };
        if (always) {
            return new Screen(2, 1, limits.screen()).answer(query, now);
        }
        looked = true;
        return kept.asked(query.to(), screen -> screen.answer(query, now));
    }

    /// Whether the questions before this one have taken so long that its answer would come late.
    private boolean isLate() {
        return time.nanos() - oldestNanos > limits.lateAfter().toNanos();
    }

    private boolean withinRate() {
        long now = time.nanos();
        if (now - secondBegan >= SECOND_NANOS) {
            secondBegan = now;
            inSecond = 0;
        }
        return inSecond < limits.repliesPerSecond();
    }

    // --- replies ---

    /// Writes the answers that can be written now.
    ///
    /// @return whether some are left, to be tried again soon
    boolean reply() {
        while (!replies.isEmpty()) {
            Reply first = replies.getFirst();
            if (session.exit().isPresent() || isOver(first)) {
                replies.removeFirst();
                counts.unanswered.increment();
            } else if (!maySee(first)) {
                if (!givenUp(first, limits.lateAfter())) {
                    return true;
                }
            } else if (session.reply(first.bytes(), first.group())) {
                replies.removeFirst();
                counts.answers.increment();
            } else if (!givenUp(first, limits.replyWithin())) {
                return true;
            }
        }
        return false;
    }

    private boolean givenUp(Reply first, Duration after) {
        boolean late = time.nanos() - first.askedNanos() > after.toNanos();
        if (late) {
            replies.removeFirst();
            counts.unanswered.increment();
        }
        return late;
    }

    /// A shell at its prompt reads keys too. If it has run programs before, one of them may have asked and ended; the
    /// prompt that the shell has printed since tells.
    private boolean isOver(Reply reply) {
        return drawnSince(reply) && atPrompt();
    }

    private boolean maySee(Reply reply) {
        // Once it is seen to wait, the log has all that it has printed.
        return !atPrompt() || (session.inputState().seenWaiting() && !drawnSince(reply));
    }

    private boolean atPrompt() {
        return !alternate && session.shellReads();
    }

    /// Whether anything was drawn after a question.
    private boolean drawnSince(Reply reply) {
        long end = kept.log.end();
        if (end <= reply.after()
                || !(kept.log.read(reply.after(), DRAWN_BYTES) instanceof Chunk chunk)) {
            return end > reply.after();
        }
        Screen probe = new Screen(80, 4, limits.screen());
        probe.feed(chunk.bytes());
        Snapshot drawn = probe.snapshot(Sight.ALL, 0);
        return !drawn.text().isEmpty() || drawn.cursor().row() > 0 || drawn.cursor().column() > 0;
    }
}
