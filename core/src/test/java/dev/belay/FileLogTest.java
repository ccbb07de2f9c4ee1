package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.Gap;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileLogTest {
    private static final long BUDGET = Limits.MIN_LOG_BYTES;

    @TempDir
    Path folder;

    private FileLog log(long budget) {
        return new FileLog(folder, "a", budget);
    }

    private static void append(FileLog log, int count, Outlet outlet) {
        log.append(Known.buffer(log.end(), count), outlet);
    }

    private static void append(FileLog log, int count) {
        append(log, count, Outlet.STDOUT);
    }

    private static ReadResult read(FileLog log, long from, int max) {
        return log.read(from, max, log.end());
    }

    /// Reads from an offset to the end. Checks every byte, and that nothing is skipped.
    private static List<ReadResult> readAll(FileLog log, long from) {
        List<ReadResult> pieces = new ArrayList<>();
        long end = log.end();
        for (long at = from; at < end; at = pieces.getLast().next()) {
            ReadResult piece = log.read(at, 1 << 20, end);
            assertThat(piece.next()).isGreaterThan(at);
            if (piece instanceof Chunk chunk) {
                assertThat(Known.are(chunk.bytes(), at)).as("bytes at %d", at).isTrue();
            }
            pieces.add(piece);
        }
        return pieces;
    }

    @Test
    void nothingIsOnDiskBeforeTheFirstByte() {
        FileLog log = log(BUDGET);
        log.resized(Size.DEFAULT);
        log.hold(0);
        assertThat(read(log, 0, 10)).isInstanceOfSatisfying(Chunk.class, chunk -> assertThat(chunk.bytes()).isEmpty());
        log.seal();
        log.delete();
        assertThat(Folders.files(folder)).isEmpty();
    }

    @Test
    void offsetsCountFromTheVeryFirstByteWhateverWasDropped() {
        FileLog log = log(BUDGET);
        for (int i = 0; i < 100; i++) {
            append(log, 10_007);
        }
        assertThat(log.end()).isEqualTo(1_000_700);
        assertThat(log.start()).isPositive();
        assertThat(read(log, 1_000_000, 100)).isInstanceOfSatisfying(Chunk.class, chunk -> {
            assertThat(chunk.offset()).isEqualTo(1_000_000);
            assertThat(chunk.next()).isEqualTo(1_000_100);
            assertThat(chunk.bytes()).isEqualTo(Known.bytes(1_000_000, 100));
        });
    }

    @Test
    void filesAreTheOwnersAlone() throws Exception {
        FileLog log = log(BUDGET);
        append(log, 100_000);
        assertThat(Folders.files(folder)).hasSize(2);
        for (Path file : Folders.files(folder)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {128 << 10, (128 << 10) + 1, 200_000, 512 << 10, 777_777, 1 << 20, 3_000_000, 8 << 20})
    void theFilesNeverExceedTheBudgetAndFillMostOfIt(long budget) {
        Random random = new Random(budget);
        FileLog log = log(budget);
        long total = 0;
        while (total < 3 * budget + (1 << 20)) {
            int count = 1 + random.nextInt(random.nextInt(5) == 0 ? 100 : 150_000);
            append(log, count, random.nextInt(4) == 0 ? Outlet.STDERR : Outlet.STDOUT);
            total += count;
            // The newest file may be a reused one, which keeps its old length until it is full or sealed.
            assertThat(Folders.bytes(folder)).isBetween(log.end() - log.start(), budget);
        }
        log.seal();
        assertThat(Folders.bytes(folder)).isEqualTo(log.end() - log.start());
        assertThat(log.end()).isEqualTo(total);
        assertThat(log.end() - log.start()).isGreaterThanOrEqualTo(budget / 2);
        assertThat(log.unstored()).isZero();
    }

    @Test
    void aDroppedFileIsUsedAgainAndHoldsNothingOfItsFormerBytes() throws Exception {
        FileLog log = log(BUDGET);
        append(log, 1);
        Object first = Files.readAttributes(Folders.files(folder).getFirst(), BasicFileAttributes.class).fileKey();
        while (log.start() == 0) {
            append(log, 1000);
        }
        List<Path> files = Folders.files(folder);
        assertThat(files).anySatisfy(
                file -> assertThat(Files.readAttributes(file, BasicFileAttributes.class).fileKey()).isEqualTo(first));
        log.seal();
        assertThat(Folders.bytes(folder)).isEqualTo(log.end() - log.start());
        readAll(log, log.start());
        log.delete();
        assertThat(Folders.files(folder)).isEmpty();
    }

    @Test
    void aGapIsReportedWhereOldBytesWereDropped() {
        FileLog log = log(BUDGET);
        append(log, 500_000);
        long start = log.start();
        assertThat(read(log, 0, 10)).isEqualTo(new Gap(0, start, Gap.Reason.DROPPED));
        assertThat(read(log, start - 1, 10)).isEqualTo(new Gap(start - 1, 1, Gap.Reason.DROPPED));
        assertThat(read(log, start, 10)).isInstanceOf(Chunk.class);
        assertThat(log.read(0, 10, 5)).as("a gap ends at the limit").isEqualTo(new Gap(0, 5, Gap.Reason.DROPPED));
    }

    @Test
    void aChunkIsOfOneOutlet() {
        FileLog log = log(BUDGET);
        append(log, 3, Outlet.STDOUT);
        append(log, 4, Outlet.STDERR);
        append(log, 5, Outlet.STDERR);
        append(log, 1, Outlet.STDOUT);
        assertThat(readAll(log, 0)).map(ReadResult::next).containsExactly(3L, 12L, 13L);
        assertThat(readAll(log, 0)).map(piece -> ((Chunk) piece).outlet())
                .containsExactly(Outlet.STDOUT, Outlet.STDERR, Outlet.STDOUT);
        assertThat(((Chunk) read(log, 11, 100)).outlet()).isEqualTo(Outlet.STDERR);
    }

    @Test
    void aReadGivesAtMostWhatIsAskedForAndNothingBeyondTheLimit() {
        FileLog log = log(BUDGET);
        append(log, 1000);
        assertThat(((Chunk) read(log, 10, 7)).bytes()).isEqualTo(Known.bytes(10, 7));
        assertThat(((Chunk) log.read(10, 100, 15)).bytes()).isEqualTo(Known.bytes(10, 5));
        assertThat(((Chunk) log.read(10, 100, 10)).bytes()).isEmpty();
    }

    @Test
    void outletsThatAlternateWithEachByteAreBounded() {
        FileLog log = log(8 << 20);
        for (int i = 0; i < 150_000; i++) {
            append(log, 1, i % 2 == 0 ? Outlet.STDOUT : Outlet.STDERR);
        }
        assertThat(Folders.files(folder)).hasSizeLessThanOrEqualTo(32);
        assertThat(log.end()).isEqualTo(150_000);
        long at = log.start();
        assertThat(at).isPositive();
        for (; at < log.end(); at++) {
            Chunk chunk = (Chunk) read(log, at, 100);
            if (chunk.bytes().length != 1
                    || chunk.bytes()[0] != Known.at(at)
                    || chunk.outlet() != (at % 2 == 0 ? Outlet.STDOUT : Outlet.STDERR)) {
                throw new AssertionError("wrong byte or outlet at " + at);
            }
        }
    }

    @Test
    void heldBytesAreNeverDropped() {
        FileLog log = log(BUDGET);
        log.hold(0);
        assertThat(log.full()).isFalse();
        append(log, (int) BUDGET - 1);
        assertThat(log.full()).isFalse();
        append(log, 1);
        assertThat(log.full()).isTrue();
        append(log, 300_000);
        assertThat(log.start()).isZero();
        assertThat(readAll(log, 0)).allMatch(Chunk.class::isInstance);
    }

    @Test
    void drainedBytesMakeRoomAgain() {
        FileLog log = log(BUDGET);
        long drained = 0;
        log.hold(0);
        for (int i = 0; i < 200; i++) {
            while (!log.full()) {
                append(log, 5000);
            }
            drained += 7000;
            log.hold(drained);
            assertThat(log.start()).isLessThanOrEqualTo(drained);
            assertThat(readAll(log, drained)).allMatch(Chunk.class::isInstance);
        }
        assertThat(Folders.bytes(folder)).isLessThanOrEqualTo(2 * BUDGET);
        log.hold(log.end());
        assertThat(log.full()).isFalse();
    }

    @Test
    void aHeldLogThatAlternatesIsFullBeforeItHasVeryManyFiles() {
        FileLog log = log(8 << 20);
        log.hold(0);
        for (int i = 0; i < 150_000 && !log.full(); i++) {
            append(log, 1, i % 2 == 0 ? Outlet.STDOUT : Outlet.STDERR);
        }
        assertThat(log.full()).isTrue();
        assertThat(Folders.files(folder)).hasSizeLessThanOrEqualTo(33);
        assertThat(log.start()).isZero();
        log.hold(log.end());
        assertThat(log.full()).as("drained").isFalse();
        for (int i = 0; i < 10_000; i++) {
            append(log, 1, i % 2 == 0 ? Outlet.STDOUT : Outlet.STDERR);
        }
        assertThat(Folders.files(folder)).hasSizeLessThanOrEqualTo(33);
    }

    @Test
    void resizesAreKeptWithTheirOffsetAndTheOldestOfVeryManyAreForgotten() {
        FileLog log = log(BUDGET);
        log.resized(new Size(80, 24));
        append(log, 10);
        log.resized(new Size(100, 30));
        assertThat(log.resizes()).containsExactly(
                new OutputLog.Resize(0, new Size(80, 24)), new OutputLog.Resize(10, new Size(100, 30)));
        for (int i = 1; i <= 1000; i++) {
            log.resized(new Size(i, i));
        }
        assertThat(log.resizes()).hasSize(256).last().isEqualTo(new OutputLog.Resize(10, new Size(1000, 1000)));
    }

    @Test
    void deleteRemovesEveryFileAndClosesEveryDescriptor() throws Exception {
        FileLog log = log(8 << 20);
        append(log, 7 << 20);
        readAll(log, 0);
        assertThat(Folders.descriptors(folder)).isPositive();
        log.delete();
        assertThat(Folders.files(folder)).isEmpty();
        assertThat(Folders.descriptors(folder)).isZero();
        assertThat(log.start()).isEqualTo(log.end());
    }

    @Test
    void aSealedLogThatWasReadHoldsNoDescriptors() throws Exception {
        FileLog log = log(8 << 20);
        append(log, 7 << 20);
        log.seal();
        assertThat(readAll(log, 0)).allMatch(Chunk.class::isInstance);
        assertThat(Folders.descriptors(folder)).as("a hundred exited sessions are kept").isZero();
    }

    @Test
    void droppedSegmentsCloseTheirDescriptors() throws Exception {
        FileLog log = log(BUDGET);
        for (int i = 0; i < 200; i++) {
            append(log, 40_000);
            readAll(log, log.start());
        }
        assertThat(Folders.descriptors(folder)).isLessThanOrEqualTo(4);
    }

    @Test
    void aFileThatDisappearsIsReportedAndDoesNotHang() throws Exception {
        FileLog log = log(BUDGET);
        append(log, 1000);
        for (Path file : Folders.files(folder)) {
            Files.write(file, new byte[10]);
        }
        org.assertj.core.api.Assertions.assertThatExceptionOfType(SessionException.class)
                .isThrownBy(() -> read(log, 0, 1000))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERNAL));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void randomAppendsAndReadsAgreeWithAModel(long seed) {
        Random random = new Random(seed);
        long budget = BUDGET + random.nextInt(1 << 20);
        FileLog log = log(budget);
        Outlet[] outlets = new Outlet[6 << 20];
        while (log.end() < 5 << 20) {
            int count = random.nextInt(3) == 0 ? 1 + random.nextInt(200 << 10) : 1 + random.nextInt(300);
            Outlet outlet = Known.outlet(random.nextInt(2));
            java.util.Arrays.fill(outlets, (int) log.end(), (int) log.end() + count, outlet);
            append(log, count, outlet);

            long from = random.nextBoolean()
                    ? (long) (random.nextDouble() * log.end())
                    : Math.max(0, log.end() - random.nextInt((int) budget));
            int max = 1 + random.nextInt(300 << 10);
            switch (read(log, from, max)) {
                case Gap gap -> assertThat(gap).isEqualTo(new Gap(from, log.start() - from, Gap.Reason.DROPPED));
                case Chunk chunk -> {
                    assertThat(from).isGreaterThanOrEqualTo(log.start());
                    assertThat(chunk.bytes()).hasSizeBetween(1, max);
                    assertThat(Known.are(chunk.bytes(), from)).isTrue();
                    for (long at = from; at < chunk.next(); at++) {
                        if (outlets[(int) at] != chunk.outlet()) {
                            throw new AssertionError("wrong outlet at " + at);
                        }
                    }
                }
                case ReadResult.End end -> throw new AssertionError(end);
            }
        }
        assertThat(Folders.bytes(folder)).isLessThanOrEqualTo(budget);
        List<ReadResult> all = readAll(log, 0);
        assertThat(all).filteredOn(Gap.class::isInstance).hasSize(1).first()
                .isEqualTo(new Gap(0, log.start(), Gap.Reason.DROPPED));
        log.delete();
        assertThat(Folders.files(folder)).isEmpty();
    }
}
