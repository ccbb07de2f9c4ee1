package dev.belay.screens;

import dev.belay.Actor;
import dev.belay.Limits;
import dev.belay.OutputLog;
import dev.belay.OutputTap;
import dev.belay.PrivateRange;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionState;
import dev.belay.Time;
import dev.belay.screen.Screen;
import dev.belay.screen.Sight;
import dev.belay.screens.Follower.Mark;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The screen of one session: warm while it is used, else folded into checkpoints.
///
/// Threads take turns: one at a time brings the screen up to date, looks at it, or folds it. A turn lasts as long as it
/// takes to parse what is new.
final class SessionScreen {
    /// For rows that the screen does not keep, so many cells are held at a time: 8 MB, as the largest terminal.
    private static final int HISTORY_CELLS = 1 << 20;
    /// How far back the output is played again: at first at least, and at most.
    private static final long HISTORY_BYTES = 64 << 10;
    private static final long MOST_HISTORY_BYTES = 4 << 20;

    final Session session;
    final OutputLog log;
    /// What the belay-screen thread does for this session.
    final QueryAnswers answers;
    /// What the output has told the terminal.
    final StreamState stream;
    final Thumbnails.Made thumbnail = new Thumbnails.Made();
    /// Whether it waits for the belay-screen thread, and since when.
    final AtomicBoolean queued = new AtomicBoolean();
    volatile long queuedNanos;
    /// How much may be printed before a checkpoint is due: half of what the log keeps after it has dropped a segment.
    final long checkpointAfter;

    private final ScreensLimits limits;
    private final Counts counts;
    private final Time time;
    private final ReentrantLock turn = new ReentrantLock();
    /// Everybody who has printed privately. The cells say that they are private, but not whose.
    private final Set<String> holders = ConcurrentHashMap.newKeySet();

    // In turn only.
    private final Checkpoints marks;
    private @Nullable Follower warm;
    /// A screen for the questions before the warm one, while they are answered one after the other.
    private @Nullable Follower trailing;
    private long warmBytes;
    private boolean gone;

    private volatile OutputTap.@Nullable Open tap;
    private volatile long usedNanos;
    private volatile boolean isWarm;
    /// The newest offset from which the screen is known without the log before it.
    private volatile long known;

    SessionScreen(Session session, ScreensLimits limits, long logBytes, Counts counts, Time time) {
        this.session = session;
        this.log = Follower.log(session);
        this.limits = limits;
        this.counts = counts;
        this.time = time;
        long segment = Math.max(Limits.MIN_LOG_BYTES / 2, logBytes / 8);
        this.marks = new Checkpoints(segment, counts);
        this.checkpointAfter = (logBytes - segment) / 2;
        this.stream = new StreamState(log, limits.screen(), time);
        this.answers = new QueryAnswers(this, limits, counts, time);
    }

    /// Has the belay-screen thread look at the output from now on, beginning with what is there. Called once.
    void follow(ScreenThread thread) {
        // As a watcher: a screen keeps no session from being idle.
        tap = session.as(session.actor().asWatcher())
                .tap(new QuestionTap(answers, thread.thumbnails()::watched, () -> thread.output(this)));
        thread.output(this);
    }

    boolean closed() {
        return session.state() == SessionState.CLOSED;
    }

    boolean warm() {
        return isWarm;
    }

    long usedNanos() {
        return usedNanos;
    }

    long known() {
        return known;
    }

    /// What an actor may see.
    Sight sight(Actor actor) {
        return holders.stream().anyMatch(holder -> PrivateRange.hides(holder, actor)) ? Sight.PUBLIC : Sight.ALL;
    }

    /// Whether everybody sees the same.
    boolean allPublic() {
        return holders.isEmpty();
    }

    /// Looks at the screen at an offset, or as it is now.
    ///
    /// @param history how many rows above it are wanted. If the screen does not keep as many, the output is played
    ///                again from farther back
    <T> T look(OptionalLong offset, int history, Function<Screen, T> look) {
        counts.looks.increment();
        turn.lock();
        try {
            long end = log.end();
            boolean isNow = offset.isEmpty() || offset.getAsLong() == end;
            Screen screen = (isNow ? now(end) : at(offset.getAsLong(), end)).screen();
            return look.apply(isCut(screen, history) ? withHistory(screen, history) : screen);
        } finally {
            endTurn();
        }
    }

    /// Whether there may be older rows than the screen keeps.
    private boolean isCut(Screen screen, int history) {
        return history > limits.screen().keptRows() && screen.above() >= limits.screen().keptRows();
    }

