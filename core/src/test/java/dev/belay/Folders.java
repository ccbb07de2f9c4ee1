package dev.belay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// What a test looks at on the disk.
final class Folders {
    private Folders() {}

    static List<Path> files(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static long bytes(Path folder) {
        long sum = 0;
        for (Path file : files(folder)) {
            try {
                sum += Files.size(file);
            } catch (NoSuchFileException _) {
                // It was deleted after it was listed.
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return sum;
    }

    /// This process's descriptors of files in a folder, including deleted files.
    static long descriptors(Path folder) throws IOException {
        String prefix = folder.toRealPath() + "/";
        long count = 0;
        for (Path fd : files(Path.of("/proc/self/fd"))) {
            try {
                if (Files.readSymbolicLink(fd).toString().startsWith(prefix)) {
                    count++;
                }
            } catch (NoSuchFileException _) {
                // It was closed after it was listed.
            }
        }
        return count;
    }
}
