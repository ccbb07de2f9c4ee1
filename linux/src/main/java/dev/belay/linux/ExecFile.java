package dev.belay.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// A file that a process asks to run, as that process would find it.
///
/// @param path   without links, as the process sees it; what is known of a file without a name
/// @param named  whether the file has a name that says what it is
/// @param owner  the number of its owner
/// @param errno  0, or why it could not be opened
/// @param script what stands behind `#!` in its first line; null if it does not begin so
record ExecFile(String path, boolean named, long device, long inode, int owner, int mode, boolean readOnly, int errno,
        @Nullable String script) {
    private static final int MAX_PATH = 4096;
    private static final int HEAD = 256;
    private static final String DELETED = " (deleted)";

    static ExecFile missing(String path, int errno) {
        return new ExecFile(path, false, 0, 0, 0, 0, false, errno, null);
    }

    boolean sameAs(long otherDevice, long otherInode) {
        return inode != 0 && device == otherDevice && inode == otherInode;
    }

    /// Looks at an open file.
    ///
    /// @param asked what the process called it
    static ExecFile of(Libc libc, Arena arena, int fd, String asked) {
        MemorySegment stat = arena.allocate(Abi.STATX_BYTES, 8);
        int result = libc.statx(fd, arena.allocateFrom(""), Abi.AT_EMPTY_PATH, Abi.STATX_BASIC_STATS, stat);
        if (result < 0) {
            return missing(asked, -result);
        }
        String link = link(libc, arena, "/proc/self/fd/" + fd);
        int links = stat.get(ValueLayout.JAVA_INT, Abi.STATX_NLINK_OFFSET);
        boolean named = link != null && link.startsWith("/") && links > 0 && !link.startsWith("/memfd:")
                && !link.endsWith(DELETED);
        int mode = Short.toUnsignedInt(stat.get(ValueLayout.JAVA_SHORT, Abi.STATX_MODE_OFFSET));
        boolean regular = (mode & Abi.S_IFMT) == Abi.S_IFREG;
        // Asked of the mount that the process sees.
        boolean readOnly = libc.faccessat(fd, arena.allocateFrom("/proc/self/fd/" + fd), Abi.W_OK) == -Errno.EROFS;
        return new ExecFile(
                link == null ? asked : link, named,
                device(stat), stat.get(ValueLayout.JAVA_LONG, Abi.STATX_INO_OFFSET),
                stat.get(ValueLayout.JAVA_INT, Abi.STATX_UID_OFFSET), mode, readOnly, 0,
                regular ? script(libc, arena, fd) : null);
    }

    static long device(MemorySegment stat) {
        return stat.get(ValueLayout.JAVA_LONG_UNALIGNED, Abi.STATX_DEV_OFFSET);
    }

    /// The target of a link; null if there is none.
    static @Nullable String link(Libc libc, Arena arena, String path) {
        MemorySegment into = arena.allocate(MAX_PATH);
        int count = libc.readlink(arena.allocateFrom(path), into, MAX_PATH);
        return count <= 0
                ? null
                : new String(into.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    private static @Nullable String script(Libc libc, Arena arena, int fd) {
        int readable = libc.open(arena.allocateFrom("/proc/self/fd/" + fd),
                Abi.O_RDONLY | Abi.O_CLOEXEC | Abi.O_NONBLOCK | Abi.O_NOCTTY);
        if (readable < 0) {
            return null;
        }
        try {
            MemorySegment head = arena.allocate(HEAD);
            int count = libc.read(readable, head, HEAD);
            if (count < 2 || head.get(ValueLayout.JAVA_BYTE, 0) != '#' || head.get(ValueLayout.JAVA_BYTE, 1) != '!') {
                return null;
            }
            String text = new String(
                    head.asSlice(2, count - 2L).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
            int end = text.indexOf('\n');
            return (end < 0 ? text : text.substring(0, end)).replaceAll("^[ \t]+|[ \t\0]+$", "");
        } finally {
            libc.close(readable);
        }
    }
}
