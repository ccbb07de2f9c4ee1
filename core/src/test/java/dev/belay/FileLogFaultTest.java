package dev.belay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.Gap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The disk refuses an operation, once or for good. Every byte is either right or reported as missing, later bytes are
/// stored again, and no file or descriptor is left.
class FileLogFaultTest {
    private static final int APPENDS = 30;
    private static final int APPEND_BYTES = 12_000;

    @TempDir
    Path folder;

    private final Map<String, Integer> counts = new TreeMap<>();
    private int readsRefused;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = folder.toRealPath();
    }

    @AfterEach
    void lift() {
        Segment.faults = null;
    }

    @Test
    void whateverTheDiskRefusesEveryByteIsRightOrSaidToBeMissing() throws Exception {
        assertThat(unstoredWith("nothing", 0, false)).isZero();
        Map<String, Integer> known = new TreeMap<>(counts);
        assertThat(known).containsOnlyKeys("create", "delete", "move", "open", "read", "write");
        int unstored = 0;
        for (Map.Entry<String, Integer> entry : known.entrySet()) {
            for (int nth = 1; nth <= entry.getValue(); nth++) {
                unstored += unstoredWith(entry.getKey(), nth, false) > 0 ? 1 : 0;
                unstored += unstoredWith(entry.getKey(), nth, true) > 0 ? 1 : 0;
            }
        }
        assertThat(unstored).as("faults that made a gap").isPositive();
        assertThat(readsRefused).as("reads that were refused").isPositive();
    }

    /// Fills a log beyond its budget while something fails, reads it, and deletes it.
    private long unstoredWith(String what, int nth, boolean lasting) throws IOException {
        String fault = what + " " + nth + (lasting ? " and on" : "");
        counts.clear();
        Segment.Faults disk = now -> {
            int count = counts.merge(now, 1, Integer::sum);
            if (now.equals(what) && (count == nth || (lasting && count > nth))) {
                throw new IOException("the disk fails");
            }
        };
        Segment.faults = disk;
        FileLog log = new FileLog(folder, "a", Limits.MIN_LOG_BYTES);
        for (int i = 0; i < APPENDS; i++) {
            log.append(Known.buffer(log.end(), APPEND_BYTES), Known.outlet(i / 10));
            readAll(fault, log, Math.max(log.start(), log.end() - APPEND_BYTES));
        }
        assertThat(log.end()).as(fault).isEqualTo((long) APPENDS * APPEND_BYTES);
        long unstored = log.unstored();

        Segment.faults = null;
        log.append(Known.buffer(log.end(), APPEND_BYTES), Outlet.STDOUT);
        assertThat(log.unstored()).as("stored again after " + fault).isEqualTo(unstored);
        log.seal();
        long refusedBefore = readsRefused;
        assertThat(readAll(fault, log, log.start())).as("gaps after " + fault).isLessThanOrEqualTo(unstored);
        assertThat(readsRefused).as("reads refused after " + fault).isEqualTo(refusedBefore);
        Segment.faults = disk;
        log.delete();
        Segment.faults = null;
        assertThat(descriptors()).as("descriptors after " + fault).isZero();
        if (what.equals("delete")) {
            // A file that cannot be deleted goes with the folder.
            for (Path left : Folders.files(folder)) {
                Files.delete(left);
            }
        }
        assertThat(Folders.files(folder)).as("files after " + fault).isEmpty();
        return unstored;
    }

    /// Reads from an offset to the end, unless the read fails.
    ///
    /// @return how many bytes are not on the disk
    private long readAll(String fault, FileLog log, long from) {
        long missing = 0;
        try {
            for (long at = from; at < log.end();) {
                ReadResult piece = log.read(at, 1 << 20, log.end());
                assertThat(piece.next()).as(fault).isGreaterThan(at);
                if (piece instanceof Chunk chunk) {
                    assertThat(Known.are(chunk.bytes(), at)).as("bytes at %d with %s", at, fault).isTrue();
                } else if (piece instanceof Gap gap && gap.reason() == Gap.Reason.DISK_FULL) {
                    missing += gap.lostBytes();
                }
                at = piece.next();
            }
        } catch (SessionException e) {
            assertThat(e.code()).as(fault).isEqualTo(ErrorCode.INTERNAL);
            readsRefused++;
        }
        return missing;
    }

    private long descriptors() throws IOException {
        try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
            return links.filter(link -> {
                try {
                    return Files.readSymbolicLink(link).startsWith(folder);
                } catch (IOException _) {
                    // The descriptor of this listing itself.
                    return false;
                }
            }).count();
        }
    }
}
