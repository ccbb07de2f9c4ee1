package dev.belay;

import com.google.re2j.Matcher;
import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.End;
import dev.belay.ReadResult.Gap;
import dev.belay.Waited.Fired;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// One wait: follows the log from an offset and looks for what an [Until] asks for. Runs on the caller's thread.
final class Search {
    private static final int WINDOW_CHARS = 64 << 10;
    private static final int READ_BYTES = 64 << 10;
    /// How far before new text a match is looked for at once. A match that began earlier is found a moment later:
    /// searching the whole window for every line that a build prints would keep a core busy.
    private static final int TAIL_CHARS = 1 << 10;
    /// The whole window is searched again after this much new text, or this long after the first of it.
    private static final int OWED_CHARS = 16 << 10;
    private static final Duration OWED_FOR = Duration.ofMillis(50);
    /// The longest that a silent program is left alone between two looks at whether it waits for input.
    private static final long MAX_PROBE_STEP_NANOS = 500_000_000;

    private final LiveSession live;
    private final OutputLog log;
    private final Until until;
    private @Nullable RenderedText rendered;
    /// The text that cannot change any more. What is still on the screen is added while it is searched.
    private final StringBuilder window = new StringBuilder();
    /// For each char of the window, the offset after its last byte.
    private long[] ends = new long[256];
    private long at;
    private final Deadline deadline;
    private final long begunNanos;
    /// Where the leader's output ends, once it has exited, if the wait is for the exit.
    private long leaderEnd = Long.MAX_VALUE;
    /// How much text is new since the whole window was searched, and when that has to be done again.
    private int owed;
    private Deadline owedBy;
    /// How long the session has to be quiet before the next look at whether it waits for input.
    private long probeAfterNanos;
    /// When the output came that this quiet time counts from.
    private long quietSinceNanos;
    /// When the probe wants to look again, whatever happens.
    private @Nullable Deadline lookAgain;

    Search(LiveSession live, OutputLog log, Until until, long from, Duration timeout) {
        this.live = live;
        this.log = log;
        this.until = until;
        this.at = from;
        this.begunNanos = live.nanos();
        this.owedBy = live.in(OWED_FOR);
        this.deadline = live.in(timeout);
        this.quietSinceNanos = begunNanos;
        this.probeAfterNanos = until.input == null ? 0 : Deadline.nanos(until.input);
    }

    Waited run() throws InterruptedException {
        Cut cut = until.cut;
        if (cut == null) {
            return search();
        }
        cut.joins(Thread.currentThread());
        try {
            return search();
        } finally {
            cut.leaves(Thread.currentThread());
        }
    }

    private Waited search() throws InterruptedException {
        try (var _ = log.busy()) {
            while (true) {
                long seen = live.bell.rings();
                noteExit();
                ReadResult read = next();
                Waited waited = take(read);
                if (waited == null) {
                    waited = decide(read);
                }
                if (waited != null) {
                    return waited;
                }
                if (!moves(read)) {
                    live.bell.await(seen, wakeBy(), this::isCut);
                }
            }
        }
    }

    private boolean isCut() {
        return until.cut != null && until.cut.made();
    }

    /// The exit comes after the leader's last byte. The wait ends there, whatever survivors print behind it.
    private void noteExit() {
        if (until.exit && leaderEnd == Long.MAX_VALUE && live.exit() != null) {
            leaderEnd = live.log.end();
        }
    }

    /// Takes what was read into the window.
    ///
    /// @return the match it completes, or null
    private @Nullable Waited take(@Nullable ReadResult read) {
        if (read == null || !moves(read)) {
            return null;
        }
        // Text after a gap does not continue the text before it, so this is the last chance for a match there.
        Waited match = read instanceof Chunk chunk ? match(chunk) : lookIfOwed();
        if (match == null) {
            at = read.next();
        }
        if (match == null && read instanceof Gap) {
            // The end of an unfinished escape sequence or character may lie in the gap.
            rendered = null;
            window.setLength(0);
            owed = 0;
        }
        return match;
    }

    /// Decides whether the wait is over. A match goes before every other condition, so the window is searched first.
    private @Nullable Waited decide(@Nullable ReadResult read) {
        Fired due = due(read);
        boolean search = due != null || (!moves(read) && owedBy.passed());
        Waited match = search ? lookIfOwed() : null;
        return match != null || due == null ? match : new Waited(due, at, "");
    }

    /// The condition other than a match that ends the wait now, or null. While there is more to read, only the offset,
    /// the exit and the timeout count: the session is not quiet.
    private @Nullable Fired due(@Nullable ReadResult read) {
        if (read == null) {
            return Fired.EXIT;
        }
        if (at >= until.offset) {
            return Fired.OFFSET;
        }
        if (read instanceof End || at >= leaderEnd) {
            return Fired.EXIT;
        }
        if (isCut()) {
            return Fired.CUT;
        }
        if (until.approval && live.registry().approvals().newlyAsked(live)) {
            return Fired.APPROVAL;
        }
        boolean late = deadline.passed();
        if (moves(read) && !late) {
            return null;
        }
        if (seen()) {
            return Fired.SEEN;
        }
        Deadline quiet = quiet();
        if (quiet != null && quiet.passed()) {
            return Fired.IDLE;
        }
        if (waitsForInput()) {
            return Fired.INPUT;
        }
        return late ? Fired.TIMEOUT : null;
    }

