package dev.belay.screen;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Finds what a stream asks and tells its terminal, without keeping a screen. Not safe for use by several threads at
/// once.
public final class Scanner {
    private final Reader reader;

    /// Gets what is found, in the stream's order, on the thread that feeds.
    public interface Sink {
        /// A question was asked.
        void query(Query query);

        /// Something was told.
        void told(Told told);
    }

    /// With the default limits.
    public Scanner() {
        this(ScreenLimits.defaults());
    }

    /// With limits of its own.
    public Scanner(ScreenLimits limits) {
        reader = new Reader(limits);
    }

    /// Reads bytes that stand at an offset. At any other offset than the last feed's end there was a gap: what was
    /// begun is dropped.
    public void feed(byte[] bytes, int from, int to, long offset, Sink sink) {
        Objects.checkFromToIndex(from, to, bytes.length);
        reader.feed(bytes, from, to, offset, sink);
    }

    /// Where a sequence that is not complete and may ask something begins, or a character; else the end of what was
    /// fed. What lies before it may be shown.
    public long pending() {
        return reader.pending();
    }

    /// Is no sequence, string or character begun? Then a new scanner would find the same in what follows.
    public boolean between() {
        return reader.between();
    }

    private static final class Reader extends Parser {
        private static final long NONE = -1;

        private @Nullable Sink sink;
        /// What a string asks or tells, until it is known whether `ESC \` ends it: it is given its end. And where a
        /// question begins.
        private @Nullable LongConsumer ended;
        private long asked = NONE;

        Reader(ScreenLimits limits) {
            super(limits);
        }

        void feed(byte[] bytes, int from, int to, long offset, Sink listener) {
            if (offset != at) {
                abandon();
                ended = null;
                asked = NONE;
                at = offset;
            }
            sink = listener;
            try {
                feedAll(bytes, from, to);
                if (idle()) {
                    settle(at);
                }
            } finally {
                sink = null;
            }
        }

        long pending() {
            if (asked != NONE) {
                return asked;
            }
            return mayAsk() ? heldFrom : at;
        }

        boolean between() {
            return idle() && ended == null;
        }

        private void tell(Told told) {
            if (sink != null) {
                sink.told(told);
            }
        }

        private void ask(Query query) {
            if (sink != null) {
                sink.query(query);
            }
        }

        @Override
        int ground(byte[] bytes, int from, int to) {
            settle(at);
            int next = from;
            while (next < to) {
                byte code = bytes[next];
                if (code == 0x1b || code == 0x05 || code == (byte) 0xc2) {
                    return next;
                }
                next++;
            }
            // a character that is not whole
            for (int back = Math.max(from, to - 3); back < to; back++) {
                int lead = bytes[back] & 0xff;
                int length = lead < 0xc0 || lead >= 0xf8 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
                if (back + length > to) {
                    return back;
                }
            }
            return to;
        }

        /// Reports what waited for `ESC \`, with its end.
        private void settle(long end) {
            LongConsumer report = ended;
            if (report != null) {
                ended = null;
                asked = NONE;
                report.accept(end);
            }
        }

        @Override
        void print(int code) {}

        @Override
        void execute(int control) {
            if (control == 0x05) {
                ask(new Query(Query.Kind.MASKED, List.of(), "", at - 1, at));
            }
        }

        @Override
        void escape() {
            if (function == '\\') {
                settle(at);
                return;
            }
            settle(heldFrom);
            if (function == 'c') {
                // A reset ends the modes that somebody listens for.
                tell(new Told.Mode(true, 1, false, at));
                tell(new Told.Mode(true, 1049, false, at));
            }
        }

        @Override
        void control() {
            settle(heldFrom);
            int last = function & 0xff;
            int before = function >> 8;
            if (last == 'h' || last == 'l') {
                for (int i = 0; i < params.count && (before == 0 || before == '?'); i++) {
                    tell(new Told.Mode(before == '?', params.get(i), last == 'h', at));
                }
                return;
            }
            Query.Kind kind = TerminalQueries.control(function, params.get(0));
            if (kind != null) {
                List<Integer> numbers = new ArrayList<>();
                for (int i = 0; i < params.count; i++) {
                    numbers.add(params.get(i));
                }
                ask(new Query(kind, numbers, "", heldFrom, at));
            }
        }

        @Override
        void gaveUp() {
            ask(new Query(Query.Kind.MASKED, List.of(), "", heldFrom, at));
        }

        @Override
        void string(int kind, boolean cancelled) {
            settle(heldFrom);
            if (cancelled) {
                return;
            }
            long from = heldFrom;
            String said = payload();
            if (asking() == 1) {
                Query query = TerminalQueries.string(kind, function, said, from, at);
                if (query != null) {
                    asked = from;
                    ended = end -> ask(new Query(query.kind(), query.numbers(), query.text(), from, end));
                }
            } else if (kind == ']' && !overlong()) {
                ended = end -> tell(said, from, end);
            }
        }

        private void tell(String payload, long from, long to) {
            int end = payload.indexOf(';');
            String number = end < 0 ? payload : payload.substring(0, end);
            String rest = end < 0 ? "" : payload.substring(end + 1);
            switch (number) {
                case "0", "2" -> tell(new Told.Title(Titles.clean(rest, limits.titleLength()), to));
                case "7", "133", "633" -> tell(new Told.Mark(Integer.parseInt(number), rest, from, to));
                default -> {
                }
            }
        }
    }
}
