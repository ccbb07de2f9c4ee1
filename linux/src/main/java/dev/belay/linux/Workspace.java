package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Set;

/// The folder that sessions may not leave, held by a descriptor. The kernel opens working folders beneath it, so
/// neither `..` nor a link that is swapped at the last moment leads outside.
final class Workspace implements AutoCloseable {
    static final int HOW_BYTES = 24;
    private static final int PATH_BYTES = 4096;
    /// Errors that say nothing about the folder, only that the machine cannot open it now.
    private static final Set<Integer> SHORTAGES =
            Set.of(Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EAGAIN, Errno.EIO, Errno.ENOSPC);

    private final Path given;
    private final String real;
    private final Fd fd;
    private final int oDirectory = Abi.current().oDirectory();

    private Workspace(Path given, Fd fd, Arena arena, Libc libc) {
        this.given = given;
        this.fd = fd;
        this.real = pathOf(libc, arena, fd.number());
    }

    static Workspace open(Path folder) {
        Path absolute = folder.toAbsolutePath().normalize();
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            int flags = Abi.O_PATH | Abi.O_CLOEXEC | Abi.current().oDirectory();
            int fd = libc.open(arena.allocateFrom(absolute.toString()), flags);
            if (fd < 0) {
                throw new SessionException(
                        SHORTAGES.contains(-fd) ? ErrorCode.UNAVAILABLE : ErrorCode.NOT_FOUND,
                        "Cannot use the workspace " + Quoted.of(absolute.toString()) + ": " + Errno.text(-fd) + ".");
            }
            try {
                return new Workspace(absolute, new Fd(fd), arena, libc);
            } catch (RuntimeException e) {
                libc.close(fd);
                throw e;
            }
        }
    }

    Path path() {
        return Path.of(real);
    }

    /// Opens a working folder.
    ///
    /// @return its descriptor, usable only for changing into it
    int open(Libc libc, Arena arena, String workdir) {
        String beneath = beneath(workdir);
        if (!fd.acquire()) {
            throw new SessionException(ErrorCode.UNAVAILABLE, "The host is closed.");
        }
        try {
            int result = Beneath.open(
                    libc, arena, fd.number(), beneath, Abi.O_PATH | oDirectory, 0,
                    Abi.RESOLVE_BENEATH | Abi.RESOLVE_NO_MAGICLINKS);
            if (result < 0) {
                throw refused(workdir, -result);
            }
            return result;
        } finally {
            fd.release(libc);
        }
    }

    /// Opens the workspace itself, to read and to lock it.
    int openToRead(Libc libc, Arena arena) {
        int result = fd.with(libc, -Errno.EBADF, number -> Beneath.open(
                libc, arena, number, ".", Abi.O_RDONLY | oDirectory, 0, Abi.RESOLVE_BENEATH));
        if (result < 0) {
            throw refused(".", -result);
        }
        return result;
    }

    /// What the kernel says about the folder.
    FileFacts facts(Libc libc, Arena arena) {
        int folder = open(libc, arena, ".");
        try {
            return FileFacts.of(libc, arena, folder);
        } finally {
            libc.close(folder);
        }
    }

    /// Makes an absolute path relative to the workspace. This only translates; the kernel decides what is inside.
    private String beneath(String workdir) {
        Path path = asPath(workdir);
        if (!path.isAbsolute()) {
            return workdir.isEmpty() ? "." : workdir;
        }
        for (Path root : new Path[] {given, path()}) {
            if (path.startsWith(root)) {
                String relative = root.relativize(path).toString();
                return relative.isEmpty() ? "." : relative;
            }
        }
        throw outside(workdir);
    }

    private static Path asPath(String workdir) {
        try {
            return Path.of(workdir);
        } catch (InvalidPathException e) {
            throw SessionException.invalid(
                    "The working folder " + Quoted.of(workdir) + " is not a valid path: " + e.getReason() + ".");
        }
    }

    private SessionException refused(String workdir, int errno) {
        if (SHORTAGES.contains(errno)) {
            return new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "Cannot open the working folder " + Quoted.of(workdir) + " now: " + Errno.text(errno)
                            + "; try again.");
        }
        return switch (errno) {
            case Errno.EXDEV, Errno.ELOOP -> outside(workdir);
            case Errno.ENOENT ->
                new SessionException(
                        ErrorCode.NOT_FOUND,
                        "The working folder " + Quoted.of(workdir) + " does not exist in the workspace " + real + ".");
            case Errno.ENOTDIR ->
                new SessionException(
                        ErrorCode.INVALID_REQUEST, "The working folder " + Quoted.of(workdir) + " is not a folder.");
            case Errno.EACCES ->
                new SessionException(
                        ErrorCode.DENIED, "No permission to enter the working folder " + Quoted.of(workdir) + ".");
            case Errno.ENOSYS ->
                new SessionException(
                        ErrorCode.UNAVAILABLE, "This kernel has no openat2; Belay needs Linux 5.6 or newer.");
            default ->
                new SessionException(
                        ErrorCode.INVALID_REQUEST,
                        "Cannot use the working folder " + Quoted.of(workdir) + ": " + Errno.text(errno) + ".");
        };
    }

    private SessionException outside(String workdir) {
        return new SessionException(
                ErrorCode.OUTSIDE_WORKSPACE,
                "The working folder " + Quoted.of(workdir) + " leads outside the workspace " + real
                        + "; use a folder inside it (absolute links and links that lead outside are not followed).");
    }

    /// The path of an open folder, relative to the workspace.
    String relative(Libc libc, Arena arena, int folder, String workdir) {
        if (workdir.equals(".")) {
            return ".";
        }
        String path = pathOf(libc, arena, folder);
        if (path.equals(real)) {
            return ".";
        }
        String prefix = real.endsWith("/") ? real : real + "/";
        return path.startsWith(prefix) ? path.substring(prefix.length()) : path;
    }

    /// As text, because a locale without UTF-8 cannot make a Path from every name.
    private static String pathOf(Libc libc, Arena arena, int fd) {
        MemorySegment target = arena.allocate(PATH_BYTES + 1L);
        int length = libc.readlink(arena.allocateFrom("/proc/self/fd/" + fd), target, PATH_BYTES);
        if (length < 0) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "Cannot read /proc: " + Errno.text(-length) + "; Belay needs it.");
        }
        return target.getString(0);
    }

    @Override
    public void close() {
        try (Arena arena = Arena.ofConfined()) {
            fd.close(new Libc(arena));
        }
    }
}
