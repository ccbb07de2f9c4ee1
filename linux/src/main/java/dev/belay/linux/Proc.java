package dev.belay.linux;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A process, from `/proc/PID/stat`.
///
/// @param started its start time in clock ticks since boot; with the pid, it identifies a process for good
/// @param alive   false for a zombie
/// @param kernel  whether it is a kernel thread, which belongs to no session
record Proc(
        long pid,
        long parent,
        long group,
        long session,
        long started,
        boolean alive,
        boolean kernel,
        String name) {
    private static final int PF_KTHREAD = 0x0020_0000;
    private static final int STACK = 25;
    private static final int ENVIRONMENT_END = 48;
    /// See [#stack]: no living process.
    static final long NO_STACK = -1;
    private static final int CHILDREN_FAULTS = 8;
    private static final int USER_TIME = 11;
    private static final int SYSTEM_TIME = 12;
    /// The unit in which Linux reports times to programs, whatever it uses itself.
    private static final int TICKS_PER_SECOND = 100;

    static int oldestFirst(Proc one, Proc other) {
        int byTime = Long.compare(one.started, other.started);
        return byTime != 0 ? byTime : Long.compare(one.pid, other.pid);
    }

    static @Nullable Proc read(ProcFile files, long pid) {
        String stat = stat(files, pid);
        if (stat == null) {
            return null;
        }
        String[] rest = afterName(stat);
        boolean dead = dead(rest);
        // A process whose first thread has ended looks like a zombie while its other threads live.
        boolean alive = !dead || Long.parseLong(rest[17]) > 1;
        return new Proc(
                pid,
                Long.parseLong(rest[1]),
                Long.parseLong(rest[2]),
                Long.parseLong(rest[3]),
                Long.parseLong(rest[19]),
                alive,
                (Long.parseLong(rest[6]) & PF_KTHREAD) != 0,
                stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')')));
    }

    /// Whether a living process is in the middle of an `exec`: its new memory has no environment yet. Only for a
    /// process that may be looked at.
    static boolean inExec(ProcFile files, long pid) {
        String stat = stat(files, pid);
        if (stat == null) {
            return false;
        }
        String[] rest = afterName(stat);
        return !dead(rest) && rest[ENVIRONMENT_END].equals("0");
    }

    /// Where the stack of a process begins, which changes with every program that it starts; [#NO_STACK] if it is gone.
    static long stack(ProcFile files, long pid) {
        String stat = stat(files, pid);
        if (stat == null) {
            return NO_STACK;
        }
        String[] rest = afterName(stat);
        return dead(rest) ? NO_STACK : Long.parseUnsignedLong(rest[STACK]);
    }

    /// The CPU time that a process has used, without its children's; zero if it is gone.
    static Duration cpu(ProcFile files, long pid) {
        String stat = stat(files, pid);
        if (stat == null) {
            return Duration.ZERO;
        }
        String[] rest = afterName(stat);
        long ticks = Long.parseLong(rest[USER_TIME]) + Long.parseLong(rest[SYSTEM_TIME]);
        return Duration.ofMillis(ticks * (1000 / TICKS_PER_SECOND));
    }

    /// Whether a process has waited for a child that had ended. The kernel adds up the page faults of those.
    static boolean hasWaited(ProcFile files, long pid) {
        String stat = stat(files, pid);
        return stat != null && !afterName(stat)[CHILDREN_FAULTS].equals("0");
    }

    private static @Nullable String stat(ProcFile files, long pid) {
        String stat = files.text(pid, "stat");
        return stat == null || stat.indexOf(')') < 0 ? null : stat;
    }

    /// The fields from the third on. Only the name before them can contain spaces and brackets.
    private static String[] afterName(String stat) {
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    }

    private static boolean dead(String[] rest) {
        return rest[0].equals("Z") || rest[0].equals("X");
    }
}
