package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A folder for one session, which only its user can enter. It is deleted with all that the session has left in it.
final class OwnFolder implements AutoCloseable {
    /// Each level takes a descriptor. Folders nested deeper are left in place.
    private static final int MAX_DEPTH = 100;
    /// A session may leave more than can be deleted while somebody waits for its end.
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Path path;

    /// Puts the first files into a folder.
    @FunctionalInterface
    interface Content {
        void fill(Path folder) throws IOException;
    }

    /// @param user whose it is; null: Belay's own
    OwnFolder(Sandbox.@Nullable User user) {
        this(user, _ -> {});
    }

    /// @param content fills it while nobody else can enter it
    OwnFolder(Sandbox.@Nullable User user, Content content) {
        Path made = null;
        try {
            made = Files.createTempDirectory("belay-own-").toRealPath();
            content.fill(made);
            if (user != null) {
                // From the inside out: once the folder is the user's, names in it may change.
                List<Path> all;
                try (Stream<Path> tree = Files.walk(made)) {
                    all = tree.toList();
                }
                for (Path one : all.reversed()) {
                    Files.setAttribute(one, "unix:gid", user.gid(), LinkOption.NOFOLLOW_LINKS);
                    Files.setAttribute(one, "unix:uid", user.uid(), LinkOption.NOFOLLOW_LINKS);
                }
            }
            path = made;
        } catch (IOException e) {
            if (made != null) {
                delete(made);
            }
            throw new SessionException(
                    ErrorCode.SPAWN_FAILED, "The sandbox cannot get a folder of its own: " + e + ".", Map.of(), e);
        }
    }

    Path path() {
        return path;
    }

    /// A mount of one of its files.
    Mount mount(String name, Path at, boolean writable) {
        FileFacts facts = with(files -> files.look(name));
        if (facts == null) {
            throw Spawner.failed("find " + name + " in a folder of its own", Errno.ENOENT);
        }
        return Mount.of(at, path.resolve(name), writable, facts);
    }

    /// The content of a file that the session may have changed; null if it is no regular file, or too large.
    byte @Nullable [] read(String name, int maxBytes) {
        return with(files -> files.read(name, maxBytes));
    }

    private interface Use<T> {
        @Nullable T of(Beneath files);
    }

    private <T> @Nullable T with(Use<T> use) {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            int fd = libc.open(arena.allocateFrom(path.toString()), Abi.O_PATH | Abi.O_CLOEXEC);
            if (fd < 0) {
                throw Spawner.failed("open " + path, -fd);
            }
            try {
                return use.of(new Beneath(libc, arena, fd));
            } finally {
                libc.close(fd);
            }
        }
    }

    @Override
    public void close() {
        delete(path);
    }

    private static void delete(Path path) {
        if (empty(path)) {
            try {
                Files.deleteIfExists(path);
            } catch (IOException e) {
                told(path, e);
            }
        }
    }

    /// Deletes all that is in a folder.
    ///
    /// @return whether nothing is left
    static boolean empty(Path path) {
        try (DirectoryStream<Path> content = Files.newDirectoryStream(path)) {
            empty((SecureDirectoryStream<Path>) content, 0, System.nanoTime() + PATIENCE.toNanos());
            return true;
        } catch (NoSuchFileException _) {
            // It was deleted before.
            return false;
        } catch (IOException e) {
            told(path, e);
            return false;
        }
    }

    private static void told(Path path, IOException e) {
        Log.LOG.log(System.Logger.Level.WARNING, "cannot delete all that a sandbox has left in " + path + ": " + e);
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
