package dev.belay.screens;

import dev.belay.OutputLog;
import dev.belay.ReadResult;
import dev.belay.ReadResult.Chunk;
import dev.belay.Time;
import dev.belay.screen.Query;
import dev.belay.screen.Scanner;
import dev.belay.screen.ScreenLimits;
import dev.belay.screen.Told;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What a session's output has told its terminal, without cells: which screen was up when, how keys are sent, which
/// commands its shell has run.
///
/// A caller brings it up to date, on its own thread, in turn: each byte of the output is scanned once. The
/// belay-screen thread does so before the log drops what nobody has asked for, and soon for a session whose shell marks
/// its commands.
final class StreamState implements Scanner.Sink {
    private static final int READ_BYTES = 64 << 10;
    private static final int MOST_CHANGES = 256;
    private static final Set<Integer> ALTERNATE = Set.of(47, 1047, 1049);
    private static final int CURSOR_KEYS = 1;

    private final OutputLog log;
    private final ScreenLimits limits;
    private final ReentrantLock turn = new ReentrantLock();

    // In turn only.
    private long at;
    /// Only while a sequence is not complete.
    private @Nullable Scanner begun;
    private final NavigableMap<Long, Boolean> alternate = new TreeMap<>();
    private final ShellMarks marks;
    private boolean cursorKeys;

    private volatile boolean marked;

    StreamState(OutputLog log, ScreenLimits limits, Time time) {
        this.log = log;
        this.limits = limits;
        this.marks = new ShellMarks(time);
    }

    /// Its shell marks commands: to be followed soon, so that their times are right.
    void marked() {
        marked = true;
    }

    boolean isMarked() {
        return marked;
    }

    /// Whether the alternate screen was up when the output had reached an offset.
    boolean alternateAt(long offset) {
        return inTurn(state -> {
            Map.Entry<Long, Boolean> last = state.alternate.floorEntry(offset);
            return last != null && last.getValue();
        });
    }

    /// Whether arrow keys send `ESC O`.
    boolean cursorKeys() {
        return inTurn(state -> state.cursorKeys);
    }

    /// Only marks with this key count. Starts over, since the shell may have marked something already.
    void key(String key) {
        marked = true;
        turn.lock();
        try {
            marks.key(key);
            at = 0;
            begun = null;
            alternate.clear();
        } finally {
            turn.unlock();
        }
    }

    <T> T shell(Function<ShellMarks, T> look) {
        return inTurn(state -> look.apply(state.marks));
    }

    /// Scans what is new.
    void follow() {
        inTurn(_ -> true);
    }

    private <T> T inTurn(Function<StreamState, T> look) {
        turn.lock();
        try {
            scan(log.end());
            return look.apply(this);
        } finally {
            turn.unlock();
        }
    }

    private void scan(long end) {
        if (at >= end) {
            return;
        }
        Scanner scanner = begun != null ? begun : new Scanner(limits);
        while (at < end) {
            ReadResult read = log.read(at, (int) Math.min(READ_BYTES, end - at));
            if (read instanceof Chunk chunk) {
                if (chunk.bytes().length == 0) {
                    break;
                }
                scanner.feed(chunk.bytes(), 0, chunk.bytes().length, at, this);
            }
            at = read.next();
        }
        begun = scanner.between() ? null : scanner;
    }

    @Override
    public void query(Query query) {
        // The belay-screen thread answers.
    }

    @Override
    public void told(Told told) {
        if (told instanceof Told.Mark mark) {
            marks.told(mark);
        } else if (told instanceof Told.Mode mode && mode.dec()) {
            if (ALTERNATE.contains(mode.number())) {
                alternate.put(mode.to(), mode.on());
                if (alternate.size() > MOST_CHANGES) {
                    alternate.pollFirstEntry();
                }
            } else if (mode.number() == CURSOR_KEYS) {
                cursorKeys = mode.on();
            }
        }
    }
}
