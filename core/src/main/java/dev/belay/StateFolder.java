package dev.belay;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/// Where the logs of one [Sessions] live: a folder of its own within the state folder, held by a lock as long as it
/// is used. What killed ones left behind is recognised by its lock being free, and deleted.
///
/// The lock file is made before the folder and deleted after it, so a folder without a held lock is always stale.
public final class StateFolder implements AutoCloseable {
    private static final String SESSIONS = "sessions";
    private static final String LOCK = ".lock";
    /// The instances of this JVM. Their lock files are not to be opened by a sweep: to close any descriptor of a file
    /// gives up all POSIX locks that the process has on it.
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

    /// The state folder of this user: `$XDG_STATE_HOME/belay`, else `~/.local/state/belay`.
    public static Path standard(Map<String, String> env) {
        String xdg = env.getOrDefault("XDG_STATE_HOME", "");
        // The XDG specification has relative paths ignored.
        Path base = !xdg.startsWith("/") ? Path.of(System.getProperty("user.home"), ".local", "state") : Path.of(xdg);
        return base.resolve("belay");
    }

    /// Whose folders there are in a state folder.
    ///
    /// @param running of a [Sessions] that lives
    /// @param killed  left by one that was killed; the next one to start deletes them
    public record Instances(int running, int killed) {}

    /// Counts the instances. Makes nothing and deletes nothing.
    public static Instances instances(Path state) throws IOException {
        Path parent = state.resolve(SESSIONS);
        int running = 0;
        int killed = 0;
        if (Files.isDirectory(parent)) {
            try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, Files::isDirectory)) {
                for (Path folder : folders) {
                    if (isRunning(parent, folder)) {
                        running++;
                    } else if (Files.isDirectory(folder)) {
                        killed++;
                    }
                }
            } catch (DirectoryIteratorException e) {
                throw e.getCause();
            }
        }
        return new Instances(running, killed);
    }

    private static boolean isRunning(Path parent, Path folder) throws IOException {
        String instance = String.valueOf(folder.getFileName());
        return OWN.contains(instance) || held(parent.resolve(instance + LOCK));
    }

    static StateFolder open(Path state) {
        return open(state, _ -> {});
    }

    /// @param killed told the names of the instances that were killed, if there are any, before what they left is deleted;
    ///               if it fails, that is left to the next start
    static StateFolder open(Path state, Consumer<List<String>> killed) {
        Path parent = state.resolve(SESSIONS);
        byte[] random = new byte[8];
        new SecureRandom().nextBytes(random);
        String instance = HexFormat.of().formatHex(random);
        try {
            Files.createDirectories(parent, ownerOnly("rwx------"));
            tighten(parent);
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

    /// Deletes what it can; what it cannot, for instance because another start sweeps too, stops nobody.
    private static void sweep(Path parent, Consumer<List<String>> killed) throws IOException {
        List<Path> left = left(parent);
        if (left.isEmpty()) {
            return;
        }
        try {
            killed.accept(left.stream().map(folder -> String.valueOf(folder.getFileName())).toList());
        } catch (SessionException e) {
            // The folders are what the next start knows them by.
            Log.LOG.log(System.Logger.Level.WARNING, "what an earlier Belay left could not be ended", e);
            return;
        }
        for (Path folder : left) {
            try {
                deleteFolder(folder);
                Files.deleteIfExists(parent.resolve(folder.getFileName() + LOCK));
            } catch (IOException | DirectoryIteratorException e) {
                Log.LOG.log(System.Logger.Level.DEBUG, "what an earlier Belay left could not be deleted", e);
            }
        }
    }

    /// The folders that nobody uses any more.
    private static List<Path> left(Path parent) throws IOException {
        List<Path> left = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, Files::isDirectory)) {
            for (Path folder : folders) {
                try {
                    if (!isRunning(parent, folder)) {
                        left.add(folder);
                    }
                } catch (IOException e) {
                    Log.LOG.log(System.Logger.Level.DEBUG, "what an earlier Belay left could not be looked at", e);
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
            // Another thread of this JVM sweeps at this moment.
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

    /// A folder that was there before may be open to others.
    private static void tighten(Path parent) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(parent, PosixFileAttributeView.class);
        if (view != null) {
            view.setPermissions(PosixFilePermissions.fromString("rwx------"));
        }
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
