package dev.belay;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/// The input ids of one session: writes an input once, however often it is sent.
///
/// Each principal has ids of their own; the last 1,024 are remembered, with a hash of the bytes. The monitor guards the
/// table. A thread that sends an input that is already being written waits on it. Nothing is written under it.
final class Inputs {
    /// How many ids are remembered per principal.
    static final int REMEMBERED = 1024;

    private static final int MAX_ID_CHARS = 128;

    private final String session;
    private final Map<String, SequencedMap<String, Input>> known = new HashMap<>();

    /// What became of one input.
    private static final class Input {
        final byte[] hash;
        int written;
        boolean underWay = true;
        /// Whether the write ended and its sender got the result. If not, it was interrupted; sent again, it continues.
        boolean answered;

        Input(byte[] hash) {
            this.hash = hash;
        }
    }

    /// Writes what is left in a buffer. The position says how much was written, even if it throws.
    interface Writer {
        void write(ByteBuffer rest) throws InterruptedException;
    }

    /// How much of an input was written.
    ///
    /// @param repeated true if it was written before, so nothing was written this time
    record Written(int bytes, boolean repeated) {}

    Inputs(String session) {
        this.session = session;
    }

    Written write(String principal, String id, byte[] bytes, Writer writer) throws InterruptedException {
        requireId(id);
        try (Turn turn = begin(principal, id, hash(bytes))) {
            if (turn.repeated()) {
                return new Written(turn.written(), true);
            }
            ByteBuffer rest = turn.rest(bytes);
            writer.write(rest);
            turn.answered();
            return new Written(rest.position(), false);
        }
    }

    /// Begins to write an input, unless it is being written.
    ///
    /// @return null if the caller would have to wait
    @Nullable Turn tryBegin(String principal, String id, byte[] bytes) {
        requireId(id);
        return look(principal, id, hash(bytes));
    }

    /// One thread's turn to write an input, until it is closed. The position of the rest says how much is written.
    final class Turn implements AutoCloseable {
        private final String principal;
        private final String id;
        private final Input input;
        private final boolean repeated;
        private ByteBuffer rest = ByteBuffer.allocate(0);
        private boolean answered;

        private Turn(String principal, String id, Input input) {
            this.principal = principal;
            this.id = id;
            this.input = input;
            this.repeated = input.answered;
        }

        /// Whether the input was written before, so nothing is to be written.
        boolean repeated() {
            return repeated;
        }

        int written() {
            return input.written;
        }

        /// What is left to write.
        ByteBuffer rest(byte[] bytes) {
            rest = ByteBuffer.wrap(bytes, input.written, bytes.length - input.written);
            return rest;
        }

        /// The write has ended, and its sender gets the result.
        void answered() {
            answered = true;
        }

        @Override
        public void close() {
            if (!repeated) {
                end(principal, id, input, rest.position(), answered);
            }
        }
    }

    private static void requireId(String id) {
        if (id.isEmpty() || id.length() > MAX_ID_CHARS) {
            throw SessionException.invalid("An input_id must have 1 to " + MAX_ID_CHARS + " characters.");
        }
    }

    private synchronized Turn begin(String principal, String id, byte[] hash) throws InterruptedException {
        while (true) {
            Turn turn = look(principal, id, hash);
            if (turn != null) {
                return turn;
            }
            wait();
        }
    }

    /// The input of an id: either it is already written, or the caller has to write the rest. Null while another thread
    /// writes it.
    private synchronized @Nullable Turn look(String principal, String id, byte[] hash) {
        SequencedMap<String, Input> own = known.computeIfAbsent(principal, _ -> new LinkedHashMap<>());
        Input earlier = own.get(id);
        if (earlier == null) {
            Input input = new Input(hash);
            own.put(id, input);
            forgetOldest(own);
            return new Turn(principal, id, input);
        }
        if (!Arrays.equals(earlier.hash, hash)) {
            throw new SessionException(
                    ErrorCode.ALREADY_EXISTS,
                    "Session " + session + " has already received input_id " + Quoted.of(id)
                            + " with different bytes, so nothing was written; use a new id for each input.");
        }
        if (earlier.underWay) {
            return null;
        }
        earlier.underWay = !earlier.answered;
        return new Turn(principal, id, earlier);
    }

    private synchronized void end(String principal, String id, Input input, int written, boolean answered) {
        input.written = written;
        input.answered = answered;
        input.underWay = false;
        @Nullable SequencedMap<String, Input> own = known.get(principal);
        if (own != null && !answered && written == 0) {
            // Nothing was written, so the id is free again.
            own.remove(id, input);
        }
        notifyAll();
    }

    private static void forgetOldest(SequencedMap<String, Input> own) {
        Iterator<Input> oldest = own.values().iterator();
        while (own.size() > REMEMBERED && oldest.hasNext()) {
            if (!oldest.next().underWay) {
                oldest.remove();
            }
        }
    }

    private static byte[] hash(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
