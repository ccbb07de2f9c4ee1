package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Cursor;
import dev.belay.Limits;
import dev.belay.ReadResult;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Text;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Reading output.
public interface ReadContract extends Rig {
    @Test
    default void outputWrittenJustBeforeTheExitIsThereEveryTime() throws InterruptedException {
        for (int i = 0; i < times(1000); i++) {
            SessionSpec spec = SessionSpec.of("/bin/sh", "-c", "printf X; exit");
            try (Session session = sessions().open(i % 2 == 0 ? spec : spec.pipe())) {
                exitOf(session);
                assertThat(session.output().end()).as("the byte is there when the exit is seen").isEqualTo(1);
                assertThat(allTextOf(session)).isEqualTo("X");
            }
        }
    }

    @Test
    default void twentyKilobytesJustBeforeTheExitAreThereEveryTime() throws InterruptedException {
        String expected = "0123456789abcdef".repeat(1280);
        for (int i = 0; i < times(200); i++) {
            SessionSpec spec = SessionSpec.of("printf", "%s", expected);
            try (Session session = sessions().open(i % 2 == 0 ? spec : spec.pipe())) {
                exitOf(session);
                assertThat(session.output().end()).isEqualTo(expected.length());
                assertThat(allTextOf(session)).isEqualTo(expected);
            }
        }
    }

    @Test
    default void offsetsAreAbsoluteAndAnyPartCanBeReadAgainAfterTheExit() throws InterruptedException {
        Session session = piped("printf 0123456789");
        exitOf(session);
        assertThat(chunk(session.output().read(3, 4))).isEqualTo("3456");
        assertThat(chunk(session.output().read(8, 100))).isEqualTo("89");
        assertThat(session.output().read(10, 1)).isInstanceOf(ReadResult.End.class);
        assertThat(chunk(session.output().read(0, 1))).isEqualTo("0");
        refused(dev.belay.ErrorCode.INVALID_REQUEST, () -> session.output().read(11, 1));
        refused(dev.belay.ErrorCode.INVALID_REQUEST, () -> session.output().read(-1, 1));
        refused(dev.belay.ErrorCode.INVALID_REQUEST, () -> session.output().read(0, 0));
    }

    private static String chunk(ReadResult result) {
        return new String(((ReadResult.Chunk) result).bytes(), StandardCharsets.UTF_8);
    }

    @Test
    default void peekLooksAndDrainMoves() throws InterruptedException {
        Session session = piped("printf abcdef");
        exitOf(session);
        Cursor cursor = session.cursor();
        assertThat(chunk(cursor.peek(3))).isEqualTo("abc");
        assertThat(chunk(cursor.drain(3))).isEqualTo("abc");
        assertThat(cursor.unread()).isEqualTo(3);
        assertThat(chunk(cursor.drain(3))).isEqualTo("def");
        assertThat(cursor.drain(3)).isInstanceOf(ReadResult.End.class);
        assertThat(chunk(session.drainer().peek(2))).as("each cursor has its own position").isEqualTo("ab");
    }

