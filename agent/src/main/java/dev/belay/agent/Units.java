package dev.belay.agent;

import dev.belay.PlainText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Splits output into what may not be split further: characters and whole escape sequences.
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

    private final boolean strip;
    private final Sink sink;
    private PlainText plain = new PlainText();
    private byte[] bytes = {};
    private long base;
    private long settled;

    /// @param strip whether escape sequences and control characters are left out
    Units(boolean strip, long from, Sink sink) {
        this.strip = strip;
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
            flush();
            done = bytes.length;
        }
        bytes = Arrays.copyOfRange(bytes, done, bytes.length);
        base = settled;
    }

    /// Nothing follows: what is not whole is given out as it is.
    void flush() {
        int done = (int) (settled - base);
        if (done < bytes.length) {
            give(strip && bytes[done] == 0x1B ? "" : raw(done, bytes.length), bytes.length);
        }
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
        boolean alone = end - start == 1 || (bytes[start] & 0x80) != 0;
        give(strip || alone ? Character.toString(codePoint) : raw(start, end), end);
    }

    @Override
    public void removed(int end) {
        give(strip ? "" : raw((int) (settled - base), end), end);
    }

    private void give(CharSequence text, int end) {
        if (!text.isEmpty()) {
            sink.unit(text, settled);
        }
        settled = base + end;
    }

    private String raw(int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }
}
