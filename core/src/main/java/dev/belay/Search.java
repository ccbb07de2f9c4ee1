package dev.belay;

import com.google.re2j.Matcher;
import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.End;
import dev.belay.ReadResult.Gap;
import dev.belay.Waited.Fired;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// One wait: follows the log from an offset and looks for what an [Until] names. Runs on the caller's thread.
final class Search {
    private static final int WINDOW_CHARS = 64 << 10;
    private static final int READ_BYTES = 64 << 10;
    /// How far before new text a match is looked for at once. One that began earlier is found a moment later: to look
    /// through the whole window for every line that a build prints would keep a core busy.
    private static final int TAIL_CHARS = 1 << 10;
    /// When the whole window is looked through again: after so much new text, or so long after the first of it.
    private static final int OWED_CHARS = 16 << 10;
    private static final Duration OWED_FOR = Duration.ofMillis(50);
    /// Output without text, such as zeros, does not fill the window; so much of it empties it, or `ends` would overflow.
    private static final int MAX_SPAN_BYTES = 1 << 30;

    private final Life life;
    private final OutputLog log;
    private final Until until;
    private PlainText plain = new PlainText();
    private final StringBuilder window = new StringBuilder();
    /// For each char of the window, the offset after its last byte, relative to `base`.
    private int[] ends = new int[256];
    private long base;
    private long at;
    /// New text since the whole window was looked through, and until when that has to be done again.
    private int owed;
    private Deadline owedBy = Deadline.in(OWED_FOR);

    Search(Life life, OutputLog log, Until until, long from) {
        this.life = life;
        this.log = log;
        this.until = until;
        this.base = from;
        this.at = from;
    }

    Waited run(Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.in(timeout);
        long quietSince = System.nanoTime();
        long leaderEnd = Long.MAX_VALUE;
        try (var _ = life.clocks.busy()) {
            while (true) {
                long seen = life.bell.rings();
                // The exit comes after the leader's last byte; what survivors print behind it is not waited for.
                if (until.exit && leaderEnd == Long.MAX_VALUE && life.exit() != null) {
                    leaderEnd = life.log.end();
                }
                ReadResult read = next();
                if (read == null || read instanceof Gap) {
                    // What is in the window is all there will be of it.
                    Waited found = lookIfOwed(deadline);
                    if (found != null) {
                        return found;
                    }
                }
                if (read == null) {
                    return new Waited(Fired.EXIT, at, "");
                }
                boolean ended = false;
                boolean more = false;
                switch (read) {
                    case Chunk chunk when chunk.bytes().length == 0 -> {}
                    case Chunk chunk -> {
                        Waited found = match(chunk, deadline);
                        if (found != null) {
                            return found;
                        }
                        at = chunk.next();
                        more = true;
                    }
                    case Gap gap -> {
                        // The end of a sequence or character that was under way may lie in the gap.
                        plain = new PlainText();
                        clear(gap.next());
                        at = gap.next();
                        more = true;
                    }
                    case End _ -> ended = true;
                }
                boolean over = ended || at >= leaderEnd || at >= until.offset;
                if (more && !over && !deadline.passed()) {
                    continue;
                }
                Deadline quiet = quiet(quietSince);
                boolean waits = !over && !deadline.passed() && (quiet == null || !quiet.passed());
                if (!waits || owedBy.passed()) {
                    Waited found = lookIfOwed(deadline);
                    if (found != null) {
                        return found;
                    }
                }
                if (at >= until.offset) {
                    return new Waited(Fired.OFFSET, at, "");
                }
                if (over) {
                    return new Waited(Fired.EXIT, at, "");
                }
                if (quiet != null && quiet.passed()) {
                    return new Waited(Fired.IDLE, at, "");
                }
                if (deadline.passed()) {
                    return new Waited(Fired.TIMEOUT, at, "");
                }
                Deadline next = quiet == null ? deadline : deadline.earlier(quiet);
                life.bell.await(seen, owed > 0 ? next.earlier(owedBy) : next);
            }
        }
    }

    /// What comes next; null if the session is closed.
    private @Nullable ReadResult next() {
        try {
            return log.look(at, READ_BYTES);
        } catch (SessionException e) {
            if (life.state() == SessionState.CLOSED) {
                return null;
            }
            throw e;
        }
    }

    private @Nullable Deadline quiet(long since) {
        if (until.idle == null) {
            return null;
        }
        long last = life.lastOutputNanos();
        long from = last - since > 0 ? last : since;
        return Deadline.atNanos(from + Deadline.nanos(until.idle));
    }

    private @Nullable Waited match(Chunk chunk, Deadline deadline) {
        if (until.match == null) {
            return null;
        }
        if (chunk.offset() - base > MAX_SPAN_BYTES) {
            Waited found = lookIfOwed(deadline);
            if (found != null) {
                return found;
            }
            clear(chunk.offset());
        }
        if (window.isEmpty()) {
            base = chunk.offset();
        }
        int before = window.length();
        int start = (int) (chunk.offset() - base);
        plain.feed(chunk.bytes(), (codePoint, end) -> append(codePoint, start + end));
        if (owed == 0) {
            owedBy = Deadline.in(OWED_FOR);
        }
        owed += window.length() - before;
        boolean soon = owed < OWED_CHARS && !owedBy.passed() && before > TAIL_CHARS;
        // In the tail it may be another one than the first of all, which is the one to tell.
        return soon && !found(before - TAIL_CHARS, deadline) ? null : look(deadline);
    }

    private boolean found(int from, Deadline deadline) {
        try {
            return until.match != null && until.match.matcher(new Bounded(window, deadline)).find(from);
        } catch (OutOfTime _) {
            return true;
        }
    }

    private @Nullable Waited lookIfOwed(Deadline deadline) {
        return owed > 0 ? look(deadline) : null;
    }

    /// Looks through the whole window, and keeps the last 64 KiB of it.
    private @Nullable Waited look(Deadline deadline) {
        if (until.match == null) {
            return null;
        }
        Matcher matcher = until.match.matcher(new Bounded(window, deadline));
        try {
            if (matcher.find()) {
                return new Waited(
                        Fired.MATCH, matcher.end() == 0 ? base : base + ends[matcher.end() - 1], matcher.group());
            }
        } catch (OutOfTime _) {
            return new Waited(Fired.TIMEOUT, at, "");
        }
        owed = 0;
        makeRoom();
        return null;
    }

    private void clear(long from) {
        window.setLength(0);
        base = from;
        owed = 0;
    }

    private void append(int codePoint, int end) {
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
            int shift = ends[drop - 1];
            window.delete(0, drop);
            System.arraycopy(ends, drop, ends, 0, window.length());
            for (int i = 0; i < window.length(); i++) {
                ends[i] -= shift;
            }
            base += shift;
        }
    }

    /// Ends a search that takes longer than the wait may: linear time is not short time for every expression.
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