    @Test
    default void aWaitingReadReturnsWithTheFirstByteAndWithTheEnd() throws Exception {
        Session session = piped("read x; printf now; read x");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<ReadResult> first = threads.submit(() -> session.output().read(0, 100, PATIENCE));
            session.writeLine("");
            assertThat(chunk(first.get())).isEqualTo("now");
            Future<ReadResult> end = threads.submit(() -> session.output().read(3, 100, PATIENCE));
            session.closeInput();
            assertThat(end.get()).isInstanceOf(ReadResult.End.class);
        }
    }

    @Test
    default void aWaitingReadGivesUpWhenItsTimeIsOver() throws InterruptedException {
        Session session = open("cat");
        assertThat(chunk(session.output().read(0, 1, Duration.ofMillis(20)))).isEmpty();
    }

    @Test
    default void severalReadersEachSeeEverything() throws Exception {
        Session session = piped("read x; seq 1 50000");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> readers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                readers.add(threads.submit(() -> allTextOf(session)));
            }
            session.writeLine("");
            String first = readers.getFirst().get();
            assertThat(first).startsWith("1\n2\n").endsWith("\n50000\n").hasLineCount(50000);
            for (Future<String> reader : readers) {
                assertThat(reader.get()).isEqualTo(first);
            }
        }
    }

    @Test
    default void theLogStaysWithinItsBudgetAndSaysWhatItDropped() throws Exception {
        Sessions small = sessions(Limits.DEFAULT.logBytes(256 << 10));
        Session session = small.open(SessionSpec.of("seq", "1", "300000").pipe());
        exitOf(session);
        long end = session.output().end();
        long start = session.output().start();
        assertThat(end).isEqualTo(1_988_895);
        assertThat(end - start).isBetween(128L << 10, 256L << 10);
        assertThat(session.output().read(0, 100))
                .isEqualTo(new ReadResult.Gap(0, start, ReadResult.Gap.Reason.DROPPED));
        assertThat(stateBytes()).isLessThanOrEqualTo(256 << 10);
        Cursor cursor = session.cursor();
        StringBuilder kept = new StringBuilder();
        for (boolean ended = false; !ended;) {
            Text text = cursor.drainText(1 << 16);
            kept.append(text.text());
            ended = text.ended();
        }
        assertThat(kept.toString()).endsWith("\n299999\n300000\n");
        assertThat(kept.length()).isEqualTo(end - start);
    }

    private long stateBytes() throws IOException {
        try (Stream<Path> files = Files.walk(state())) {
            return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
        }
    }

    @Test
    default void logFilesAreTheOwnersAlone() throws Exception {
        Session session = piped("echo x");
        exitOf(session);
        try (Stream<Path> files = Files.walk(state())) {
            for (Path file : files.toList()) {
                String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
                assertThat(mode).as(file.toString()).isEqualTo(Files.isDirectory(file) ? "rwx------" : "rw-------");
            }
        }
    }

    @Test
    default void aLosslessSessionWaitsForItsDrainerAndLosesNothing() throws InterruptedException {
        Sessions small = sessions(Limits.DEFAULT.logBytes(256 << 10));
        for (SessionSpec spec : List.of(
                SessionSpec.of("seq", "1", "300000").pipe(),
                SessionSpec.of("seq", "1", "300000")
                        .mode(new dev.belay.Mode.Pty(dev.belay.Size.DEFAULT, true, false)))) {
            Session session = small.open(spec.lossless(true));
            Cursor drainer = session.drainer();
            // Nothing is drained until the log is full and the process has to wait.
            session.cursor().await(dev.belay.Until.offset(256 << 10), PATIENCE);
            StringBuilder all = new StringBuilder();
            boolean ended = false;
            while (!ended) {
                assertThat(drainer.awaitMore(PATIENCE)).isTrue();
                Text text = drainer.drainText(1 << 16);
                assertThat(text.lostBytes()).isZero();
                all.append(text.text());
                ended = text.ended();
            }
            assertThat(all).hasSize(1_988_895);
            assertThat(all.toString()).hasLineCount(300000).endsWith("\n300000\n");
            session.close();
        }
    }

    @Test
    default void aBurstIsSeenAlthoughItMightBeTheStartOfAFlood() throws InterruptedException {
        List<Integer> bursts = List.of(1, 2047, 2048, 4095, 4096, 9000, 65_535, 65_536, 70_000, 200_000);
        String script = "stty -echo 2>/dev/null; echo ready; while read n; do head -c $n /dev/zero | tr '\\0' x; done";
        for (SessionSpec spec : List.of(
                SessionSpec.of("/bin/sh", "-c", script), SessionSpec.of("/bin/sh", "-c", script).pipe())) {
            try (Session session = sessions().open(spec)) {
                expect(session.cursor(), "ready\r?\n");
                long at = session.output().end();
                for (int burst : bursts) {
                    session.writeLine(Integer.toString(burst));
                    for (long end = at + burst; at < end;) {
                        ReadResult next = session.output().read(at, 1 << 16, PATIENCE);
                        assertThat(next.next()).as("after %s of %s bytes", end - at, burst).isGreaterThan(at);
                        at = next.next();
                    }
                }
            }
        }
    }

    @Test
    default void whatFillsTwoLargePipesIsThereWithTheExit() throws Exception {
        // Nobody drains, so Belay stops reading and both pipes are full when the process exits.
        String fill = """
                import fcntl, os
                total = 0
                for fd in (1, 2):
                    fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 1 << 20)
                for fd in (1, 2):
                    os.write(fd, b"x" * (256 << 10))
                    total += 256 << 10
                for fd in (1, 2):
                    os.set_blocking(fd, False)
                    try:
                        while True:
                            total += os.write(fd, b"x" * 4096)
                    except BlockingIOError:
                        pass
                open("total", "w").write(str(total))
                """;
        Session session = sessions(Limits.DEFAULT.logBytes(Limits.MIN_LOG_BYTES))
                .open(SessionSpec.of("python3", "-c", fill).pipe().lossless(true));
        exitOf(session);
        long total = Long.parseLong(Files.readString(workspace().resolve("total")));
        // More if Belay had already read something.
        assertThat(total).as("both pipes were full").isGreaterThanOrEqualTo(2 << 20);
        assertThat(session.output().end()).isEqualTo(total);
    }

    @Test
    default void whatSurvivorsPrintedBeforeATimeoutEndedThemIsKept() throws Exception {
        String survivor = """
                import os
                if os.fork():
                    os._exit(0)
                count = os.open("count", os.O_CREAT | os.O_WRONLY)
                written = 0
                while True:
                    written += os.write(1, b"x" * 4096)
                    os.pwrite(count, b"%012d" % written, 0)
                    if written > LOG:
                        open("full", "w").close()
                """.replace("LOG", Long.toString(Limits.MIN_LOG_BYTES));
        Session session = timedOut(
                sessions(Limits.DEFAULT.logBytes(Limits.MIN_LOG_BYTES)),
                SessionSpec.of("python3", "-c", survivor).pipe().lossless(true),
                workspace().resolve("full"));
        long written = Long.parseLong(Files.readString(workspace().resolve("count")));
        assertThat(written).as("more than the log holds").isGreaterThan(Limits.MIN_LOG_BYTES);
        assertThat(session.output().end()).as("of %s", written).isIn(written, written + 4096);
    }

    @Test
    default void textNeverSplitsACharacterAndReplacesInvalidBytes() throws InterruptedException {
        Session session = piped("""
                read x; printf 'a\\342'; read x; printf '\\202'; read x; printf '\\254b'; read x; \
                printf '\\377\\300c\\360\\237'
                """);
        Cursor cursor = session.drainer();
        session.writeLine("");
        cursor.await(dev.belay.Until.offset(2), PATIENCE);
        assertThat(cursor.drainText(100).text()).isEqualTo("a");
        session.writeLine("");
        cursor.await(dev.belay.Until.offset(3), PATIENCE);
        assertThat(cursor.drainText(100).text()).isEmpty();
        session.writeLine("");
        cursor.await(dev.belay.Until.offset(5), PATIENCE);
        assertThat(cursor.drainText(100).text()).isEqualTo("€b");
        session.writeLine("");
        exitOf(session);
        Text rest = cursor.drainText(100);
        assertThat(rest.text()).matches("\uFFFD\uFFFDc\uFFFD{1,2}");
        assertThat(rest.ended()).isTrue();
    }

    @Test
    default void textReadInTheSmallestStepsIsWhole() throws InterruptedException {
        String text = "Grüße, 世界, 😀 und é ".repeat(20);
        Session session = sessions().open(SessionSpec.of("printf", "%s", text).pipe());
        exitOf(session);
        Cursor cursor = session.cursor();
        StringBuilder all = new StringBuilder();
        for (Text part = cursor.drainText(4); !part.text().isEmpty(); part = cursor.drainText(4)) {
            all.append(part.text());
        }
        assertThat(all.toString()).isEqualTo(text);
    }

    @Test
    default void aLogOnAFullDiskShowsAGapAndTheSessionLivesOn() throws Exception {
        try (SmallDisk disk = SmallDisk.make(workspace().resolveSibling("small"))) {
            Sessions sessions = closing(dev.belay.Sessions.builder(host(workspace()))
                    .state(disk.folder())
                    .build());
            disk.fill();
            Session session = sessions.open(SessionSpec.of("/bin/sh", "-c", "seq 1 300000; read x; echo alive; read x")
                    .mode(new dev.belay.Mode.Pty(dev.belay.Size.DEFAULT, false, false)));
            session.cursor().await(dev.belay.Until.offset(1_988_895), PATIENCE);
            assertThat(sessions.stats().bytesUnstored()).isPositive();
            assertThat(gaps(session)).contains(ReadResult.Gap.Reason.DISK_FULL);
            disk.makeRoom();
            Cursor cursor = session.cursor(session.output().end());
            session.writeLine("");
            expect(cursor, "alive");
            session.close(true);
            sessions.close();
        }
    }

    private static List<ReadResult.Gap.Reason> gaps(Session session) {
        List<ReadResult.Gap.Reason> found = new ArrayList<>();
        long at = 0;
        while (at < session.output().end()) {
            ReadResult result = session.output().read(at, 1 << 20);
            if (result instanceof ReadResult.Gap gap) {
                found.add(gap.reason());
            }
            at = result.next();
        }
        return found;
    }
}
