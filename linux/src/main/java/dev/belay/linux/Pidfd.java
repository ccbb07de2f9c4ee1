package dev.belay.linux;

import dev.belay.Signal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Signals to processes by descriptor, never by a number that may have been given to somebody else.
final class Pidfd {
    private Pidfd() {}

    /// Opens a descriptor of a process that was seen in `/proc`.
    ///
    /// @return the descriptor, or the negated error number; `-ESRCH` if the number belongs to another process now
    static int open(Libc libc, ProcFile files, Proc proc) {
        int fd = libc.pidfdOpen(proc.pid());
        if (fd < 0) {
            return fd;
        }
        // The descriptor stands for whoever had the number when it was opened: is that still the one we saw?
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

    /// Takes note of the death of a child of ours; fails, as it should, for anybody else's.
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
