package dev.belay.screens;

import dev.belay.screen.Query;
import dev.belay.screen.Scanner;
import dev.belay.screen.Told;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// What one viewer may get of a session's output: each question to the terminal is overwritten with NULs, which
/// terminals ignore. So no viewer answers, no replay does, and offsets stay true. A sequence that is not complete and
/// may be a question is held back until it is.
///
/// A viewer that answers itself gets the questions that were asked since it came. One thread at a time; close it when
/// the viewer leaves.
public final class QuestionMask implements AutoCloseable {
    private final @Nullable Scanner scanner;
    private final LongPredicate answers;
    private final Runnable close;
    private final List<Query> questions = new ArrayList<>();
    /// What is held back, from an offset on.
    private byte[] held = {};
    private long heldFrom;
    private boolean closed;

    private final Scanner.Sink sink = new Scanner.Sink() {
        @Override
        public void query(Query query) {
            questions.add(query);
        }

        @Override
        public void told(Told told) {}
    };

    /// Output that may be sent.
    ///
    /// @param offset of its first byte
    /// @param bytes  as many as in the log; empty if all is held back
    @SuppressWarnings("ArrayRecordComponent")
    public record Part(long offset, byte[] bytes) {
        /// The offset after the last byte.
        public long next() {
            return offset + bytes.length;
        }
    }

    /// @param scanner null to pass everything
    /// @param answers whether the viewer answers a question at an offset itself
    QuestionMask(@Nullable Scanner scanner, LongPredicate answers, Runnable close) {
        this.scanner = scanner;
        this.answers = answers;
        this.close = close;
    }

    /// For a session without a terminal, which nothing is asked: everything passes.
    static QuestionMask none() {
        return new QuestionMask(null, _ -> true, () -> {});
    }

    /// Takes the next bytes of the log and returns what may be sent by now: the part begins where the last one ended.
    /// At any other offset than the last bytes' end there was a gap: what was held back is dropped, and the part
    /// begins at the new offset.
    public Part feed(long offset, byte[] bytes) {
        if (scanner == null) {
            heldFrom = offset + bytes.length;
            return new Part(offset, bytes);
        }
        if (offset != heldFrom + held.length) {
            held = new byte[0];
            heldFrom = offset;
        }
        long from = heldFrom;
        int before = held.length;
        byte[] all = before == 0 ? bytes.clone() : Arrays.copyOf(held, before + bytes.length);
        System.arraycopy(bytes, 0, all, before, bytes.length);
        scanner.feed(bytes, 0, bytes.length, offset, sink);
        for (Query query : questions) {
            blank(all, from, query);
        }
        questions.clear();
        int send = Math.clamp(scanner.pending() - from, 0, all.length);
        held = Arrays.copyOfRange(all, send, all.length);
        heldFrom = from + send;
        return new Part(from, send == all.length ? all : Arrays.copyOf(all, send));
    }

    private void blank(byte[] all, long from, Query query) {
        if (!answers.test(query.from())) {
            int begin = Math.clamp(query.from() - from, 0, all.length);
            Arrays.fill(all, begin, Math.clamp(query.to() - from, begin, all.length), (byte) 0);
        }
    }

    /// Nothing more will come, or not from here on: returns what is held back, as NULs.
    public Part rest() {
        Part rest = new Part(heldFrom, new byte[held.length]);
        heldFrom += held.length;
        held = new byte[0];
        return rest;
    }

    /// The offset up to which everything was returned.
    public long next() {
        return heldFrom;
    }

    /// The viewer has left. If it answered questions, the server does so from now on.
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            close.run();
        }
    }
}
