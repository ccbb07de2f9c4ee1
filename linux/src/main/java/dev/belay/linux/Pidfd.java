package dev.belay.linux;

import dev.belay.Signal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Signals processes by descriptor instead of by pid, which the kernel may have given to another process.
final class Pidfd {
    private Pidfd() {}

    /// Opens a descriptor of a process that was seen in `/proc`.
    ///
    /// @return the descriptor, or the negated error number; `-ESRCH` if the pid now belongs to another process
    static int open(Libc libc, ProcFile files, Proc proc) {
        int fd = libc.pidfdOpen(proc.pid());
        if (fd < 0) {
            return fd;
        }
        // The descriptor stands for the process that had the pid at the open. Is that still the one we saw?
        boolean same = false;
        try {
            Proc now = Proc.read(files, proc.pid());
            same = now != null && now.started() == proc.started();
        } finally {
            if (!same) {
                libc.close(fd);
            }
        }
        return same ? fd : -Errno.ESRCH;
    }

    /// Reaps a dead child of ours. Has no effect on the children of others.
    static void reap(Libc libc, Arena arena, int fd) {
        MemorySegment info = arena.allocate(Abi.SIGINFO_BYTES, 8);
        libc.waitid(Abi.P_PIDFD, fd, info, Abi.WEXITED | Abi.WNOHANG);
    }

    /// Sends one signal.
    ///
    /// @return 0, or the negated error number
    static int signalOnce(Libc libc, Arena arena, Proc proc, Signal signal) {
        int fd = open(libc, new ProcFile(libc, arena), proc);
        if (fd < 0) {
            return fd;
        }
        try {
            return libc.pidfdSendSignal(fd, signal.number());
        } finally {
            libc.close(fd);
        }
    }
}
