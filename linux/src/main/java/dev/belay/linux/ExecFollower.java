package dev.belay.linux;

import java.lang.foreign.Arena;

/// Waits for the death of a process that is held, so that nobody is asked about it any longer. Belongs to the loop.
final class ExecFollower implements Loop.Source {
    private final Loop loop;
    private final HeldExec request;
    private final Fd pidfd;
    private final long id;

    ExecFollower(Loop loop, HeldExec request, int pidfd) {
        this.loop = loop;
        this.request = request;
        this.pidfd = new Fd(pidfd);
        this.id = loop.newId();
    }

    /// Begins to wait. On any thread.
    ///
    /// @return 0, or the negated error number: then it is released
    int start(Libc libc, Arena arena) {
        int result = loop.add(libc, arena, id, pidfd.number(), Abi.EPOLLIN, this);
        if (result < 0) {
            pidfd.close(libc);
        }
        return result;
    }

    /// Waits no longer. On any thread.
    void cancel() {
        loop.post(this::release);
    }

    @Override
    public void ready(int events) {
        release();
        request.leave();
    }

    @Override
    public void failed(Throwable cause) {
        release();
    }

    private void release() {
        if (!pidfd.closed()) {
            loop.remove(pidfd.number(), id);
            pidfd.close(loop.libc);
        }
    }
}
