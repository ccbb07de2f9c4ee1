package dev.belay.agent;

import dev.belay.PlainText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Splits output into what may not be split further, and keeps every byte: characters and whole escape sequences.
final class Units implements PlainText.Sink {
    /// A sequence that is longer is given out in parts, so that one that never ends cannot hold back all that follows.
    private static final int MAX_CARRY = 4096;

    /// Receives the units in order.
    interface Sink {
        /// Takes one unit.
        ///
        /// @param offset where it begins in the log
        void unit(CharSequence text, long offset);
    }

    private final Sink sink;
    private PlainText plain = new PlainText();
    private byte[] bytes = {};
    /// Whether a part of the sequence under way was given out.
    private boolean broken;
    private long base;
    private long settled;

    Units(long from, Sink sink) {
        this.sink = sink;
        this.settled = from;
        this.base = from;
    }

    /// The offset after the last whole unit.
    long settled() {
        return settled;
    }

    /// Output that follows what was given before.
    void feed(byte[] more) {
        int carried = bytes.length;
        byte[] all = Arrays.copyOf(bytes, carried + more.length);
        System.arraycopy(more, 0, all, carried, more.length);
        bytes = all;
        plain.feed(more, new PlainText.Sink() {
            @Override
            public void accept(int codePoint, int end) {
                Units.this.accept(codePoint, carried + end);
            }

            @Override
            public void removed(int end) {
                Units.this.removed(carried + end);
            }
        });
        int done = (int) (settled - base);
        if (bytes.length - done > MAX_CARRY) {
            int end = wholeCharacters();
            give(raw(done, end), end);
            broken = true;
            done = end;
        }
        bytes = Arrays.copyOfRange(bytes, done, bytes.length);
        base = settled;
    }

    /// Nothing follows: what is not whole is given out as it is.
    void flush() {
        int done = (int) (settled - base);
        if (done < bytes.length) {
            give(raw(done, bytes.length), bytes.length);
        }
    }

    /// Whether a sequence is under way there: begun by ESC or by a control character of the second set.
    private boolean inSequence(int at) {
        return broken
                || bytes[at] == 0x1B
                || (bytes[at] == (byte) 0xC2 && at + 1 < bytes.length && (bytes[at + 1] & 0xE0) == 0x80);
    }

    /// Where the last character begins, if it may not be whole; else the end.
    private int wholeCharacters() {
        for (int back = 1; back <= 3; back++) {
            if ((bytes[bytes.length - back] & 0xC0) == 0xC0) {
                return bytes.length - back;
            }
        }
        return bytes.length;
    }

    /// Output is missing here; what was under way has no end.
    void skipTo(long offset) {
        flush();
        plain = new PlainText();
        bytes = new byte[0];
        base = offset;
        settled = offset;
    }

    @Override
    public void accept(int codePoint, int end) {
        int start = (int) (settled - base);
        if (codePoint < 0x20 && inSequence(start)) {
            // Terminals obey it at once, but the sequence around it goes on.
            return;
        }
        give(inSequence(start) ? raw(start, end) : Character.toString(codePoint), end);
    }

    @Override
    public void removed(int end) {
        give(raw((int) (settled - base), end), end);
    }

    private void give(String text, int end) {
        if (!text.isEmpty()) {
            sink.unit(text, settled);
        }
        broken = false;
        settled = base + end;
    }

    private String raw(int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }
}
