package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads small files in `/proc` quickly. Belongs to one thread.
final class ProcFile {
    private static final int BUFFER_BYTES = 16 << 10;
    /// Reads no more than this of one file: more than the kernel takes as words and environment.
    private static final int MAX_BYTES = 8 << 20;

    /// Offsets of the length and the name in a `struct dirent64`, which begins with the inode.
    static final int DIRENT_LENGTH = 16;
    static final int DIRENT_NAME = 19;

    private final Libc libc;
    private final MemorySegment path;
    private final MemorySegment buffer;

    ProcFile(Libc libc, Arena arena) {
        this.libc = libc;
        this.path = arena.allocate(64);
        this.buffer = arena.allocate(BUFFER_BYTES, 8);
    }

    /// The content of `/proc/PID/NAME`; null if the process is gone or may not be looked at.
    byte @Nullable [] read(long pid, String name) {
        return read(pid + "/" + name);
    }

    /// The last number that the kernel has given to a process or a thread; negative if it does not show that.
    long lastPid() {
        byte[] text = read("sys/kernel/ns_last_pid");
        return text == null ? -1 : Long.parseLong(new String(text, StandardCharsets.ISO_8859_1).strip());
    }

    /// Whether a process, dead but not reaped ones too, or a thread of another one has this number.
    boolean exists(long number) {
        return libc.kill(number, 0) != -Errno.ESRCH && read("self/task/" + number + "/comm") == null;
    }

    private byte @Nullable [] read(String name) {
        path.setString(0, "/proc/" + name);
        int fd = libc.open(path, Abi.O_RDONLY | Abi.O_CLOEXEC);
        if (fd < 0) {
            return none(fd);
        }
        try {
            ByteArrayOutputStream more = null;
            while (true) {
                int count = libc.read(fd, buffer, BUFFER_BYTES);
                if (count < 0) {
                    return none(count);
                }
                byte[] part = buffer.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE);
                if (more == null && count < BUFFER_BYTES) {
                    return part;
                }
                more = more == null ? new ByteArrayOutputStream() : more;
                more.writeBytes(part);
                if (count == 0 || more.size() > MAX_BYTES) {
                    return more.toByteArray();
                }
            }
        } finally {
            libc.close(fd);
        }
    }

    /// A process as the kernel lists it.
    ///
    /// @param inode the inode of its folder in `/proc`. It is new for every process, so with the pid it identifies a
    ///              process. When short of memory, the kernel may also give a new one to a living process.
    record Listed(long pid, long inode) {
        // Written out: the JVM would generate both at the first close of a session, which takes milliseconds.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Listed listed && listed.pid == pid && listed.inode == inode;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(pid * 31 + inode);
        }
    }

    /// All processes, newest first.
    List<Listed> processes() {
        List<Listed> all = new ArrayList<>();
        path.setString(0, "/proc");
        int fd = libc.open(path, Abi.O_RDONLY | Abi.O_CLOEXEC | Abi.current().oDirectory());
        int count = fd;
        try {
            while (fd >= 0 && (count = libc.getdents(fd, buffer, BUFFER_BYTES)) > 0) {
                // Copied first: a thousand small reads outside of the heap are slow before they are compiled well.
                byte[] entries = buffer.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE);
                ByteBuffer fields = ByteBuffer.wrap(entries).order(ByteOrder.nativeOrder());
                for (int at = 0; at < count; at += fields.getShort(at + DIRENT_LENGTH)) {
                    long pid = number(entries, at + DIRENT_NAME);
                    if (pid > 0) {
                        all.add(new Listed(pid, fields.getLong(at)));
                    }
                }
            }
        } finally {
            if (fd >= 0) {
                libc.close(fd);
            }
        }
        if (count < 0) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "Cannot read /proc: " + Errno.text(-count) + "; Belay needs it to find a session's processes.");
        }
        all.sort((one, other) -> Long.compare(other.pid(), one.pid()));
        return all;
    }

    /// The number that the name consists of; 0 if the name is not a number.
    private static long number(byte[] entries, int at) {
        long number = 0;
        for (byte digit; (digit = entries[at]) != 0; at++) {
            if (digit < '0' || digit > '9') {
                return 0;
            }
            number = number * 10 + digit - '0';
        }
        return number;
    }

    /// Null if the process is gone or belongs to another user. Any other error throws: a process that cannot be looked
    /// at now must not be mistaken for one that is gone.
    private static byte @Nullable [] none(int result) {
        return switch (-result) {
            case Errno.ENOENT, Errno.ESRCH, Errno.EACCES, Errno.EPERM -> null;
            default ->
                throw new SessionException(
                        ErrorCode.UNAVAILABLE,
                        "Cannot read the processes of this machine now: " + Errno.text(-result) + "; try again.");
        };
    }

    /// The content as text; null as in [#read].
    @Nullable String utf8(long pid, String name) {
        byte[] bytes = read(pid, name);
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    @Nullable String text(long pid, String name) {
        byte[] bytes = read(pid, name);
        return bytes == null ? null : new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
