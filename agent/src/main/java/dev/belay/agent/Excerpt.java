package dev.belay.agent;

import com.google.re2j.Pattern;
import dev.belay.Mode;
import dev.belay.OutputLog;
import dev.belay.Session;
import dev.belay.Size;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// What of a stretch of the log goes into an answer: all of it, or as much as the caller's budget allows. Characters
/// and escape sequences stay whole.
///
/// @param text    what is shown
/// @param start   the offset of its first byte
/// @param next    the offset after its last byte; later calls continue here
/// @param omitted bytes between the two that are not shown
/// @param tokens  about how many tokens all of it has
record Excerpt(String text, long start, long next, long omitted, long tokens) {
    /// How to show output.
    ///
    /// @param raw       every byte as it is; else as it ended up on the terminal
    /// @param terminal  the size of the terminal; null for pipes
    /// @param alternate whether the output begins on the alternate screen, where nothing is shown
    record Form(Tokens tokens, int maxTokens, boolean raw, @Nullable Size terminal, boolean alternate) {
        /// What the line needs that says what is missing.
        private static final int MARK_TOKENS = 60;
        private static final int ROOM_FOR_MARK = 10 * MARK_TOKENS;

        static Form of(Session session, View view, int maxTokens, Tokens tokens) {
            int budget = maxTokens > ROOM_FOR_MARK ? maxTokens - MARK_TOKENS : maxTokens;
            return new Form(tokens, budget, view == View.RAW,
                    session.spec().mode() instanceof Mode.Pty pty ? size(session, pty) : null, false);
        }

        /// The size that the terminal has now.
        private static Size size(Session session, Mode.Pty pty) {
            List<OutputLog.Resize> sizes = session.output().resizes();
            return sizes.isEmpty() ? pty.size() : sizes.getLast().size();
        }

        Form onAlternate() {
            return new Form(tokens, maxTokens, raw, terminal, true);
        }

        Form onMain() {
            return new Form(tokens, maxTokens, raw, terminal, false);
        }

        int maxChars() {
            return tokens.mostChars(maxTokens);
        }
    }

    /// Says in words how to get at what is missing between two offsets.
    interface Mark {
        String missing(long bytes, long from);
    }

    /// The beginning and the end of a stretch, with a line in between that says what is missing.
    ///
    /// @param whole       whether nothing will ever be added to the last character
    /// @param alternateAt whether the alternate screen was up at an offset
    static Excerpt ends(OutputLog log, long from, long to, boolean whole, Form form, LongPredicate alternateAt,
            Mark mark) {
        Ends ends = new Ends(form);
        long tailFrom = to - from > ends.farBytes() ? lineStart(log, to - ends.tailBytes(), to) : -1;
        if (tailFrom >= 0) {
            RenderPass head = new RenderPass(form, from, ends);
            head.run(log, tailFrom, false, ends::headIsFull);
            if (ends.headIsFull()) {
                // What lies between the two ends is not shown, so it is not rendered.
                ends.skip(tailFrom - head.at());
                boolean alternate = !form.raw() && alternateAt.test(tailFrom);
                RenderPass tail = new RenderPass(alternate ? form.onAlternate() : form.onMain(), tailFrom, ends);
                tail.run(log, to, whole, () -> false);
                return ends.excerpt(from, head, tail, mark);
            }
            ends = new Ends(form);
        }
        RenderPass pass = new RenderPass(form, from, ends);
        pass.run(log, to, whole, () -> false);
        return ends.excerpt(from, pass, pass, mark);
    }

    /// Where the first line after a place begins; -1 if none does.
    private static long lineStart(OutputLog log, long at, long to) {
        long[] found = {-1};
        Chunks.between(log, at, to, chunk -> {
            for (int i = 0; i < chunk.bytes().length && found[0] < 0; i++) {
                if (chunk.bytes()[i] == '\n') {
                    found[0] = chunk.offset() + i + 1;
                }
            }
        });
        return found[0];
    }

    /// As much of a stretch as the budget allows, from its beginning, and always something if there is something.
    static Excerpt beginning(OutputLog log, long from, long to, boolean whole, Form form) {
        OffsetText shown = new OffsetText();
        RenderPass pass = new RenderPass(form, from, shown::add);
        pass.run(log, to, whole, () -> shown.length() > form.maxChars());
        long next = cut(form.tokens(), form.maxTokens(), form.maxChars(), shown, pass.settled(), OffsetText::keepFirst);
        return new Excerpt(shown.text(), from, next, pass.lost(from, next), form.tokens().count(shown.text()));
    }

    /// The lines of a stretch that match, as many as the budget allows.
    static Excerpt matching(OutputLog log, long from, long to, boolean whole, Form form, Pattern pattern) {
        MatchingLines lines = new MatchingLines(pattern, form.tokens(), form.maxTokens());
        RenderPass pass = new RenderPass(form, from, lines);
        pass.run(log, to, whole, lines::isFull);
        lines.endLine();
        long next = lines.next(pass.settled());
        return new Excerpt(lines.text(), from, next, pass.lost(from, next), form.tokens().count(lines.text()));
    }

