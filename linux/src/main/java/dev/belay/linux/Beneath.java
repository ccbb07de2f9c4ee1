package dev.belay.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The files beneath a folder that is held by a descriptor. No link is followed, wherever a session may have put one,
/// and nothing leads outside. Belongs to one thread; calls return a negated error number if they fail.
final class Beneath {
    /// How often to try while renames get in the way.
    private static final int MAX_TRIES = 1000;
    private static final int PATH_BYTES = 4096;
    /// Each level takes a descriptor. Folders nested deeper are left in place.
    private static final int MAX_DEPTH = 200;
    private static final int LISTING_BYTES = 32 << 10;
    private static final int READ_BYTES = 64 << 10;
    private static final int DIRENT_TYPE = 18;
    private static final int DT_DIR = 4;
    private static final long NO_LINKS =
            Abi.RESOLVE_BENEATH | Abi.RESOLVE_NO_SYMLINKS | Abi.RESOLVE_NO_MAGICLINKS;

    private final Libc libc;
    private final Arena arena;
    private final int folder;
    private @Nullable MemorySegment listing;

    /// @param folder the caller's to close
    Beneath(Libc libc, Arena arena, int folder) {
        this.libc = libc;
        this.arena = arena;
        this.folder = folder;
    }

    /// Opens a file to look at it. If it is a link, opens the link itself.
    int open(String path) {
        return open(path, Abi.O_PATH | Abi.current().oNofollow(), 0);
    }

    int openFolder(String path) {
        return open(path, Abi.O_PATH | Abi.current().oDirectory(), 0);
    }

    int open(String path, int flags, int mode) {
        return open(libc, arena, folder, path, flags, mode, NO_LINKS);
    }

    /// Opens a path as the flags of `openat2` say.
    static int open(Libc libc, Arena arena, int folder, String path, int flags, int mode, long resolve) {
        MemorySegment how = arena.allocate(Workspace.HOW_BYTES, 8);
        how.setAtIndex(ValueLayout.JAVA_LONG, 0, flags | Abi.O_CLOEXEC);
        how.setAtIndex(ValueLayout.JAVA_LONG, 1, mode);
        how.setAtIndex(ValueLayout.JAVA_LONG, 2, resolve);
        MemorySegment name = arena.allocateFrom(path);
        int result = libc.openat2(folder, name, how, Workspace.HOW_BYTES);
        // The kernel asks for another try if a rename got in the way.
        for (int tries = 1; result == -Errno.EAGAIN && tries < MAX_TRIES; tries++) {
            result = libc.openat2(folder, name, how, Workspace.HOW_BYTES);
        }
        return result;
    }

    /// Looks at a file or link; null if there is none, or it cannot be reached without following a link.
    @Nullable FileFacts look(String path) {
        int fd = open(path);
        if (fd < 0) {
            return null;
        }
        try {
            return FileFacts.of(libc, arena, fd);
        } finally {
            libc.close(fd);
        }
    }

    /// The target of a link; empty if it is none.
    String target(String path) {
        int fd = open(path);
        if (fd < 0) {
            return "";
        }
        try {
            MemorySegment into = arena.allocate(PATH_BYTES);
            int count = libc.readlinkat(fd, arena.allocateFrom(""), into, PATH_BYTES);
            return count < 0 ? "" : text(into, count);
        } finally {
            libc.close(fd);
        }
    }

    /// The content of a regular file; null if it is none, larger than this, or cannot be read.
    byte @Nullable [] read(String path, int maxBytes) {
        // Without waiting: it could be a pipe.
        int fd = open(path, Abi.O_RDONLY | Abi.O_NONBLOCK | Abi.O_NOCTTY | Abi.current().oNofollow(), 0);
        if (fd < 0) {
            return null;
        }
        try {
            FileFacts facts = FileFacts.of(libc, arena, fd);
            return facts.regular() && facts.size() <= maxBytes ? read(fd, (int) facts.size()) : null;
        } finally {
            libc.close(fd);
        }
    }

