package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.Resources;
import dev.belay.SessionException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Starts a program with limits. `posix_spawn` cannot set any, and limits set after the start would come too late for
/// what a program does first. So a shell is started in its place, which stops itself; it gets the limits, is continued,
/// and becomes the program.
final class Trampoline {
    static final String SHELL = "/bin/sh";
    private static final String SCRIPT = "kill -STOP $$; exec \"$@\"";
    /// Between the signal that a program may handle and the one that it may not.
    private static final Duration CPU_GRACE = Duration.ofSeconds(5);

    private final Map<Integer, Long> limits = new TreeMap<>();
    private final boolean grouped;

    Trampoline(Resources resources) {
        Duration cpu = resources.cpu();
        put(Abi.RLIMIT_CPU, cpu == null ? null : cpu.plusNanos(999_999_999).toSeconds());
        put(Abi.RLIMIT_AS, resources.memoryBytes());
        put(Abi.RLIMIT_FSIZE, resources.fileBytes());
        put(Abi.RLIMIT_NOFILE, resources.openFiles());
        put(Abi.RLIMIT_NPROC, resources.processes());
        put(Abi.RLIMIT_CORE, resources.coreBytes());
        grouped = resources.together() != null;
    }

    private void put(int limit, @Nullable Long value) {
        if (value != null) {
            limits.put(limit, value);
        }
    }

    /// Whether there is anything to limit: else the program is started itself.
    boolean needed() {
        return grouped || !limits.isEmpty();
    }

    static List<String> command(List<String> command) {
        List<String> all = new ArrayList<>(List.of(SHELL, "-c", SCRIPT, SHELL));
        all.addAll(command);
        return all;
    }

    /// Waits for the shell to stop, sets its limits, moves it into its group and lets it go on. A shell starts in a moment,
    /// so this may block.
    void release(Libc libc, Arena arena, long pid, @Nullable Group group) {
        MemorySegment info = arena.allocate(Abi.SIGINFO_BYTES, 8);
        int options = Abi.WSTOPPED | Abi.WEXITED | Abi.WNOWAIT;
        int result = libc.waitid(Abi.P_PID, (int) pid, info, options);
        if (result < 0 || info.get(ValueLayout.JAVA_INT, Abi.SIGINFO_CODE) != Abi.CLD_STOPPED) {
            throw new SessionException(
                    ErrorCode.SPAWN_FAILED, "The shell " + SHELL + " that sets the limits ended before it could.");
        }
        limits.forEach((limit, value) -> set(libc, arena, pid, limit, value));
        if (group != null) {
            // It has started nobody yet: whoever will be of this session starts inside.
            group.join(pid);
        }
        int continued = libc.kill(pid, dev.belay.Signal.CONT.number());
        if (continued < 0) {
            throw Spawner.failed("let the process go on", -continued);
        }
    }

    private static void set(Libc libc, Arena arena, long pid, int limit, long value) {
        long hard = limit == Abi.RLIMIT_CPU ? value + CPU_GRACE.toSeconds() : value;
        MemorySegment now = arena.allocate(ValueLayout.JAVA_LONG, 2);
        int result = libc.prlimit(pid, limit, MemorySegment.NULL, now);
        long most = now.getAtIndex(ValueLayout.JAVA_LONG, 1);
        if (result == 0) {
            now.setAtIndex(ValueLayout.JAVA_LONG, 0, value);
            // Processor time: the signal at the soft limit can be handled; the hard one ends what did not.
            now.setAtIndex(ValueLayout.JAVA_LONG, 1, hard);
            result = libc.prlimit(pid, limit, now, MemorySegment.NULL);
        }
        if (result < 0) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "The limit of " + NAMES.get(limit) + " cannot be set to " + value + ": " + Errno.text(-result)
                            + "; Belay itself may use " + Long.toUnsignedString(most) + " at the most.");
        }
    }

    private static final Map<Integer, String> NAMES = Map.of(
            Abi.RLIMIT_CPU, "processor time",
            Abi.RLIMIT_AS, "memory",
            Abi.RLIMIT_FSIZE, "file size",
            Abi.RLIMIT_NOFILE, "open files",
            Abi.RLIMIT_NPROC, "processes",
            Abi.RLIMIT_CORE, "core dumps");
}
