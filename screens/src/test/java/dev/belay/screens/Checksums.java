package dev.belay.screens;

import dev.belay.ReadResult;
import dev.belay.ReadResult.Chunk;
import dev.belay.Session;
import dev.belay.screen.Query;
import dev.belay.screen.Row;
import dev.belay.screen.Scanner;
import dev.belay.screen.Snapshot;
import dev.belay.screen.Told;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Answers a session's questions for the checksum of a part of its screen (DECRQCRA), which Belay leaves unanswered:
/// a test reads single cells with them. The characters are those that [Screens#look] shows.
final class Checksums implements Scanner.Sink {
    private static final Pattern QUESTION = Pattern.compile("\033\\[(\\d+);\\d*;(\\d+);(\\d+);(\\d+);(\\d+)\\*y");
    private static final int READ_BYTES = 64 << 10;

    private final Screens screens;
    private final Session session;

    Checksums(Screens screens, Session session) {
        this.screens = screens;
        this.session = session;
    }

    /// Reads until the session's output ends.
    void run() throws InterruptedException {
        Scanner scanner = new Scanner();
        long at = session.output().start();
        while (true) {
            ReadResult read = session.output().read(at, READ_BYTES, Duration.ofMinutes(1));
            if (read instanceof ReadResult.End) {
                return;
            }
            if (read instanceof Chunk chunk) {
                scanner.feed(chunk.bytes(), 0, chunk.bytes().length, chunk.offset(), this);
            }
            at = read.next();
        }
    }

    @Override
    public void told(Told told) {}

    @Override
    public void query(Query query) {
        if (query.kind() == Query.Kind.MASKED
                && session.output().read(query.from(), (int) (query.to() - query.from())) instanceof Chunk chunk) {
            Matcher asked = QUESTION.matcher(new String(chunk.bytes(), StandardCharsets.ISO_8859_1));
            if (asked.matches()) {
                answer(asked, screens.look(session, OptionalLong.of(query.to())));
            }
        }
    }

    private void answer(Matcher asked, Snapshot shown) {
        int sum = 0;
        for (int row = number(asked, 2); row <= number(asked, 4); row++) {
            for (int column = number(asked, 3); column <= number(asked, 5); column++) {
                sum += character(shown.rows(), row - 1, column - 1);
            }
        }
        byte[] reply = String.format("\033P%s!~%04X\033\\", asked.group(1), -sum & 0xffff)
                .getBytes(StandardCharsets.US_ASCII);
        while (session.exit().isEmpty() && !session.reply(reply, session.foreground())) {
            LockSupport.parkNanos(100_000);
        }
    }

    private static int number(Matcher asked, int group) {
        return Integer.parseInt(asked.group(group));
    }

    /// The suite prints characters of one column only.
    private static int character(List<Row> rows, int row, int column) {
        String text = row < rows.size() ? rows.get(row).text() : "";
        return column < text.length() ? text.charAt(column) : ' ';
    }
}
