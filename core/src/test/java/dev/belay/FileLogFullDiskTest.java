package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.Gap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileLogFullDiskTest {
    @TempDir
    Path folder;

    private static void append(FileLog log, int count) {
        log.append(Known.buffer(log.end(), count), Outlet.STDOUT);
    }

    private static List<ReadResult> readAll(FileLog log) {
        List<ReadResult> pieces = new ArrayList<>();
        for (long at = 0; at < log.end(); at = pieces.getLast().next()) {
            ReadResult piece = log.read(at, 1 << 20, log.end());
            assertThat(piece.next()).isGreaterThan(at);
            if (piece instanceof Chunk chunk) {
                assertThat(Known.are(chunk.bytes(), at)).as("bytes at %d", at).isTrue();
            }
            pieces.add(piece);
        }
        return pieces;
    }

    private static long lost(List<ReadResult> pieces, Gap.Reason reason) {
        return pieces.stream()
                .mapToLong(piece -> piece instanceof Gap gap && gap.reason() == reason ? gap.lostBytes() : 0)
                .sum();
    }

    @Test
    void whatAFolderThatIsGoneDoesNotTakeIsAGapAndLaterBytesAreReadable() throws Exception {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        FileLog log = new FileLog(inner, "a", Limits.MIN_LOG_BYTES);
        Files.delete(inner);
        append(log, 1000);
        append(log, 500);
        assertThat(log.unstored()).isEqualTo(1500);
        assertThat(log.read(0, 10, log.end())).isEqualTo(new Gap(0, 1500, Gap.Reason.DISK_FULL));
        assertThat(log.read(700, 10, log.end())).isEqualTo(new Gap(700, 800, Gap.Reason.DISK_FULL));

        Files.createDirectory(inner);
        append(log, 2000);
        assertThat(log.unstored()).isEqualTo(1500);
        assertThat(log.read(1500, 5000, log.end())).isInstanceOfSatisfying(
                Chunk.class, chunk -> assertThat(chunk.bytes()).isEqualTo(Known.bytes(1500, 2000)));
        log.delete();
        assertThat(Folders.files(inner)).isEmpty();
    }

    @Test
    void holesAreDroppedWithTheBudgetLikeEverythingElse() throws Exception {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        FileLog log = new FileLog(inner, "a", Limits.MIN_LOG_BYTES);
        for (int i = 0; i < 200; i++) {
            append(log, 3000);
            for (Path file : Folders.files(inner)) {
                Files.delete(file);
            }
            Files.delete(inner);
            append(log, 70_000);
            Files.createDirectory(inner);
        }
        assertThat(log.end()).isEqualTo(200 * 73_000);
        assertThat(log.end() - log.start()).isLessThanOrEqualTo(4 * Limits.MIN_LOG_BYTES);
        assertThat(log.read(0, 1, log.end())).isEqualTo(new Gap(0, log.start(), Gap.Reason.DROPPED));
    }

    @Test
    void aFullDiskMakesAGapAndRoomMakesTheLogWholeAgain() throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        boolean mounted = mount(disk);
        try {
            if (mounted) {
                fillAndEmpty(disk);
            } else {
                // Only root may mount. A file in place of the folder refuses the bytes, too.
                Files.delete(disk);
                Files.createFile(disk);
                FileLog log = new FileLog(disk, "a", Limits.MIN_LOG_BYTES);
                append(log, 500_000);
                assertThat(log.unstored()).isEqualTo(500_000);
                assertThat(lost(readAll(log), Gap.Reason.DISK_FULL)).isEqualTo(500_000);
            }
        } finally {
            if (mounted) {
                assertThat(run("umount", disk.toString())).isZero();
            }
        }
    }

    private static void fillAndEmpty(Path disk) throws IOException {
        Path ballast = disk.resolve("ballast");
        Files.write(ballast, new byte[100 << 10]);
        FileLog log = new FileLog(disk, "a", 512 << 10);
        for (int i = 0; i < 60; i++) {
            append(log, 5000);
        }
        assertThat(log.end()).isEqualTo(300_000);
        assertThat(log.unstored()).isBetween(100_000L, 250_000L);
        List<ReadResult> pieces = readAll(log);
        assertThat(pieces.getFirst()).isInstanceOf(Chunk.class);
        assertThat(pieces.getLast()).isInstanceOf(Gap.class);
        assertThat(lost(pieces, Gap.Reason.DISK_FULL)).isEqualTo(log.unstored());
        assertThat(lost(pieces, Gap.Reason.DROPPED)).isZero();

        Files.delete(ballast);
        long refused = log.unstored();
        append(log, 20_000);
        assertThat(log.unstored()).isEqualTo(refused);
        assertThat(((Chunk) log.read(300_000, 50_000, log.end())).bytes()).isEqualTo(Known.bytes(300_000, 20_000));

        // Far beyond disk and budget: the log goes on, reports what is lost, and keeps few files.
        for (int i = 0; i < 3000; i++) {
            append(log, 5000);
        }
        assertThat(log.end()).isEqualTo(15_320_000);
        assertThat(Folders.files(disk)).hasSizeLessThanOrEqualTo(33);
        pieces = readAll(log);
        assertThat(lost(pieces, Gap.Reason.DROPPED)).isEqualTo(log.start());

        log.delete();
        assertThat(Folders.files(disk)).isEmpty();
        assertThat(Folders.descriptors(disk)).isZero();
    }

    private static boolean mount(Path disk) throws Exception {
        return "root".equals(System.getProperty("user.name"))
                && run("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk.toString()) == 0;
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