    /// The same screen with more rows above it.
    private Screen withHistory(Screen screen, int history) {
        int rows = Math.min(history, HISTORY_CELLS / screen.cols());
        Screen best = screen;
        long span = Math.max(HISTORY_BYTES, 2L * rows * screen.cols());
        while (best.above() < rows) {
            long from = Math.max(log.start(), screen.offset() - span);
            Follower far = from(from, rows);
            far.follow(screen.offset());
            // A terminal that grew may show more of them than the screen had kept. Then what programs were told holds.
            if (!far.screen().snapshot(Sight.ALL, 0).rows().equals(screen.snapshot(Sight.ALL, 0).rows())) {
                return screen;
            }
            best = far.screen();
            if (from == log.start() || span >= MOST_HISTORY_BYTES) {
                break;
            }
            span *= 4;
        }
        return best;
    }

    /// Looks at the screen as it was at an offset, because a program asks. Afterwards it is there if nobody has looked
    /// at it later. To be called for one offset after the other, and [#answered()] after the last.
    <T> T asked(long offset, Function<Screen, T> look) {
        turn.lock();
        try {
            Follower ahead = warm;
            Follower then = ahead == null || ahead.screen().offset() <= offset ? now(offset) : trailing(offset);
            return look.apply(then.screen());
        } finally {
            endTurn();
        }
    }

    private Follower trailing(long offset) {
        Follower then = trailing;
        if (then == null || then.screen().offset() > offset) {
            then = at(offset, log.end());
            trailing = then;
        } else {
            follow(then, offset);
        }
        return then;
    }

    /// There are no more questions now.
    void answered() {
        turn.lock();
        try {
            trailing = null;
        } finally {
            endTurn();
        }
    }

    /// A follower for one reader, from the first checkpoint that the log goes on from; else from the log's start.
    Follower replay() {
        turn.lock();
        try {
            return from(log.start());
        } finally {
            endTurn();
        }
    }

    /// Whether a checkpoint is due, because the log will drop what was printed since the last one.
    boolean owesCheckpoint(long end) {
        return end - known >= checkpointAfter;
    }

    /// Brings the screen on by one step towards an offset, and leaves a checkpoint there.
    void step(long end) {
        turn.lock();
        try {
            long at = warm != null ? warm.screen().offset() : marks.newest();
            now(Math.min(end, marks.boundary(Math.max(at, log.start()))));
        } finally {
            endTurn();
        }
    }

    private void endTurn() {
        if (gone) {
            cool();
            marks.clear();
        }
        turn.unlock();
    }

    /// A follower at an offset from which somebody has not looked on: its own, or a new one from the last checkpoint.
    private Follower now(long to) {
        Follower follower = warm;
        if (follower == null) {
            follower = from(to);
            warm = follower;
            isWarm = true;
            counts.warm.incrementAndGet();
        }
        usedNanos = time.nanos();
        try {
            follow(follower, to);
        } finally {
            long bytes = follower.screen().heldBytes();
            counts.warmBytes.addAndGet(bytes - warmBytes);
            warmBytes = bytes;
            known = Math.max(known, follower.screen().offset());
        }
        return follower;
    }

    private Follower at(long offset, long end) {
        long start = log.start();
        if (offset < start || offset > end) {
            throw SessionException.invalid("Offset " + offset + " is outside the output of session " + session.id()
                    + ", which is kept from " + start + " to " + end + ".");
        }
        Follower follower = from(offset);
        follow(follower, offset);
        return follower;
    }

    private Follower from(long offset) {
        return from(offset, limits.screen().keptRows());
    }

    private Follower from(long offset, int keptRows) {
        Mark mark = marks.before(offset);
        return mark == null
                ? Follower.fresh(session, limits.screen().withKeptRows(keptRows), holders::add)
                : Follower.at(session, mark, keptRows, holders::add);
    }

    private void follow(Follower follower, long to) {
        while (true) {
            long at = follower.screen().offset();
            if (at > 0 && at % marks.stride == 0 && !marks.has(at)) {
                marks.add(follower.mark());
                marks.prune(log.start());
            }
            if (at >= to) {
                // Sizes may have changed without output.
                follower.follow(to);
                return;
            }
            follower.follow(Math.min(to, marks.boundary(at)));
        }
    }

    /// Folds the warm screen into a checkpoint, unless a thread is using it.
    void fold() {
        if (!turn.tryLock()) {
            return;
        }
        try {
            if (warm != null) {
                marks.add(warm.mark());
                marks.prune(log.start());
                cool();
            }
        } finally {
            turn.unlock();
        }
    }

    /// Drops the checkpoints that only save time, unless a thread is using them.
    void thin() {
        if (turn.tryLock()) {
            try {
                marks.thin(log.start());
            } finally {
                turn.unlock();
            }
        }
    }

    /// The session is gone, or nobody follows it.
    void release() {
        OutputTap.Open open = tap;
        if (open != null) {
            open.close();
        }
        turn.lock();
        try {
            gone = true;
        } finally {
            endTurn();
        }
    }

    private void cool() {
        if (warm != null) {
            warm = null;
            isWarm = false;
            counts.warm.decrementAndGet();
            counts.warmBytes.addAndGet(-warmBytes);
            warmBytes = 0;
        }
    }
}
