package dev.belay.agent;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;

/// A private folder with the start-up file of one shell, and the key that stands in it. Deleted as soon as the shell
/// has shown its first prompt, so that no command can read the key there.
record StartUpFolder(Path folder, String key) implements AutoCloseable {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int KEY_BYTES = 16;

    static StartUpFolder of(ShellKind kind) {
        byte[] key = new byte[KEY_BYTES];
        RANDOM.nextBytes(key);
        try {
            // Only its owner may enter it.
            Path folder = Files.createTempDirectory("belay-shell-");
            StartUpFolder made = new StartUpFolder(folder, HexFormat.of().formatHex(key));
            boolean ready = false;
            try {
                kind.prepare(folder, made.key);
                ready = true;
                return made;
            } finally {
                if (!ready) {
                    made.close();
                }
            }
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "The start-up file of the shell cannot be written: " + e, Map.of(), e);
        }
    }

    @Override
    public void close() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            System.getLogger("dev.belay.agent").log(
                    System.Logger.Level.WARNING, "could not delete the start-up folder " + folder, e);
        }
    }
}
