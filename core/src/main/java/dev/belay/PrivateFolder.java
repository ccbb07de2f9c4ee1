package dev.belay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A folder that belongs to the user who runs Belay and that nobody else may enter, held open by its descriptor.
///
/// Owner and permissions are read from the descriptor, and files are opened relative to it, so swapping the folder
/// changes nothing. Anything that others may have planted is refused, with the command that fixes it. Every method
/// blocks on the disk.
public final class PrivateFolder implements AutoCloseable {
    private static final Set<PosixFilePermission> OTHERS = EnumSet.complementOf(EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE));
    /// The key of the detail that holds the command to run.
    public static final String FIX = "fix";

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path path;
    private final SecureDirectoryStream<Path> folder;

    private PrivateFolder(Path path, SecureDirectoryStream<Path> folder) {
        this.path = path;
        this.folder = folder;
    }

    /// Opens a folder. Creates it first, with permissions 0700, if there is none.
    public static PrivateFolder make(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            Files.createDirectories(
                    path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        return open(path);
    }

    /// Opens a folder that exists.
    ///
    /// @throws NoSuchFileException if it does not
    @SuppressWarnings("StreamResourceLeak") // the folder that is returned owns the stream
    public static PrivateFolder open(Path path) throws IOException {
        DirectoryStream<Path> stream = Files.newDirectoryStream(path);
        try {
            if (!(stream instanceof SecureDirectoryStream<Path> folder)) {
                throw new IOException("this system does not open files relative to a folder");
            }
            PosixFileAttributes facts = folder.getFileAttributeView(PosixFileAttributeView.class).readAttributes();
            requireOwn("folder", path, facts, "chmod 700 ");
            return new PrivateFolder(path, folder);
        } catch (IOException | RuntimeException e) {
            stream.close();
            throw e;
        }
    }

    /// The text of a small file; empty if there is none. Refuses links, and files that others own, may read or may
    /// write.
    public Optional<String> read(String name, int maxBytes) throws IOException {
        Path file = Path.of(name);
        PosixFileAttributes facts;
        try {
            facts = folder.getFileAttributeView(file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes();
        } catch (NoSuchFileException _) {
            return Optional.empty();
        }
        if (!facts.isRegularFile()) {
            throw refused(path.resolve(name) + " is not a plain file; delete it: ", "rm ", path.resolve(name));
        }
        requireOwn("file", path.resolve(name), facts, "chmod 600 ");
        ByteBuffer bytes = ByteBuffer.allocate(maxBytes);
        try (SeekableByteChannel in =
                folder.newByteChannel(file, Set.<OpenOption>of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
            while (bytes.hasRemaining() && in.read(bytes) >= 0) {
                // Read to the end.
            }
        }
        return Optional.of(StandardCharsets.UTF_8.decode(bytes.flip()).toString());
    }

    /// Creates a file with permissions 0600, whole or not at all, unless there is one with that name.
    ///
    /// @return false if there is one
    public boolean add(String name, String text) throws IOException {
        Path part = part(name, text);
        try {
            // By a link: unlike a rename, it never replaces a file that another process has just created.
            Files.createLink(path.resolve(name), path.resolve(part));
            return true;
        } catch (FileAlreadyExistsException _) {
            return false;
        } finally {
            folder.deleteFile(part);
        }
    }

    /// Creates or replaces a file, with permissions 0600, whole or not at all.
    public void replace(String name, String text) throws IOException {
        Path part = part(name, text);
        try {
            folder.move(part, folder, Path.of(name));
        } catch (IOException e) {
            folder.deleteFile(part);
            throw e;
        }
    }

    /// Writes the text to a file with a temporary name.
    private Path part(String name, String text) throws IOException {
        byte[] random = new byte[8];
        RANDOM.nextBytes(random);
        Path part = Path.of(name + ".part-" + HexFormat.of().formatHex(random));
        try (SeekableByteChannel out = folder.newByteChannel(
                part,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
            return part;
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (IOException e) {
            deleteIfThere(part);
            throw e;
        }
    }

    private void deleteIfThere(Path file) throws IOException {
        try {
            folder.deleteFile(file);
        } catch (NoSuchFileException _) {
            // It was never created.
        }
    }

    public void delete(String name) throws IOException {
        deleteIfThere(Path.of(name));
    }

    @Override
    public void close() throws IOException {
        folder.close();
    }

    private static void requireOwn(String what, Path path, PosixFileAttributes facts, String fix) throws IOException {
        UserPrincipal self = self();
        if (!facts.owner().equals(self)) {
            throw refused("The " + what + " " + path + " belongs to " + facts.owner().getName()
                    + ", not to you; use another state folder, or: ", "chown " + self.getName() + " ", path);
        }
        Set<PosixFilePermission> open = EnumSet.copyOf(OTHERS);
        open.retainAll(facts.permissions());
        if (!open.isEmpty()) {
            throw refused("The " + what + " " + path + " is open to other users ("
                    + PosixFilePermissions.toString(facts.permissions()) + "); check what is in it, then: ", fix, path);
        }
    }

    /// The user of this process, by number: in a container it may have no name.
    private static UserPrincipal self() throws IOException {
        Path status = Path.of("/proc/self/status");
        String user = System.getProperty("user.name");
        if (Files.exists(status)) {
            for (String line : Files.readAllLines(status, StandardCharsets.ISO_8859_1)) {
                if (line.startsWith("Uid:")) {
                    // Real, effective, saved, file system.
                    user = line.split("\\s+", -1)[2];
                }
            }
        }
        return Path.of("").getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user);
    }

    private static SessionException refused(String message, String command, Path path) {
        String fix = command + "'" + path.toString().replace("'", "'\\''") + "'";
        return new SessionException(ErrorCode.UNAVAILABLE, message + fix, Map.of(FIX, fix));
    }
}
