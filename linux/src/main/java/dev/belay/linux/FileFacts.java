package dev.belay.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Instant;

/// What the kernel says about a file.
///
/// @param changed   when its content, mode, owner or name changed last; programs cannot set this time
/// @param modified  when its content changed last; programs can set this time
/// @param mountRoot whether something is mounted here
record FileFacts(int mode, long device, long inode, long size, int owner, Instant changed, Instant modified,
        boolean mountRoot) {
    /// Looks at an open file.
    ///
    /// @return 0 in [#mode] if the kernel refuses
    static FileFacts of(Libc libc, Arena arena, int fd) {
        MemorySegment stat = arena.allocate(Abi.STATX_BYTES, 8);
        int result = libc.statx(fd, arena.allocateFrom(""), Abi.AT_EMPTY_PATH, Abi.STATX_BASIC_STATS, stat);
        if (result < 0) {
            stat.fill((byte) 0);
        }
        return new FileFacts(
                Short.toUnsignedInt(stat.get(ValueLayout.JAVA_SHORT, Abi.STATX_MODE_OFFSET)),
                ExecFile.device(stat),
                stat.get(ValueLayout.JAVA_LONG, Abi.STATX_INO_OFFSET),
                stat.get(ValueLayout.JAVA_LONG, Abi.STATX_SIZE_OFFSET),
                stat.get(ValueLayout.JAVA_INT, Abi.STATX_UID_OFFSET),
                time(stat, Abi.STATX_CTIME_OFFSET),
                time(stat, Abi.STATX_MTIME_OFFSET),
                (stat.get(ValueLayout.JAVA_LONG, Abi.STATX_ATTRIBUTES_OFFSET) & Abi.STATX_ATTR_MOUNT_ROOT) != 0);
    }

    private static Instant time(MemorySegment stat, int at) {
        return Instant.ofEpochSecond(
                stat.get(ValueLayout.JAVA_LONG, at), stat.get(ValueLayout.JAVA_INT, at + Long.BYTES));
    }

    boolean folder() {
        return (mode & Abi.S_IFMT) == Abi.S_IFDIR;
    }

    boolean regular() {
        return (mode & Abi.S_IFMT) == Abi.S_IFREG;
    }

    boolean link() {
        return (mode & Abi.S_IFMT) == Abi.S_IFLNK;
    }

    boolean sameFile(FileFacts other) {
        return inode != 0 && inode == other.inode && device == other.device;
    }
}
