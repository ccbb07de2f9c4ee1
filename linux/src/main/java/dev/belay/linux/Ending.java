package dev.belay.linux;

import dev.belay.Deadline;
import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.Signal;
import dev.belay.host.HostProcess.Ended;
import dev.belay.host.Uninterrupted;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Ends all processes of a session: politely first, then by SIGKILL, until a look at the machine finds none.
///
/// Runs on the caller's thread and waits for deaths that the loop reports.
final class Ending {
    /// How long a process may take to die of SIGKILL: it is at once, unless the kernel is stuck on its behalf.
    private static final Duration KILL_PATIENCE = Duration.ofSeconds(5);

    private static final long SELF = ProcessHandle.current().pid();
    private static final Duration RETRY = Duration.ofMillis(500);

    private final Loop loop;
    private final long leader;
    private final Supplier<List<Proc>> members;
    private final Runnable killGroup;
    private final Runnable hangUp;
    private final Duration patience;
    private final Set<Long> asked = new HashSet<>();
    private final Set<Long> killed = new HashSet<>();

    Ending(Loop loop, long leader, Supplier<List<Proc>> members, Runnable killGroup, Runnable hangUp) {
        this(loop, leader, members, killGroup, hangUp, KILL_PATIENCE);
    }

    /// @param members   finds the living processes
    /// @param killGroup kills all that are in the session's control group, if it has one, at once
    /// @param hangUp    closes the terminal, for processes that Belay may not signal
    /// @param patience  how long to wait once they are killed
    Ending(Loop loop, long leader, Supplier<List<Proc>> members, Runnable killGroup, Runnable hangUp,
            Duration patience) {
        this.loop = loop;
        this.leader = leader;
        this.members = members;
        this.killGroup = killGroup;
        this.hangUp = hangUp;
        this.patience = patience;
    }

    Ended run(Duration grace) {
        Deadline polite = Deadline.in(grace);
        // Begins with the first SIGKILL: on a machine under load the looks alone may take longer.
        Deadline last = null;
        List<String> left = List.of();
        while (true) {
            // Whatever was found, never the process that looks.
            List<Proc> alive = members.get().stream().filter(proc -> proc.pid() != SELF).toList();
            if (alive.isEmpty()) {
                return ended(0, List.of());
            }
            if (last != null && last.passed()) {
                return ended(alive.size(), left.isEmpty() ? describe(alive, "does not die") : left);
            }
            if (polite.passed()) {
                last = last == null ? Deadline.in(patience) : last;
                left = wave(alive, true, last);
            } else {
                left = wave(alive, false, polite);
            }
        }
    }

    private Ended ended(int alive, List<String> left) {
        Set<Long> all = new HashSet<>(asked);
        all.addAll(killed);
        return new Ended(Math.max(0, all.size() - alive), killed.size(), left, false);
    }

    /// Signals the processes and waits until they are dead or the time is over.
    ///
    /// @return those that could not be signalled
    private List<String> wave(List<Proc> alive, boolean kill, Deadline until) {
        List<String> refused = new ArrayList<>();
        List<Death> deaths = new ArrayList<>();
        boolean allWatched = true;
        CountDownLatch pending = new CountDownLatch(alive.size());
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            ProcFile files = new ProcFile(libc, arena);
            for (Proc proc : alive) {
                int fd = opened(libc, files, proc);
                if (fd < 0) {
                    if (fd != -Errno.ESRCH) {
                        refused.addAll(describe(List.of(proc), Errno.text(-fd)));
                    }
                    pending.countDown();
                    continue;
                }
                int result = signal(libc, fd, proc, kill);
                if (result < 0 && result != -Errno.ESRCH) {
                    refused.addAll(describe(List.of(proc), Errno.text(-result)));
                }
                Death death = new Death(loop, fd, proc.pid() != leader, pending);
                deaths.add(death);
                allWatched &= death.watch(libc, arena);
            }
            if (kill) {
                // Those that were forked meanwhile, too.
                killGroup.run();
            }
            if (kill && !refused.isEmpty()) {
                // Not ours to signal, such as a program of another user: the kernel's own hang-up is what is left.
                hangUp.run();
            }
            boolean again = !allWatched || (kill && !refused.isEmpty());
            Deadline next = again ? sooner(until) : until;
            Uninterrupted.run(() -> pending.await(next.remainingNanos(), TimeUnit.NANOSECONDS));
            if (deaths.isEmpty() && !refused.isEmpty()) {
                throw new SessionException(
                        ErrorCode.UNAVAILABLE, "Cannot end processes now: " + String.join("; ", refused));
            }
        } finally {
            loop.call(() -> {
                deaths.forEach(Death::forget);
                return true;
            });
        }
        return refused;
    }

    /// When to try again: who may not be signalled now may be in a moment, between two programs for instance; and for a
    /// death that the loop had no memory to wait for, somebody has to look.
    private static Deadline sooner(Deadline until) {
        return until.remainingNanos() > RETRY.toNanos() ? Deadline.in(RETRY) : until;
    }

    private static int opened(Libc libc, ProcFile files, Proc proc) {
        try {
            return Pidfd.open(libc, files, proc);
        } catch (SessionException _) {
            // Too many open files: said of this process, tried for the others.
            return -Errno.EMFILE;
        }
    }

    private int signal(Libc libc, int fd, Proc proc, boolean kill) {
        if (kill) {
            int result = libc.pidfdSendSignal(fd, Signal.KILL.number());
            if (result == 0) {
                killed.add(proc.pid());
            }
            return result;
        }
        if (!asked.add(proc.pid())) {
            return 0;
        }
        int result = libc.pidfdSendSignal(fd, Signal.HUP.number());
        libc.pidfdSendSignal(fd, Signal.TERM.number());
        // A stopped process acts on neither before it is continued.
        libc.pidfdSendSignal(fd, Signal.CONT.number());
        return result;
    }

    private static List<String> describe(List<Proc> procs, String why) {
        return procs.stream()
                .map(proc -> "process " + proc.pid() + " (" + proc.name() + "): " + why)
                .toList();
    }

    /// One process whose death the loop waits for.
    private static final class Death implements Loop.Source {
        private final Loop loop;
        private final Fd pidfd;
        private final boolean mayBeOurs;
        private final CountDownLatch pending;
        private final long id;
        private boolean over;

        Death(Loop loop, int pidfd, boolean mayBeOurs, CountDownLatch pending) {
            this.loop = loop;
            this.id = loop.newId();
            this.pidfd = new Fd(pidfd);
            this.mayBeOurs = mayBeOurs;
            this.pending = pending;
        }

        /// @return false if there was no memory for it
        boolean watch(Libc libc, Arena arena) {
            return loop.add(libc, arena, id, pidfd.number(), Abi.EPOLLIN, this) == 0;
        }

        @Override
        public void ready(int events) {
            if (mayBeOurs) {
                reap();
            }
            forget();
        }

        private void reap() {
            try (Arena arena = Arena.ofConfined()) {
                Pidfd.reap(loop.libc, arena, pidfd.number());
            }
        }

        @Override
        public void failed(Throwable cause) {
            forget();
        }

        void forget() {
            if (!over) {
                over = true;
                loop.remove(pidfd.number(), id);
                pidfd.close(loop.libc);
                pending.countDown();
            }
        }
    }
}
