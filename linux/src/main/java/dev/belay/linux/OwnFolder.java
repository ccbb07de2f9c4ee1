package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A folder for one session, which only its user can enter. It is deleted with all that the session has left in it.
final class OwnFolder implements AutoCloseable {
    /// A session may leave more than can be deleted while somebody waits for its end.
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Path path;
    private final int fd;
    private final AtomicBoolean closed = new AtomicBoolean();

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
        int opened = -1;
        boolean done = false;
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            try {
                made = Files.createTempDirectory("belay-own-").toRealPath();
                opened = libc.open(
                        arena.allocateFrom(made.toString()),
                        Abi.O_RDONLY | Abi.O_CLOEXEC | Abi.current().oDirectory() | Abi.current().oNofollow());
                if (opened < 0) {
                    throw Spawner.failed("open " + made, -opened);
                }
                content.fill(made);
                if (user != null) {
                    hand(made, user);
                }
                done = true;
            } finally {
                if (!done && opened >= 0) {
                    new Beneath(libc, arena, opened).empty(".", Instant.now().plus(PATIENCE));
                    libc.close(opened);
                }
                if (!done && made != null) {
                    Files.deleteIfExists(made);
                }
            }
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.SPAWN_FAILED, "The sandbox cannot get a folder of its own: " + e + ".", Map.of(), e);
        }
        this.path = made;
        this.fd = opened;
    }

    /// From the inside out: once the folder is the user's, names in it may change.
    private static void hand(Path folder, Sandbox.User user) throws IOException {
        List<Path> all;
        try (Stream<Path> tree = Files.walk(folder)) {
            all = tree.toList();
        }
        for (Path one : all.reversed()) {
            Files.setAttribute(one, "unix:gid", user.gid(), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(one, "unix:uid", user.uid(), LinkOption.NOFOLLOW_LINKS);
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
            return use.of(new Beneath(new Libc(arena), arena, fd));
        }
    }

    /// The folder's name may lead elsewhere by now, so it is emptied by its descriptor. The name is removed if it still
    /// is an empty folder.
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            try {
                boolean empty = new Beneath(libc, arena, fd).empty(".", Instant.now().plus(PATIENCE));
                if (!empty || !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                    throw new IOException("too much, nested too deeply, or moved");
                }
                Files.delete(path);
            } catch (IOException e) {
                Log.LOG.log(
                        System.Logger.Level.WARNING,
                        "cannot delete all that a sandbox has left in " + path + ": " + e.getMessage());
            } finally {
                libc.close(fd);
            }
        }
    }
}