    private byte @Nullable [] read(int fd, int size) {
        MemorySegment buffer = arena.allocate(Math.min(READ_BYTES, size + 1L));
        byte[] content = new byte[size];
        int length = 0;
        while (length < size) {
            int count = libc.read(fd, buffer, Math.min(buffer.byteSize(), size - length));
            if (count < 0) {
                return null;
            }
            if (count == 0) {
                break;
            }
            MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, content, length, count);
            length += count;
        }
        return length == size ? content : java.util.Arrays.copyOf(content, length);
    }

    /// An entry of a folder.
    ///
    /// @param folder whether it is a folder, if the file system says so
    record Entry(String name, boolean folder) {}

    /// The names in a folder; none if it cannot be read.
    List<String> list(String path) {
        return entries(path).stream().map(Entry::name).toList();
    }

    /// The entries of a folder; none if it cannot be read.
    List<Entry> entries(String path) {
        int fd = open(path, Abi.O_RDONLY | Abi.current().oDirectory(), 0);
        if (fd < 0) {
            return List.of();
        }
        try {
            if (listing == null) {
                listing = arena.allocate(LISTING_BYTES, 8);
            }
            MemorySegment found = listing;
            List<Entry> all = new ArrayList<>();
            for (int count = libc.getdents(fd, found, LISTING_BYTES); count > 0; count =
                    libc.getdents(fd, found, LISTING_BYTES)) {
                for (int at = 0; at < count;) {
                    String name = found.getString(at + ProcFile.DIRENT_NAME);
                    if (!name.equals(".") && !name.equals("..")) {
                        all.add(new Entry(name, found.get(ValueLayout.JAVA_BYTE, at + DIRENT_TYPE) == DT_DIR));
                    }
                    at += Short.toUnsignedInt(found.get(ValueLayout.JAVA_SHORT, at + ProcFile.DIRENT_LENGTH));
                }
            }
            return all;
        } finally {
            libc.close(fd);
        }
    }

    // --- changes ---

    int makeFolder(String path, int mode) {
        return inParent(path, (parent, name) -> libc.mkdirat(parent, name, mode));
    }

    /// Makes a file that is not there yet.
    int makeFile(String path, String content, int mode) {
        return write(path, content, Abi.O_WRONLY | Abi.O_CREAT | Abi.O_EXCL, mode);
    }

    /// Adds to the end of a file.
    int append(String path, String content) {
        return write(path, content, Abi.O_WRONLY | Abi.O_APPEND, 0);
    }

    private int write(String path, String content, int flags, int mode) {
        int fd = open(path, flags | Abi.O_NONBLOCK | Abi.O_NOCTTY | Abi.current().oNofollow(), mode);
        if (fd < 0) {
            return fd;
        }
        try {
            byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
            int count = bytes.length == 0
                    ? 0
                    : libc.write(fd, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), bytes.length);
            return count < 0 ? count : count < bytes.length ? -Errno.ENOSPC : 0;
        } finally {
            libc.close(fd);
        }
    }

    int removeFolder(String path) {
        return inParent(path, (parent, name) -> libc.unlinkat(parent, name, Abi.AT_REMOVEDIR));
    }

    int removeFile(String path) {
        return inParent(path, (parent, name) -> libc.unlinkat(parent, name, 0));
    }

    /// Deletes all that is in a folder, as far as it goes. Follows no link.
    ///
    /// @return whether nothing is left
    boolean empty(String path, Instant until) {
        return empty(path, until, 0);
    }

    private boolean empty(String path, Instant until, int depth) {
        int fd = openToEmpty(path);
        if (fd < 0) {
            return fd == -Errno.ENOENT;
        }
        try {
            Beneath inside = new Beneath(libc, arena, fd);
            boolean all = true;
            for (Entry entry : inside.entries(".")) {
                if (depth == MAX_DEPTH || Instant.now().isAfter(until)) {
                    return false;
                }
                int removed = inside.removeFile(entry.name());
                if (removed == -Errno.EISDIR || removed == -Errno.EPERM) {
                    all &= inside.empty(entry.name(), until, depth + 1) && inside.removeFolder(entry.name()) >= 0;
                } else {
                    all &= removed >= 0;
                }
            }
            return all;
        } finally {
            libc.close(fd);
        }
    }

    /// Some tools leave folders that even their owner cannot read or write.
    private int openToEmpty(String path) {
        int found = openFolder(path);
        if (found < 0) {
            return found;
        }
        try {
            Files.setPosixFilePermissions(
                    Path.of("/proc/self/fd/" + found), PosixFilePermissions.fromString("rwx------"));
        } catch (IOException e) {
            Log.LOG.log(System.Logger.Level.DEBUG, "cannot open a folder to empty it", e);
        } finally {
            libc.close(found);
        }
        return open(path, Abi.O_RDONLY | Abi.current().oDirectory() | Abi.current().oNofollow(), 0);
    }

    int rename(String from, String to) {
        return inParent(from, (fromParent, fromName) -> inParent(
                to, (toParent, toName) -> libc.renameat(fromParent, fromName, toParent, toName)));
    }

    int modified(String path, Instant time) {
        MemorySegment times = arena.allocate(ValueLayout.JAVA_LONG, 4);
        for (int i = 0; i < 4; i += 2) {
            times.setAtIndex(ValueLayout.JAVA_LONG, i, time.getEpochSecond());
            times.setAtIndex(ValueLayout.JAVA_LONG, i + 1L, time.getNano());
        }
        return inParent(path, (parent, name) -> libc.utimensat(parent, name, times, Abi.AT_SYMLINK_NOFOLLOW));
    }

    /// Hands a file or folder to another user.
    int give(String path, Sandbox.@Nullable User user) {
        if (user == null) {
            return 0;
        }
        int fd = open(path, Abi.O_RDONLY | Abi.O_NONBLOCK | Abi.O_NOCTTY | Abi.current().oNofollow(), 0);
        if (fd < 0) {
            return fd;
        }
        try {
            return libc.fchown(fd, user.uid(), user.gid());
        } finally {
            libc.close(fd);
        }
    }

    private interface Change {
        int make(int parent, MemorySegment name);
    }

    private int inParent(String path, Change change) {
        int slash = path.lastIndexOf('/');
        MemorySegment name = arena.allocateFrom(path.substring(slash + 1));
        if (slash < 0) {
            return change.make(folder, name);
        }
        int parent = openFolder(path.substring(0, slash));
        if (parent < 0) {
            return parent;
        }
        try {
            return change.make(parent, name);
        } finally {
            libc.close(parent);
        }
    }

    private static String text(MemorySegment bytes, int count) {
        return new String(bytes.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }
}
