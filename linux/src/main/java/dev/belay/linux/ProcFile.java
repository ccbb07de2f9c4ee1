package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Reads small files of `/proc` quickly. Belongs to one thread.
final class ProcFile {
    private static final int BUFFER_BYTES = 16 << 10;
    /// What one file may hold at the most: an environment can be long.
    private static final int MAX_BYTES = 4 << 20;

    private final Libc libc;
    private final MemorySegment path;
    private final MemorySegment buffer;

    ProcFile(Libc libc, Arena arena) {
        this.libc = libc;
        this.path = arena.allocate(64);
        this.buffer = arena.allocate(BUFFER_BYTES);
    }

    /// The content of `/proc/PID/NAME`; null if the process is gone or may not be looked at.
    byte @Nullable [] read(long pid, String name) {
        path.setString(0, "/proc/" + pid + "/" + name);
        int fd = libc.open(path, Abi.O_RDONLY | Abi.O_CLOEXEC);
        if (fd == -Errno.EMFILE || fd == -Errno.ENFILE || fd == -Errno.ENOMEM) {
            // Not the same as "gone": a process that cannot be looked at must not be taken for none.
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "The processes of the machine cannot be looked at now: " + Errno.text(-fd) + "; try again.");
        }
        if (fd < 0) {
            return null;
        }
        try {
            ByteArrayOutputStream more = null;
            while (true) {
                int count = libc.read(fd, buffer, BUFFER_BYTES);
                if (count < 0 && count != -Errno.EINTR) {
                    return null;
                }
                byte[] part = buffer.asSlice(0, Math.max(0, count)).toArray(ValueLayout.JAVA_BYTE);
                if (more == null && count < BUFFER_BYTES && count != -Errno.EINTR) {
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

    @Nullable String text(long pid, String name) {
        byte[] bytes = read(pid, name);
        return bytes == null ? null : new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
