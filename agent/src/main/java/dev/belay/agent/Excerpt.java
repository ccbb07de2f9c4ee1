package dev.belay.agent;

import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.Gap;
import dev.belay.OutputLog;
import dev.belay.ReadResult;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// What of a stretch of the log goes into an answer: all of it, or as much as the caller's budget allows. Characters
/// and escape sequences stay whole.
///
/// @param text    what is shown
/// @param start   the offset of its first byte
/// @param next    the offset after its last byte; later calls go on from here
/// @param omitted bytes between the two that are not shown
/// @param tokens  about how many tokens all of it has
record Excerpt(String text, long start, long next, long omitted, long tokens) {
    private static final int READ_BYTES = 64 << 10;

    /// How to show output.
    ///
    /// @param strip    without escape sequences and control characters
    /// @param collapse without what carriage returns have overwritten
    record Form(Tokens tokens, int maxTokens, boolean strip, boolean collapse) {
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
    /// @param whole whether nothing will ever be added to the last character
    static Excerpt ends(OutputLog log, long from, long to, boolean whole, Form form, Mark mark) {
        Ends ends = new Ends(form);
        Pass pass = new Pass(form, from, ends);
        pass.run(log, to, whole, () -> false);
        return ends.excerpt(from, pass, mark);
    }

    /// As much of a stretch as the budget allows, from its beginning, and always something if there is something.
    static Excerpt beginning(OutputLog log, long from, long to, boolean whole, Form form) {
        Strip shown = new Strip();
        Pass pass = new Pass(form, from, shown::add);
        pass.run(log, to, whole, () -> shown.length() > form.maxChars());
        long next = cut(form.tokens(), form.maxTokens(), form.maxChars(), shown, pass.settled(), Strip::keepFirst);
        return new Excerpt(shown.text(), from, next, pass.lost(from, next), form.tokens().count(shown.text()));
    }

    /// As much of a stretch as the budget allows, from its end.
    static Excerpt end(OutputLog log, long from, long to, boolean whole, Form form) {
        Strip shown = new Strip();
        Pass pass = new Pass(form, from, (text, offset) -> {
            shown.add(text, offset);
            shown.forgetBeyond(form.maxChars());
        });
        pass.run(log, to, whole, () -> false);
        long end = pass.settled();
        long kept = cut(form.tokens(), form.maxTokens(), form.maxChars(), shown, end, Strip::keepLast);
        // What is not shown because it is stripped is not left out.
        long start = shown.shortened() ? kept : from;
        return new Excerpt(shown.text(), start, end, start - from + pass.lost(start, end),
                form.tokens().count(shown.text()));
    }

    private interface Cut {
        long keep(Strip strip, int chars, long end);
    }

    /// Cuts a strip until it has no more tokens than it may.
    private static long cut(Tokens tokens, int maxTokens, int maxChars, Strip strip, long end, Cut cut) {
        long offset = cut.keep(strip, maxChars, end);
        for (long count = tokens.count(strip.text()); count > maxTokens && strip.units() > 1;) {
            int chars = (int) Math.min(strip.length() - 1L, strip.length() * (long) maxTokens / count);
            offset = cut.keep(strip, Math.max(1, chars), end);
            count = tokens.count(strip.text());
        }
        return offset;
    }

    /// One way through a stretch of the log.
    private static final class Pass {
        private final Units units;
        private final @Nullable Lines lines;
        private final Units.Sink sink;
        private final List<Gap> gaps = new ArrayList<>();
        private boolean lineBegins = true;
        private long at;

        Pass(Form form, long from, Units.Sink sink) {
            this.sink = (text, offset) -> {
                lineBegins = text.charAt(text.length() - 1) == '\n';
                sink.unit(text, offset);
            };
            this.lines = form.collapse() ? new Lines(this.sink) : null;
            this.units = new Units(form.strip(), from, lines == null ? this.sink : lines);
            this.at = from;
        }

        long settled() {
            return units.settled();
        }

        /// Bytes in gaps that begin in a stretch.
        long lost(long from, long to) {
            return gaps.stream()
                    .filter(gap -> gap.offset() >= from && gap.offset() < to)
                    .mapToLong(Gap::lostBytes)
                    .sum();
        }

        void run(OutputLog log, long to, boolean whole, BooleanSupplier enough) {
            while (at < to && !enough.getAsBoolean()) {
                ReadResult part = log.read(at, (int) Math.min(READ_BYTES, to - at));
                if (part instanceof Chunk chunk && chunk.bytes().length > 0) {
                    units.feed(chunk.bytes());
                } else if (part instanceof Gap gap) {
                    skip(gap);
                } else {
                    break;
                }
                at = part.next();
            }
            if (whole && at >= to) {
                units.flush();
            }
            flushLine();
        }

        private void skip(Gap gap) {
            units.skipTo(gap.next());
            flushLine();
            gaps.add(gap);
            sink.unit((lineBegins ? "" : "\n") + "[Output truncated] " + gap.lostBytes() + " bytes are missing here: "
                    + (gap.reason() == Gap.Reason.PRIVATE
                            ? "they were printed in private.\n"
                            : "the log no longer has them.\n"),
                    gap.offset());
        }

        private void flushLine() {
            if (lines != null) {
                lines.flush();
            }
        }
    }

    /// The two ends of a stretch.
    private static final class Ends implements Units.Sink {
        private final Form form;
        private final int half;
        private final Strip head = new Strip();
        private final Strip tail = new Strip();
        private long tailFrom = -1;
        private long chars;

        Ends(Form form) {
            this.form = form;
            this.half = Math.max(1, form.maxChars() / 2);
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

        Excerpt excerpt(long from, Pass pass, Mark mark) {
            long end = pass.settled();
            if (chars == (long) head.length() + tail.length() && chars <= form.maxChars()) {
                String all = head.text() + tail.text();
                long tokens = form.tokens().count(all);
                if (tokens <= form.maxTokens()) {
                    return new Excerpt(all, from, end, pass.lost(from, end), tokens);
                }
                balance();
            }
            int tokens = Math.max(1, form.maxTokens() / 2);
            long resume = cut(form.tokens(), tokens, half, head, tailFrom < 0 ? end : tailFrom, Strip::keepFirst);
            long tailStart = cut(form.tokens(), tokens, half, tail, end, Strip::keepLast);
            long missing = tailStart - resume;
            String between = missing == 0
                    ? ""
                    : (head.isEmpty() || head.endsWithNewline() ? "" : "\n")
                            + "[Output truncated] " + mark.missing(missing, resume) + "\n";
            long shown = (long) head.length() + tail.length();
            long shownTokens = form.tokens().count(head.text()) + form.tokens().count(tail.text());
            long all = shown == 0 ? chars / 4 : shownTokens * chars / shown;
            return new Excerpt(head.text() + between + tail.text(), from, end,
                    missing + pass.lost(from, resume) + pass.lost(tailStart, end), all);
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
