import dev.belay.Cursor;
import dev.belay.ReadResult;
import dev.belay.Session;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/// Output in which the offset determines every byte: numbered lines of [#WIDTH] bytes.
///
/// @param lines number of lines
/// @param end   the line ending: a terminal adds a carriage return
record Known(int lines, String end) {
    private static final int WIDTH = 16;
    private static final int READ_BYTES = 64 << 10;

    /// The command that prints it, given that a line feed comes out as `end`.
    String command() {
        return "seq -f %0" + (WIDTH - end.length()) + ".0f 0 " + (lines - 1);
    }

    private long bytes() {
        return (long) lines * WIDTH;
    }

    private byte[] between(long from, long to) {
        StringBuilder text = new StringBuilder();
        for (long line = from / WIDTH; line * WIDTH < to; line++) {
            String digits = Long.toString(line);
            text.repeat('0', WIDTH - end.length() - digits.length()).append(digits).append(end);
        }
        int skip = (int) (from % WIDTH);
        byte[] all = text.toString().getBytes(StandardCharsets.US_ASCII);
        return java.util.Arrays.copyOfRange(all, skip, skip + (int) (to - from));
    }

    private void check(long from, byte[] bytes) {
        byte[] expected = between(from, from + bytes.length);
        int differs = java.util.Arrays.mismatch(bytes, expected);
        Player.require(differs < 0, "the byte at " + (from + differs) + " of " + this + " is not the one printed");
    }

    /// Reads what is there; what the log has dropped is a gap.
    void read(Session session) throws InterruptedException {
        long at = 0;
        while (true) {
            ReadResult result = session.output().read(at, READ_BYTES, Player.PATIENCE);
            switch (result) {
                case ReadResult.Chunk chunk -> {
                    Player.require(chunk.bytes().length > 0, "no output at " + at + " of " + session.snapshot());
                    check(at, chunk.bytes());
                }
                case ReadResult.Gap gap ->
                    Player.same(gap.lostBytes(), gap.next() - at, "the lost bytes of a gap at " + at);
                case ReadResult.End _ -> {
                    Player.same(at, bytes(), "the length of " + this);
                    return;
                }
            }
            at = result.next();
        }
    }

    /// Drains a lossless session. Everything must be there.
    void drain(Session session) throws InterruptedException {
        Cursor drainer = session.drainer();
        CRC32 sum = new CRC32();
        long at = 0;
        while (true) {
            switch (drainer.drain(READ_BYTES)) {
                case ReadResult.Chunk chunk when chunk.bytes().length == 0 ->
                    Player.require(
                            drainer.awaitMore(Player.PATIENCE), "no output at " + at + " of " + session.snapshot());
                case ReadResult.Chunk chunk -> {
                    sum.update(chunk.bytes());
                    at = chunk.next();
                }
                case ReadResult.Gap gap -> throw new AssertionError("a lossless session lost " + gap);
                case ReadResult.End _ -> {
                    Player.same(at, bytes(), "the length of " + this);
                    CRC32 expected = new CRC32();
                    expected.update(between(0, bytes()));
                    Player.same(sum.getValue(), expected.getValue(), "the checksum of " + this);
                    return;
                }
            }
        }
    }
}
