package dev.belay.linux;

import dev.belay.Signal;
import java.lang.foreign.Arena;

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
        Proc now = Proc.read(files, proc.pid());
        if (now == null || now.started() != proc.started()) {
            libc.close(fd);
            return -Errno.ESRCH;
        }
        return fd;
    }

    /// Sends one signal.
    ///
    /// @return whether it was sent
    static boolean signalOnce(Libc libc, Arena arena, Proc proc, Signal signal) {
        int fd = open(libc, new ProcFile(libc, arena), proc);
        if (fd < 0) {
            return false;
        }
        try {
            return libc.pidfdSendSignal(fd, signal.number()) == 0;
        } finally {
            libc.close(fd);
        }
    }
}
