package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.SessionException;

/// Constants of the Linux ABI, both those that differ between processors and those that do not. A test compiles them
/// against the C headers of both processors.
///
/// @param epollEventBytes the size of `struct epoll_event`, which x86_64 packs
/// @param epollDataOffset the offset of its `data`
/// @param calls           the system calls in which a thread may wait for input
/// @param auditArch       the number by which system call filters know the processor
/// @param guardCalls      the system calls that filters name
/// @param auditArch32     the same for its 32-bit programs
/// @param execve32        how those start a program
/// @param execveat32      how those start a program relative to a folder
/// @param landlockCalls   the system calls that the filter beside Landlock names
record Abi(int epollEventBytes, int epollDataOffset, int oDirectory, int oNofollow, Calls calls, int auditArch,
        GuardCalls guardCalls, int auditArch32, int execve32, int execveat32, LandlockCalls landlockCalls) {
    static final Abi X86_64 = new Abi(
            12, 4, 0x10000, 0x20000, new Calls(0, 19, 275, 23, 270, 7, 271, 232, 281, 219), 0xC000003E,
            new GuardCalls(59, 322, 317, 321, 298, 323, 248, 249, 250, 41), 0x40000003, 11, 358,
            new LandlockCalls(56, 272, 308, 302, 53, 240, 241, 29, 30, 31, 68, 69, 70, 71, 64, 65, 220, 66));
    static final Abi AARCH64 = new Abi(
            16, 8, 0x4000, 0x8000, new Calls(63, 65, 76, Calls.NONE, 72, Calls.NONE, 73, Calls.NONE, 22, 128),
            0xC00000B7,
            new GuardCalls(221, 281, 277, 280, 241, 282, 217, 218, 219, 198), 0x40000028, 11, 387,
            new LandlockCalls(220, 97, 268, 261, 199, 180, 181, 194, 196, 195, 186, 189, 188, 187, 190, 193, 192, 191));

    /// System call numbers that differ between processors; [#NONE] for a call that a processor does not have.
    ///
    /// @param restart continues an interrupted call; the kernel does not show which one
    record Calls(int read, int readv, int splice, int select, int pselect6, int poll, int ppoll, int epollWait,
            int epollPwait, int restart) {
        static final int NONE = -1;
    }

    /// System call numbers that filters name.
    record GuardCalls(int execve, int execveat, int seccomp, int bpf, int perfEventOpen, int userfaultfd, int addKey,
            int requestKey, int keyctl, int socket) {}

    /// System call numbers that the filter beside Landlock names.
    record LandlockCalls(int cloneCall, int unshare, int setns, int prlimit64, int socketpair, int mqOpen, int mqUnlink,
            int shmget, int shmat, int shmctl, int msgget, int msgsnd, int msgrcv, int msgctl, int semget, int semop,
            int semtimedop, int semctl) {}

    static final int PR_GET_CHILD_SUBREAPER = 37;
    static final int PR_SET_NO_NEW_PRIVS = 38;
    static final int SECCOMP_SET_MODE_FILTER = 1;
    static final int SECCOMP_FILTER_FLAG_NEW_LISTENER = 1 << 3;
    static final int SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV = 1 << 5;
    static final int SECCOMP_USER_NOTIF_FLAG_CONTINUE = 1;
    static final int SECCOMP_IOCTL_NOTIF_RECV = 0xC0502100;
    static final int SECCOMP_IOCTL_NOTIF_SEND = 0xC0182101;
    static final int SECCOMP_IOCTL_NOTIF_ID_VALID = 0x40082102;
    static final int SYS_IO_URING_SETUP = 425;
    static final int SYS_IO_URING_REGISTER = 427;
    /// Set in the numbers of x32, the third set of system calls of x86_64.
    static final int X32_SYSCALL_BIT = 0x40000000;
    static final int AF_UNIX = 1;
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int AF_VSOCK = 40;
    static final int SOCK_STREAM = 1;
    static final int SOCK_SEQPACKET = 5;
    static final int CLONE_NEWUSER = 0x10000000;
    static final int SYS_CLONE3 = 435;
    static final int SYS_LANDLOCK_CREATE_RULESET = 444;
    static final int SYS_LANDLOCK_ADD_RULE = 445;
    static final int SYS_LANDLOCK_RESTRICT_SELF = 446;
    static final int SYS_PIDFD_SEND_SIGNAL = 424;
    static final int SYS_PIDFD_OPEN = 434;
    static final int SYS_OPENAT2 = 437;
    static final int SYS_IO_URING_ENTER = 426;
    static final int SYS_EPOLL_PWAIT2 = 441;

    static final int O_RDONLY = 0;
    static final int O_WRONLY = 1;
    static final int O_RDWR = 2;
    static final int O_CREAT = 0x40;
    static final int O_EXCL = 0x80;
    static final int O_NOCTTY = 0x100;
    static final int O_APPEND = 0x400;
    static final int O_NONBLOCK = 0x800;
    static final int O_CLOEXEC = 0x80000;
    static final int O_PATH = 0x200000;

    static final int AT_FDCWD = -100;
    static final int AT_SYMLINK_NOFOLLOW = 0x100;
    static final int AT_REMOVEDIR = 0x200;
    static final int AT_EMPTY_PATH = 0x1000;
    static final int AT_STATX_DONT_SYNC = 0x4000;
    static final int STATX_INO = 0x100;
    static final int STATX_BASIC_STATS = 0x7FF;
    static final int STATX_BYTES = 256;
    static final int STATX_ATTR_MOUNT_ROOT = 0x2000;
    static final int STATX_ATTRIBUTES_OFFSET = 8;
    static final int STATX_NLINK_OFFSET = 16;
    static final int STATX_UID_OFFSET = 20;
    static final int STATX_MODE_OFFSET = 28;
    static final int STATX_INO_OFFSET = 32;
    static final int STATX_SIZE_OFFSET = 40;
    static final int STATX_CTIME_OFFSET = 96;
    static final int STATX_MTIME_OFFSET = 112;
    static final int STATX_RDEV_OFFSET = 128;
    static final int STATX_DEV_OFFSET = 136;
    /// The major number of `/dev/tty`, whose minor number is 0.
    static final int TTYAUX_MAJOR = 5;

    static final long RESOLVE_NO_MAGICLINKS = 0x02;
    static final long RESOLVE_NO_SYMLINKS = 0x04;
    static final long RESOLVE_BENEATH = 0x08;
    static final long RESOLVE_IN_ROOT = 0x10;

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
    static final int NOFLSH = 0x0080;
    static final int VINTR = 0;
    static final int VQUIT = 1;
    static final int VERASE = 2;
    static final int VKILL = 3;
    static final int VEOF = 4;
    static final int VMIN = 6;
    static final int VSTART = 8;
    static final int VSTOP = 9;
    static final int VSUSP = 10;
    static final int VEOL = 11;
    static final int VREPRINT = 12;
    static final int VWERASE = 14;
    static final int VLNEXT = 15;
    static final int VEOL2 = 16;
    /// The kernel's `struct termios`, which is smaller than the C library's.
    static final int TERMIOS_BYTES = 36;
    static final int TERMIOS_IFLAG = 0;
    static final int TERMIOS_OFLAG = 4;
    static final int TERMIOS_LFLAG = 12;
    static final int TERMIOS_CC = 17;

    static final int F_GETFD = 1;
    static final int F_SETFL = 4;
    static final int F_DUPFD_CLOEXEC = 1030;

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
    static final int W_OK = 2;
    static final int S_IFMT = 0xF000;
    static final int S_IFREG = 0x8000;
    static final int S_IFDIR = 0x4000;
    static final int S_IFLNK = 0xA000;

    static final int LOCK_SH = 1;
    static final int LOCK_EX = 2;
    static final int LOCK_NB = 4;
    static final int LOCK_UN = 8;

    /// The constants of this machine.
    static Abi current() {
        return of(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    static Abi of(String os, String arch) {
        if (!os.equals("Linux")) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "The Linux host needs Linux; this is " + os + ".");
        }
        return switch (arch) {
            case "amd64", "x86_64" -> X86_64;
            case "aarch64", "arm64" -> AARCH64;
            default ->
                throw new SessionException(
                        ErrorCode.UNAVAILABLE,
                        "The Linux host supports x86_64 and aarch64; this machine is " + arch + ".");
        };
    }
}
