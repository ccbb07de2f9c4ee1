package dev.belay;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/// Where the logs of one [Sessions] live: a folder of its own within the state folder, locked while it is in use. If
/// the lock of a folder is free, its owner was killed, and the folder is deleted.
///
/// The lock file is created before the folder and deleted after it, so a folder whose lock is free is always stale.
public final class StateFolder implements AutoCloseable {
    private static final String SESSIONS = "sessions";
    private static final String LOCK = ".lock";
    /// The names of instances. Nothing else in the folder is ours to delete.
    private static final Pattern INSTANCE = Pattern.compile("[0-9a-f]{16}");
    /// The instances of this JVM. A sweep must not open their lock files: closing any descriptor of a file releases all
    /// POSIX locks that the process has on it.
    private static final Set<String> OWN = ConcurrentHashMap.newKeySet();

    private final String instance;
    private final Path folder;
    private final Path lockFile;
    private final FileChannel lockChannel;

    private StateFolder(String instance, Path folder, Path lockFile, FileChannel lockChannel) {
        this.instance = instance;
        this.folder = folder;
        this.lockFile = lockFile;
        this.lockChannel = lockChannel;
    }

    /// The state folder of this user: `$XDG_STATE_HOME/belay`, or `~/.local/state/belay`.
    public static Path standard(Map<String, String> env) {
        String xdg = env.getOrDefault("XDG_STATE_HOME", "");
        // The XDG specification says to ignore relative paths.
        Path base = !xdg.startsWith("/") ? Path.of(System.getProperty("user.home"), ".local", "state") : Path.of(xdg);
        return base.resolve("belay");
    }

    /// How many folders there are in a state folder.
    ///
    /// @param running folders that are in use
    /// @param killed  folders left by a [Sessions] that was killed; the next one to start deletes them
    public record Instances(int running, int killed) {}

    /// Counts the instances. Creates and deletes nothing.
    public static Instances instances(Path state) throws IOException {
        Path parent = state.resolve(SESSIONS);
        int running = 0;
        int killed = 0;
        if (Files.isDirectory(parent)) {
            try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, StateFolder::isInstance)) {
                for (Path folder : folders) {
                    if (isRunning(parent, folder)) {
                        running++;
                    } else if (isInstance(folder)) {
                        killed++;
                    }
                }
            } catch (DirectoryIteratorException e) {
                throw e.getCause();
            }
        }
        return new Instances(running, killed);
    }

    /// A folder of an instance; a link to one is not.
    private static boolean isInstance(Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)
                && INSTANCE.matcher(String.valueOf(path.getFileName())).matches();
    }

    private static boolean isRunning(Path parent, Path folder) throws IOException {
        String instance = String.valueOf(folder.getFileName());
        return OWN.contains(instance) || held(parent.resolve(instance + LOCK));
    }

    static StateFolder open(Path state) {
        return open(state, _ -> {});
    }

    /// @param killed receives the names of the instances that were killed, if there are any, before their folders are
    ///               deleted; if it fails, they are left to the next start
    static StateFolder open(Path state, Consumer<List<String>> killed) {
        Path parent = state.resolve(SESSIONS);
        try {
            String instance = HexFormat.of().formatHex(random());
            PrivateFolder.make(state).close();
            // What others planted before the state folder was closed to them is still there.
            PrivateFolder.make(parent).close();
            sweep(parent, killed);
            OWN.add(instance);
            Path lockFile = parent.resolve(instance + LOCK);
            FileChannel lock = FileChannel.open(
                    lockFile,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    ownerOnly("rw-------"));
            try {
                lock.lock();
                Path folder = Files.createDirectory(parent.resolve(instance), ownerOnly("rwx------"));
                return new StateFolder(instance, folder, lockFile, lock);
            } catch (IOException | RuntimeException e) {
                lock.close();
                throw e;
            }
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "The state folder " + state + " cannot be used (" + e
                            + "); make it writable, or choose another one.",
                    Map.of(),
                    e);
        }
    }

    /// From the kernel itself: `SecureRandom` first looks for its providers, which takes as long as starting a program.
    private static byte[] random() throws IOException {
        try (InputStream kernel = Files.newInputStream(Path.of("/dev/urandom"))) {
            return kernel.readNBytes(Long.BYTES);
        }
    }

    /// A name that no other [Sessions] has.
    String instance() {
        return instance;
    }

    Path folder() {
        return folder;
    }

    @Override
    public void close() throws IOException {
        try (lockChannel) {
            deleteFolder(folder);
            Files.deleteIfExists(lockFile);
        } finally {
            OWN.remove(instance);
        }
    }

    /// Deletes what it can. A failure, for instance because another start sweeps too, stops nobody.
    private static void sweep(Path parent, Consumer<List<String>> killed) throws IOException {
        List<Path> left = left(parent);
        if (left.isEmpty()) {
            return;
        }
        try {
            killed.accept(left.stream().map(folder -> String.valueOf(folder.getFileName())).toList());
        } catch (SessionException e) {
            // Keep the folders: the next start recognises the killed instances by them.
            Log.LOG.log(System.Logger.Level.WARNING, "could not end the processes that an earlier Belay left", e);
            return;
        }
        for (Path folder : left) {
            try {
                deleteFolder(folder);
                Files.deleteIfExists(parent.resolve(folder.getFileName() + LOCK));
            } catch (IOException | DirectoryIteratorException e) {
                Log.LOG.log(System.Logger.Level.DEBUG, "could not delete the files that an earlier Belay left", e);
            }
        }
    }

    /// The folders that are no longer in use.
    private static List<Path> left(Path parent) throws IOException {
        List<Path> left = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, StateFolder::isInstance)) {
            for (Path folder : folders) {
                try {
                    if (!isRunning(parent, folder)) {
                        left.add(folder);
                    }
                } catch (IOException e) {
                    Log.LOG.log(System.Logger.Level.DEBUG, "could not look at the files that an earlier Belay left", e);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return left;
    }

    private static boolean held(Path lockFile) throws IOException {
        if (!Files.exists(lockFile)) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            return lock == null;
        } catch (java.nio.channels.OverlappingFileLockException _) {
            // Another thread of this JVM is sweeping.
            return true;
        } catch (java.nio.file.NoSuchFileException _) {
            return false;
        }
    }

    private static void deleteFolder(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(folder);
    }

    private static FileAttribute<?>[] ownerOnly(String permissions) {
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        return posix
                ? new FileAttribute<?>[] {
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }
}
