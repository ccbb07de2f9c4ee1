package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An empty folder for one session, which only its user can enter. It is deleted with all that the session has left in
/// it.
final class OwnFolder implements AutoCloseable {
    /// Each level takes a descriptor. Folders nested deeper are left in place.
    private static final int MAX_DEPTH = 100;
    /// A session may leave more than can be deleted while somebody waits for its end.
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Path path;

    /// @param user whose it is; null: Belay's own
    OwnFolder(Sandbox.@Nullable User user) {
        try {
            path = Files.createTempDirectory("belay-own-").toRealPath();
            if (user != null) {
                Files.setAttribute(path, "unix:gid", user.gid());
                Files.setAttribute(path, "unix:uid", user.uid());
            }
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.SPAWN_FAILED, "The sandbox cannot get a folder of its own: " + e + ".", Map.of(), e);
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        try (DirectoryStream<Path> content = Files.newDirectoryStream(path)) {
            empty((SecureDirectoryStream<Path>) content, 0, System.nanoTime() + PATIENCE.toNanos());
            Files.delete(path);
        } catch (NoSuchFileException _) {
            // It was closed before.
        } catch (IOException e) {
            Log.LOG.log(System.Logger.Level.WARNING, "cannot delete all that a sandbox has left in " + path + ": " + e);
        }
    }

    /// By descriptors, since a process that could not be ended may put links in the place of folders meanwhile.
    private static void empty(SecureDirectoryStream<Path> folder, int depth, long until) throws IOException {
        for (Path one : folder) {
            Path name = one.getFileName();
            if (System.nanoTime() > until) {
                throw new IOException("there is too much");
            }
            if (!isFolder(folder, name)) {
                folder.deleteFile(name);
                continue;
            }
            if (depth == MAX_DEPTH) {
                throw new IOException("folders are nested too deeply");
            }
            try (SecureDirectoryStream<Path> inner = entered(folder, name)) {
                empty(inner, depth + 1, until);
            }
            folder.deleteDirectory(name);
        }
    }

    private static boolean isFolder(SecureDirectoryStream<Path> folder, Path name) throws IOException {
        return view(folder, name).readAttributes().isDirectory();
    }

    private static PosixFileAttributeView view(SecureDirectoryStream<Path> folder, Path name) {
        return folder.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    }

    private static SecureDirectoryStream<Path> entered(SecureDirectoryStream<Path> folder, Path name)
            throws IOException {
        // Some tools leave folders that even their owner cannot write.
        view(folder, name).setPermissions(PosixFilePermissions.fromString("rwx------"));
        return folder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
    }
}
