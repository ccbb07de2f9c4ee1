package dev.belay.linux;

import java.util.Map;

/// The Linux error numbers that Belay distinguishes, and texts for messages.
final class Errno {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int ESRCH = 3;
    static final int EINTR = 4;
    static final int EIO = 5;
    static final int ENOEXEC = 8;
    static final int EBADF = 9;
    static final int ECHILD = 10;
    static final int EAGAIN = 11;
    static final int ENOMEM = 12;
    static final int EACCES = 13;
    static final int EBUSY = 16;
    static final int EEXIST = 17;
    static final int EXDEV = 18;
    static final int ENOTDIR = 20;
    static final int EISDIR = 21;
    static final int EINVAL = 22;
    static final int ENFILE = 23;
    static final int EMFILE = 24;
    static final int ENOSPC = 28;
    static final int EROFS = 30;
    static final int EPIPE = 32;
    static final int ENAMETOOLONG = 36;
    static final int ENOSYS = 38;
    static final int ENOTEMPTY = 39;
    static final int ELOOP = 40;
    static final int EOPNOTSUPP = 95;
    static final int EAFNOSUPPORT = 97;

    private static final Map<Integer, String> TEXT = Map.ofEntries(
            Map.entry(EPERM, "EPERM: not permitted"),
            Map.entry(ENOENT, "ENOENT: not found"),
            Map.entry(ESRCH, "ESRCH: no such process"),
            Map.entry(EINTR, "EINTR: interrupted"),
            Map.entry(EIO, "EIO: input/output error"),
            Map.entry(7, "E2BIG: arguments and environment are too long"),
            Map.entry(ENOEXEC, "ENOEXEC: unknown executable format"),
            Map.entry(EBADF, "EBADF: bad file descriptor"),
            Map.entry(ECHILD, "ECHILD: no such child"),
            Map.entry(EAGAIN, "EAGAIN: a system limit was reached, for example on processes"),
            Map.entry(ENOMEM, "ENOMEM: out of memory"),
            Map.entry(EACCES, "EACCES: permission denied"),
            Map.entry(EBUSY, "EBUSY: in use"),
            Map.entry(EEXIST, "EEXIST: already there"),
            Map.entry(EXDEV, "EXDEV: leads outside"),
            Map.entry(ENOTDIR, "ENOTDIR: not a folder"),
            Map.entry(EISDIR, "EISDIR: is a folder"),
            Map.entry(EINVAL, "EINVAL: invalid argument"),
            Map.entry(ENFILE, "ENFILE: the system has too many open files"),
            Map.entry(EMFILE, "EMFILE: this process has too many open files"),
            Map.entry(26, "ETXTBSY: the file is being written"),
            Map.entry(ENOSPC, "ENOSPC: no space left, or no terminals left (kernel.pty.max)"),
            Map.entry(EROFS, "EROFS: read-only"),
            Map.entry(EPIPE, "EPIPE: no reader"),
            Map.entry(ENAMETOOLONG, "ENAMETOOLONG: the name is too long"),
            Map.entry(ENOSYS, "ENOSYS: not supported by this kernel"),
            Map.entry(ENOTEMPTY, "ENOTEMPTY: the folder is not empty"),
            Map.entry(ELOOP, "ELOOP: too many symbolic links"));

    private Errno() {}

    static String text(int errno) {
        return TEXT.getOrDefault(errno, "error " + errno);
    }
}