    /// As much of a stretch as the budget allows, from its end.
    static Excerpt end(OutputLog log, long from, long to, boolean whole, Form form) {
        OffsetText shown = new OffsetText();
        RenderPass pass = new RenderPass(form, from, (text, offset) -> {
            shown.add(text, offset);
            shown.forgetBeyond(form.maxChars());
        });
        pass.run(log, to, whole, () -> false);
        long end = pass.settled();
        long kept = cut(form.tokens(), form.maxTokens(), form.maxChars(), shown, end, OffsetText::keepLast);
        // What is not shown because it is stripped is not left out.
        long start = shown.shortened() ? kept : from;
        return new Excerpt(shown.text(), start, end, start - from + pass.lost(start, end),
                form.tokens().count(shown.text()));
    }

    private interface Cut {
        long keep(OffsetText strip, int chars, long end);
    }

    /// Cuts a strip until it has no more tokens than it may.
    private static long cut(Tokens tokens, int maxTokens, int maxChars, OffsetText strip, long end, Cut cut) {
        long offset = cut.keep(strip, maxChars, end);
        for (long count = tokens.count(strip.text()); count > maxTokens && strip.units() > 1;) {
            int chars = (int) Math.min(strip.length() - 1L, strip.length() * (long) maxTokens / count);
            offset = cut.keep(strip, Math.max(1, chars), end);
            count = tokens.count(strip.text());
        }
        return offset;
    }

    /// The two ends of a stretch.
    private static final class Ends implements Units.Sink {
        private static final long LEAST_TAIL_BYTES = 256 << 10;
        private static final long TAIL_BYTES_PER_CHAR = 8;

        private final Form form;
        private final int half;
        private final OffsetText head = new OffsetText();
        private final OffsetText tail = new OffsetText();
        private long tailFrom = -1;
        private long chars;

        Ends(Form form) {
            this.form = form;
            this.half = Math.max(1, form.maxChars() / 2);
        }

        /// From how many bytes at its end the tail is made: more than it shows, since much may be control sequences.
        long tailBytes() {
            return Math.max(LEAST_TAIL_BYTES, TAIL_BYTES_PER_CHAR * (long) half);
        }

        /// Output that is longer is rendered at its ends only.
        long farBytes() {
            return 2 * tailBytes();
        }

        boolean headIsFull() {
            return head.length() > half;
        }

        /// So many bytes are neither rendered nor shown; the tail begins behind them.
        void skip(long bytes) {
            chars += bytes;
            tail.clear();
            tailFrom = -1;
        }

        @Override
        public void unit(CharSequence text, long offset) {
            chars += text.length();
            // The head takes more than it may show, so that it is cut, and that at the end of a line.
            if (tailFrom < 0 && head.length() <= half && text.length() <= half) {
                head.add(text, offset);
            } else {
                tailFrom = tailFrom < 0 ? offset : tailFrom;
                tail.add(text, offset);
                tail.forgetBeyond(half);
            }
        }

        /// @param first the pass that the head came from
        /// @param last  the one that the tail came from
        Excerpt excerpt(long from, RenderPass first, RenderPass last, Mark mark) {
            long end = last.settled();
            if (chars == (long) head.length() + tail.length() && chars <= form.maxChars()) {
                String all = head.text() + tail.text();
                long tokens = form.tokens().count(all);
                if (tokens <= form.maxTokens()) {
                    return new Excerpt(all, from, end, first.lost(from, end), tokens);
                }
                balance();
            }
            int tokens = Math.max(1, form.maxTokens() / 2);
            long resume = cut(form.tokens(), tokens, half, head, tailFrom < 0 ? end : tailFrom, OffsetText::keepFirst);
            long tailStart = cut(form.tokens(), tokens, half, tail, end, OffsetText::keepLast);
            long missing = tailStart - resume;
            String between = missing == 0
                    ? ""
                    : (head.isEmpty() || head.endsWithNewline() ? "" : "\n")
                            + "[Output truncated] " + mark.missing(missing, resume) + "\n";
            long shown = (long) head.length() + tail.length();
            long shownTokens = form.tokens().count(head.text()) + form.tokens().count(tail.text());
            long all = shown == 0 ? chars / 4 : shownTokens * chars / shown;
            return new Excerpt(head.text() + between + tail.text(), from, end,
                    missing + first.lost(from, resume) + last.lost(tailStart, end), all);
        }

        /// Nothing is dropped yet, but it has more tokens than characters promised: each end gets half of it.
        private void balance() {
            tail.forEach(head::add);
            tail.clear();
            head.moveSecondHalf(tail);
            tailFrom = tail.isEmpty() ? -1 : tail.firstOffset();
        }
    }
}