    /// Whether the probe sees what it looks for.
    private boolean seen() {
        if (until.probe == null) {
            return false;
        }
        Duration again = until.probe.look();
        lookAgain = live.in(again);
        return !again.isPositive();
    }

    /// Whether the program has been silent for long enough and is seen to wait for input. Looking reads what it has
    /// printed, which then comes first.
    private boolean waitsForInput() {
        Deadline probe = probe();
        if (probe == null || !probe.passed()) {
            return false;
        }
        if (live.inputState().seenWaiting() && live.log.end() == at) {
            return true;
        }
        probeAfterNanos += Math.min(probeAfterNanos, MAX_PROBE_STEP_NANOS);
        return false;
    }

    /// When to look whether the program waits for input, or null if that is not waited for.
    private @Nullable Deadline probe() {
        if (until.input == null) {
            return null;
        }
        long since = quietSince();
        if (since != quietSinceNanos) {
            quietSinceNanos = since;
            probeAfterNanos = Deadline.nanos(until.input);
        }
        return live.at(since + probeAfterNanos);
    }

    /// Whether a read moves the wait forward: it gave bytes or a gap.
    private static boolean moves(@Nullable ReadResult read) {
        return read != null && !(read instanceof End) && !OutputLog.isEmpty(read);
    }

    /// When to look again even if nothing happens.
    private Deadline wakeBy() {
        Deadline quiet = quiet();
        Deadline probe = probe();
        Deadline next = quiet == null ? deadline : deadline.earlier(quiet);
        next = probe == null ? next : next.earlier(probe);
        next = lookAgain == null ? next : next.earlier(lookAgain);
        return owed > 0 ? next.earlier(owedBy) : next;
    }

    /// What comes next; null if the session is closed.
    private @Nullable ReadResult next() {
        try {
            return log.look(at, READ_BYTES);
        } catch (SessionException e) {
            if (live.state() == SessionState.CLOSED) {
                return null;
            }
            throw e;
        }
    }

    /// When the session will have been quiet for long enough, or null if that is not waited for.
    private @Nullable Deadline quiet() {
        if (until.idle == null) {
            return null;
        }
        return live.at(quietSince() + Deadline.nanos(until.idle));
    }

    private long quietSince() {
        long last = live.lastOutputNanos();
        return last - begunNanos > 0 ? last : begunNanos;
    }

    private @Nullable Waited match(Chunk chunk) {
        if (until.match == null) {
            return null;
        }
        int before = window.length();
        RenderedText text = rendered == null ? rendering(chunk.offset()) : rendered;
        rendered = text;
        text.feed(chunk.bytes());
        if (owed == 0) {
            owedBy = live.in(OWED_FOR);
        }
        owed += chunk.bytes().length;
        boolean soon = owed < OWED_CHARS && !owedBy.passed() && before > TAIL_CHARS;
        // A match in the tail may not be the first one in the window, so the whole window is searched.
        return soon && find(before - TAIL_CHARS) == null ? null : look();
    }

    /// Text as agents see it.
    private RenderedText rendering(long from) {
        return live.spec.mode() instanceof Mode.Pty terminal
                ? new RenderedText(terminal.size().cols(), terminal.size().rows(), from, true, this::append)
                : RenderedText.ofPipe(from, this::append);
    }

    /// Searches the window from a place on, and what is on the screen.
    private @Nullable Waited find(int from) {
        if (until.match == null) {
            return null;
        }
        int settled = window.length();
        if (rendered != null) {
            rendered.show(this::append);
        }
        try {
            Matcher matcher = until.match.matcher(new Bounded(window, deadline));
            return matcher.find(from)
                    ? new Waited(Fired.MATCH, matcher.end() == 0 ? at : ends[matcher.end() - 1], matcher.group())
                    : null;
        } catch (OutOfTime _) {
            return new Waited(Fired.TIMEOUT, at, "");
        } finally {
            window.setLength(settled);
        }
    }

    private @Nullable Waited lookIfOwed() {
        return owed > 0 ? look() : null;
    }

    /// Searches the whole window, and keeps the last 64 KiB of it.
    private @Nullable Waited look() {
        Waited found = find(0);
        if (found == null) {
            owed = 0;
            makeRoom();
        }
        return found;
    }

    private void append(int codePoint, long start, long end) {
        int chars = window.length();
        window.appendCodePoint(codePoint);
        if (window.length() > ends.length) {
            ends = Arrays.copyOf(ends, ends.length * 2);
        }
        Arrays.fill(ends, chars, window.length(), end);
    }

    /// Keeps the last 64 KiB of text.
    private void makeRoom() {
        int drop = window.length() - WINDOW_CHARS;
        if (drop > 0) {
            window.delete(0, drop);
            System.arraycopy(ends, drop, ends, 0, window.length());
        }
    }

    /// Ends a search that takes longer than the wait may. Linear time can still be long.
    private static final class OutOfTime extends RuntimeException {
        private static final long serialVersionUID = 1;

        OutOfTime() {
            super(null, null, false, false);
        }
    }

    private static final class Bounded implements CharSequence {
        private static final int CHARS_PER_LOOK = 4096;
        private final CharSequence text;
        private final Deadline deadline;
        private int count;

        Bounded(CharSequence text, Deadline deadline) {
            this.text = text;
            this.deadline = deadline;
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            if (++count % CHARS_PER_LOOK == 0 && deadline.passed()) {
                throw new OutOfTime();
            }
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.subSequence(start, end);
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }
}
