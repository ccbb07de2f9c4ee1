package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.Resources;
import dev.belay.SessionException;
import dev.belay.Signal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Starts a program with limits. `posix_spawn` cannot set any, and limits set after the start would come too late for
/// what a program does first. So a shell is started in its place, which stops itself; it gets the limits, is continued,
/// and becomes the program.
///
/// Until then nothing that the session says may have a say: variables such as `LD_PRELOAD` would run code in the shell
/// before there is a limit. So the shell gets them all under other names, and gives them theirs once it is continued.
final class Trampoline {
    static final String SHELL = "/bin/sh";
    /// Between the signal that a program may handle and the one that it may not.
    private static final Duration CPU_GRACE = Duration.ofSeconds(5);
    /// A shell stops a moment after its start. One that takes longer never will.
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String ASIDE = "belay_";
    /// What a shell can name. Others are lost, as they would be in most shells.
    private static final Predicate<String> NAMEABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*").asMatchPredicate();
    /// The mark by which leftovers are found, and what some shells let nobody set and heed from nobody.
    private static final Set<String> IN_PLACE = Set.of("BELAY_SESSION", "UID", "EUID", "PPID");
    /// Options and counters of a shell itself, which some let nobody set. They are not passed on.
    private static final Set<String> OF_A_SHELL = Set.of("SHELLOPTS", "BASHOPTS", "OPTIND");

    private final Map<Integer, Long> limits = new TreeMap<>();
    private final boolean grouped;
    private final Duration patience;

    Trampoline(Resources resources) {
        this(resources, PATIENCE);
    }

    /// @param patience how long the shell may take to stop
    Trampoline(Resources resources, Duration patience) {
        this.patience = patience;
        Duration cpu = resources.cpu();
        put(Abi.RLIMIT_CPU, cpu == null ? null : cpu.plusNanos(999_999_999).toSeconds());
        put(Abi.RLIMIT_AS, resources.memoryBytes());
        put(Abi.RLIMIT_FSIZE, resources.fileBytes());
        put(Abi.RLIMIT_NOFILE, resources.openFiles());
        put(Abi.RLIMIT_NPROC, resources.processes());
        put(Abi.RLIMIT_CORE, resources.coreBytes());
        grouped = resources.together() != null;
        if (needed()) {
            // What ends a process at its limit would dump its core.
            limits.putIfAbsent(Abi.RLIMIT_CORE, 0L);
        }
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

    /// Whether a shell passes all of an environment on.
    static boolean carries(Map<String, String> env) {
        return env.keySet().stream().allMatch(name -> NAMEABLE.test(name) && !OF_A_SHELL.contains(name));
    }

    /// What to start for a command. Only names of variables stand in it: everybody may read a command line.
    static List<String> command(List<String> command, Map<String, String> env) {
        return shell("kill -STOP $$; " + restored(env) + "; exec \"$@\"", command);
    }

    /// What to start for a command that gives the session's variables their names itself, see [#inside].
    ///
    /// @param prelude what the shell does once it is continued
    static List<String> around(List<String> command, String prelude) {
        return shell("kill -STOP $$; " + prelude + "; exec \"$@\"", command);
    }

    /// A shell that gives variables their names back and becomes the command.
    static List<String> inside(List<String> command, Map<String, String> env) {
        return shell(restored(env) + "; exec \"$@\"", command);
    }

    private static List<String> shell(String script, List<String> command) {
        List<String> all = new ArrayList<>(List.of(SHELL, "-c", script, SHELL));
        all.addAll(command);
        return all;
    }

    private static String restored(Map<String, String> env) {
        // What shells set of themselves is not the session's.
        StringBuilder script = new StringBuilder("unset PWD OLDPWD SHLVL");
        // The shorter first: the other name of one may be the name of another.
        aside(env).sorted(Comparator.comparingInt(String::length)).forEach(name -> script.append("; export ")
                .append(name).append("=\"$").append(ASIDE).append(name).append("\"; unset ").append(ASIDE)
                .append(name));
        return script.toString();
    }

    /// The environment to start it with.
    static Map<String, String> environment(Map<String, String> env) {
        Map<String, String> seen = new HashMap<>(env);
        seen.keySet().retainAll(IN_PLACE);
        aside(env).forEach(name -> seen.put(ASIDE + name, env.getOrDefault(name, "")));
        return seen;
    }

    private static Stream<String> aside(Map<String, String> env) {
        return env.keySet().stream()
                .filter(NAMEABLE)
                .filter(name -> !IN_PLACE.contains(name) && !OF_A_SHELL.contains(name));
    }

    /// Waits for the shell to stop, sets its limits, moves it into its group and lets it go on. A shell starts in a
    /// moment, so this may block.
    void release(Libc libc, Arena arena, long pid, @Nullable SessionCgroup group) {
        if (!stops(libc, arena, pid)) {
            throw new SessionException(
                    ErrorCode.SPAWN_FAILED,
                    "The shell " + SHELL + " that sets the limits ended before it could, or did not start in time.");
        }
        limits.forEach((limit, value) -> set(libc, arena, pid, limit, value));
        if (group != null) {
            // It has no children yet, so every later process of the session starts inside the cgroup.
            group.join(pid);
        }
        int continued = libc.kill(pid, Signal.CONT.number());
        if (continued < 0) {
            throw Spawner.failed("let the process go on", -continued);
        }
    }

    private boolean stops(Libc libc, Arena arena, long pid) {
        MemorySegment info = arena.allocate(Abi.SIGINFO_BYTES, 8);
        int options = Abi.WSTOPPED | Abi.WEXITED | Abi.WNOWAIT;
        int result = new Patience(patience).call(pid, () -> libc.waitid(Abi.P_PID, (int) pid, info, options));
        return result == 0 && info.get(ValueLayout.JAVA_INT, Abi.SIGINFO_CODE) == Abi.CLD_STOPPED;
    }

    private static void set(Libc libc, Arena arena, long pid, int limit, long value) {
        MemorySegment now = arena.allocate(ValueLayout.JAVA_LONG, 2);
        int result = libc.prlimit(pid, limit, MemorySegment.NULL, now);
        long most = now.getAtIndex(ValueLayout.JAVA_LONG, 1);
        if (result == 0) {
            // Processor time: the signal at the soft limit can be handled; the hard one ends what did not. Belay's own
            // may leave less time between them.
            long hard = limit == Abi.RLIMIT_CPU && Long.compareUnsigned(value, most) <= 0
                    ? least(value + CPU_GRACE.toSeconds(), most)
                    : value;
            now.setAtIndex(ValueLayout.JAVA_LONG, 0, value);
            now.setAtIndex(ValueLayout.JAVA_LONG, 1, hard);
            result = libc.prlimit(pid, limit, now, MemorySegment.NULL);
        }
        if (result < 0) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "The limit of " + NAMES.get(limit) + " cannot be set to " + value + ": " + Errno.text(-result)
                            + "; Belay's own limit is " + Long.toUnsignedString(most) + ".");
        }
    }

    private static long least(long a, long b) {
        return Long.compareUnsigned(a, b) < 0 ? a : b;
    }

    private static final Map<Integer, String> NAMES = Map.of(
            Abi.RLIMIT_CPU, "processor time",
            Abi.RLIMIT_AS, "memory",
            Abi.RLIMIT_FSIZE, "file size",
            Abi.RLIMIT_NOFILE, "open files",
            Abi.RLIMIT_NPROC, "processes",
            Abi.RLIMIT_CORE, "core dumps");
}
