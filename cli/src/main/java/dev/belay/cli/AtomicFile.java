package dev.belay.cli;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/// Writes a file so that it is the old one or the new one at every moment, even after a crash.
final class AtomicFile {
    private AtomicFile() {}

    /// Replaces a file, or makes it with its folder. It keeps its owner and permissions; a new one has mode 0600.
    ///
    /// @param target not a symbolic link
    static void write(Path target, String text) throws IOException {
        Path folder = Files.createDirectories(target.toAbsolutePath().getParent());
        Path temporary = Files.createTempFile(
                folder, ".belay-", ".new",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            try (FileChannel to = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                var bytes = StandardCharsets.UTF_8.encode(text);
                while (bytes.hasRemaining()) {
                    to.write(bytes);
                }
                to.force(true);
            }
            if (Files.exists(target)) {
                keep(Files.readAttributes(target, PosixFileAttributes.class), temporary);
            }
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private static void keep(PosixFileAttributes facts, Path file) throws IOException {
        PosixFileAttributes made = Files.readAttributes(file, PosixFileAttributes.class);
        if (!made.owner().equals(facts.owner())) {
            Files.setOwner(file, facts.owner());
        }
        if (!made.group().equals(facts.group())) {
            Files.getFileAttributeView(file, java.nio.file.attribute.PosixFileAttributeView.class)
                    .setGroup(facts.group());
        }
        Files.setPosixFilePermissions(file, facts.permissions());
    }
}
