package dev.belay.linux;

import dev.belay.ExitStatus;
import dev.belay.Signal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The first process of a session. It is how the session's other processes are found.
///
/// The kernel does not reuse its pid before it is reaped. That happens on the loop, so only the loop signals it by pid.
final class Leader {
    private final Loop loop;
    private final Census census;
    private final long pid;
    private final Census.Wanted wanted;
    private final @Nullable SessionCgroup group;
    /// The processor time of each process, if it is limited.
    private final @Nullable Duration cpu;
    private final Fd pidfd;

    private volatile long leftAfter = Census.NOT_LEFT;

    // Loop only.
    private long id = -1;
    private @Nullable ExitStatus status;
    private boolean usedUpCpu;

    Leader(Loop loop, Census census, Spawned spawned, String mark, @Nullable Duration cpu) {
        this.loop = loop;
        this.census = census;
        this.pid = spawned.pid();
        this.wanted = new Census.Wanted(pid, spawned.tag(), mark, () -> leftAfter);
        this.group = spawned.group();
        this.cpu = cpu;
        this.pidfd = new Fd(spawned.pidfd());
        census.enter(pid, spawned.tag());
    }

    long pid() {
        return pid;
    }

    /// Whether its number may belong to somebody else by now.
    boolean reaped() {
        return leftAfter != Census.NOT_LEFT;
    }

    /// The living processes of the session, itself among them.
    List<Proc> members() {
        List<Proc> found = census.find(wanted);
        return group == null ? found : withGroup(group, found);
    }

    /// Every process in the cgroup belongs to the session, even without a tag or a mark.
    private static List<Proc> withGroup(SessionCgroup group, List<Proc> found) {
        Map<Long, Proc> all = new LinkedHashMap<>();
        found.forEach(proc -> all.put(proc.pid(), proc));
        try (Arena arena = Arena.ofConfined()) {
            ProcFile files = new ProcFile(new Libc(arena), arena);
            for (long member : group.pids()) {
                Proc proc = all.containsKey(member) ? null : Proc.read(files, member);
                if (proc != null && proc.alive()) {
                    all.put(member, proc);
                }
            }
        }
        return List.copyOf(all.values());
    }

    // --- before the loop hears of it ---

    /// Lets the loop wait for its exit.
    ///
    /// @return 0, or the negated error number
    int watch(Libc libc, Arena arena, Loop.Source source) {
        id = loop.newId();
        return loop.add(libc, arena, id, pidfd.number(), Abi.EPOLLIN, source);
    }

    /// Kills its process group and waits for its own death. Needs neither descriptors nor memory, of which there may be
    /// none.
    void killUnwatched(Libc libc, Arena arena) {
        libc.kill(-pid, Signal.KILL.number());
        MemorySegment info = arena.allocate(Abi.SIGINFO_BYTES, 8);
        libc.waitid(Abi.P_PIDFD, pidfd.number(), info, Abi.WEXITED | Abi.WNOWAIT);
    }

    // --- on the loop ---

    /// How it ended; null until it is reaped.
    @Nullable ExitStatus status() {
        return status;
    }

    /// Whether it was killed for the processor time that it had used.
    boolean usedUpCpu() {
        return usedUpCpu;
    }

    /// Signals its process group.
    ///
    /// @return 0, or the negated error number
    int signalGroup(Signal signal) {
        return reaped() ? -Errno.ESRCH : loop.libc.kill(-pid, signal.number());
    }

    /// Takes note of its death, if it is dead.
    void reap() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = arena.allocate(Abi.SIGINFO_BYTES, 8);
            int look = Abi.WEXITED | Abi.WNOHANG | Abi.WNOWAIT;
            int result = loop.libc.waitid(Abi.P_PIDFD, pidfd.number(), info, look);
            boolean lives = result == 0 && info.get(ValueLayout.JAVA_INT, Abi.SIGINFO_PID) == 0;
            if (lives) {
                return;
            }
            int value = info.get(ValueLayout.JAVA_INT, Abi.SIGINFO_STATUS);
            usedUpCpu = value == Signal.KILL.number() && outOfTime(arena);
            // Said before the number is given back to the kernel, which gives it to somebody else.
            leftAfter = census.leave(pid);
            Pidfd.reap(loop.libc, arena, pidfd.number());
            boolean byItself = info.get(ValueLayout.JAVA_INT, Abi.SIGINFO_CODE) == Abi.CLD_EXITED;
            // An error means that somebody else has waited for our child; its status is lost, its death is not.
            status = result < 0 || byItself
                    ? new ExitStatus.Exited(result < 0 ? 255 : value)
                    : new ExitStatus.Signaled(new Signal(value));
        }
        if (id >= 0) {
            loop.remove(pidfd.number(), id);
            id = -1;
        }
        pidfd.close(loop.libc);
    }

    /// Whether the leader, which is dead and was killed, had used the processor time at which the kernel kills. The
    /// kernel counts that by looking who runs at each tick, which on a busy machine is up to a third more than what it
    /// shows: hence the half.
    private boolean outOfTime(Arena arena) {
        if (cpu == null) {
            return false;
        }
        ProcFile files = new ProcFile(loop.libc, arena);
        // By a file: only some of those who may end another user's process may ask for its limits.
        String limits = files.text(pid, "limits");
        Duration used = Proc.cpu(files, pid);
        return limits != null && Machine.limit(limits, "Max cpu time")
                .filter(limit -> limit.hard() > 0 && used.multipliedBy(2).toSeconds() >= limit.hard())
                .isPresent();
    }
}
