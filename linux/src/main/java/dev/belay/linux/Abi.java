package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.SessionException;

/// The numbers of Linux that differ between processors, and those that do not. A test compiles them against the C
/// headers of both.
///
/// @param epollEventBytes the size of `struct epoll_event`, which x86_64 packs
/// @param epollDataOffset where its `data` is
/// @param calls           the system calls in which a thread may wait for input
record Abi(int epollEventBytes, int epollDataOffset, int oDirectory, Calls calls) {
    static final Abi X86_64 = new Abi(12, 4, 0x10000, new Calls(0, 19, 275, 23, 270, 7, 271, 232, 281, 219));
    static final Abi AARCH64 = new Abi(
            16, 8, 0x4000, new Calls(63, 65, 76, Calls.NONE, 72, Calls.NONE, 73, Calls.NONE, 22, 128));

    /// Numbers of system calls that differ between processors; [#NONE] for one that a processor does not have.
    ///
    /// @param restart an interrupted call goes on; the kernel does not show which
    record Calls(int read, int readv, int splice, int select, int pselect6, int poll, int ppoll, int epollWait,
            int epollPwait, int restart) {
        static final int NONE = -1;
    }

    static final int PR_GET_CHILD_SUBREAPER = 37;
    static final int SYS_PIDFD_SEND_SIGNAL = 424;
    static final int SYS_PIDFD_OPEN = 434;
    static final int SYS_OPENAT2 = 437;
    static final int SYS_IO_URING_ENTER = 426;
    static final int SYS_EPOLL_PWAIT2 = 441;

    static final int O_RDONLY = 0;
    static final int O_RDWR = 2;
    static final int O_NOCTTY = 0x100;
    static final int O_NONBLOCK = 0x800;
    static final int O_CLOEXEC = 0x80000;
    static final int O_PATH = 0x200000;

    static final int AT_FDCWD = -100;
    static final int AT_EMPTY_PATH = 0x1000;
    static final int AT_STATX_DONT_SYNC = 0x4000;
    static final int STATX_INO = 0x100;
    static final int STATX_BYTES = 256;
    static final int STATX_INO_OFFSET = 32;
    static final int STATX_RDEV_OFFSET = 128;
    static final int STATX_DEV_OFFSET = 136;
    /// The major number of `/dev/tty`, whose minor number is 0.
    static final int TTYAUX_MAJOR = 5;

    static final long RESOLVE_NO_MAGICLINKS = 0x02;
    static final long RESOLVE_BENEATH = 0x08;

    static final int EPOLL_CTL_ADD = 1;
    static final int EPOLL_CTL_DEL = 2;
    static final int EPOLL_CTL_MOD = 3;
    static final int EPOLLIN = 0x001;
    static final int EPOLLOUT = 0x004;
    static final int EPOLLERR = 0x008;
    static final int EPOLLHUP = 0x010;
    static final int EPOLLONESHOT = 1 << 30;
    static final int EPOLL_CLOEXEC = 0x80000;
    static final int EFD_CLOEXEC = 0x80000;
    static final int EFD_NONBLOCK = 0x800;

    static final int POLLIN = 0x001;
    static final int POLLFD_BYTES = 8;
    static final int POLLFD_EVENTS = 4;
    static final int IOVEC_BYTES = 16;

    static final int TCGETS = 0x5401;
    static final int TCSETS = 0x5402;
    static final int TIOCGPGRP = 0x540F;
    static final int FIONREAD = 0x541B;
    static final int TIOCGWINSZ = 0x5413;
    static final int TIOCSWINSZ = 0x5414;
    static final int TIOCSIG = 0x40045436;
    static final int TIOCSPTLCK = 0x40045431;
    static final int TIOCGPTPEER = 0x5441;

    static final int IGNBRK = 0x0001;
    static final int BRKINT = 0x0002;
    static final int PARMRK = 0x0008;
    static final int ISTRIP = 0x0020;
    static final int INLCR = 0x0040;
    static final int IGNCR = 0x0080;
    static final int ICRNL = 0x0100;
    static final int IXON = 0x0400;
    static final int IUTF8 = 0x4000;
    static final int OPOST = 0x0001;
    static final int ONLCR = 0x0004;
    static final int CSIZE = 0x0030;
    static final int CS8 = 0x0030;
    static final int PARENB = 0x0100;
    static final int ISIG = 0x0001;
    static final int ICANON = 0x0002;
    static final int ECHO = 0x0008;
    static final int ECHONL = 0x0040;
    static final int IEXTEN = 0x8000;
    static final int VTIME = 5;
    static final int VMIN = 6;
    /// The kernel's `struct termios`, which is smaller than the C library's.
    static final int TERMIOS_BYTES = 36;
    static final int TERMIOS_IFLAG = 0;
    static final int TERMIOS_OFLAG = 4;
    static final int TERMIOS_LFLAG = 12;

    static final int F_GETFD = 1;
    static final int F_SETFL = 4;

    static final int P_PID = 1;
    static final int P_PIDFD = 3;
    static final int WNOHANG = 1;
    static final int WNOWAIT = 0x01000000;
    static final int WSTOPPED = 2;
    static final int WEXITED = 4;
    static final int SIGINFO_BYTES = 128;
    static final int SIGINFO_CODE = 8;
    static final int SIGINFO_PID = 16;
    static final int SIGINFO_STATUS = 24;
    static final int CLD_EXITED = 1;
    static final int CLD_STOPPED = 5;

    static final int RLIMIT_CPU = 0;
    static final int RLIMIT_FSIZE = 1;
    static final int RLIMIT_CORE = 4;
    static final int RLIMIT_NPROC = 6;
    static final int RLIMIT_NOFILE = 7;
    static final int RLIMIT_AS = 9;
    static final int RLIMIT_LOCKS = 10;

    static final int POSIX_SPAWN_SETSIGDEF = 0x04;
    static final int POSIX_SPAWN_SETSIGMASK = 0x08;
    static final int POSIX_SPAWN_SETSID = 0x80;
    /// At least as large as the C library's opaque types.
    static final int SPAWNATTR_BYTES = 336;
    static final int FILE_ACTIONS_BYTES = 80;
    static final int SIGSET_BYTES = 128;

    static final int X_OK = 1;

    /// The numbers of the processor we run on.
    static Abi current() {
        return of(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    static Abi of(String os, String arch) {
        if (!os.equals("Linux")) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "The Linux host runs on Linux only; this is " + os + ".");
        }
        return switch (arch) {
            case "amd64", "x86_64" -> X86_64;
            case "aarch64", "arm64" -> AARCH64;
            default ->
                throw new SessionException(
                        ErrorCode.UNAVAILABLE,
                        "The Linux host knows x86_64 and aarch64; this machine is " + arch + ".");
        };
    }
}
