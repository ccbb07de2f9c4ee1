package dev.belay.linux;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A process as `/proc/PID/stat` shows it.
///
/// @param started when it was started, in clock ticks since boot: with the pid it names a process for good
/// @param alive   false for one that is dead and only waits for its parent to take note
/// @param kernel  whether it is a thread of the kernel, which is nobody's child
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
    private static final int ENVIRONMENT_END = 48;
    private static final int USER_TIME = 11;
    private static final int SYSTEM_TIME = 12;
    /// What Linux counts in towards programs, whatever it counts in itself.
    private static final int TICKS_PER_SECOND = 100;

    static @Nullable Proc read(ProcFile files, long pid) {
        String stat = stat(files, pid);
        if (stat == null) {
            return null;
        }
        String[] rest = afterName(stat);
        boolean dead = dead(rest);
        // A process whose first thread has ended looks like a zombie although its other threads live.
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

    /// Whether a living process that may be looked at is in the middle of an `exec`: its new memory has no place for an
    /// environment yet.
    static boolean inExec(ProcFile files, long pid) {
        String stat = stat(files, pid);
        if (stat == null) {
            return false;
        }
        String[] rest = afterName(stat);
        return !dead(rest) && rest[ENVIRONMENT_END].equals("0");
    }

    /// The processor time that a process has used, without its children's; zero for one that is gone.
    static Duration cpu(ProcFile files, long pid) {
        String stat = stat(files, pid);
        if (stat == null) {
            return Duration.ZERO;
        }
        String[] rest = afterName(stat);
        long ticks = Long.parseLong(rest[USER_TIME]) + Long.parseLong(rest[SYSTEM_TIME]);
        return Duration.ofMillis(ticks * (1000 / TICKS_PER_SECOND));
    }

    private static @Nullable String stat(ProcFile files, long pid) {
        String stat = files.text(pid, "stat");
        return stat == null || stat.indexOf(')') < 0 ? null : stat;
    }

    /// The fields from the third on. The name before them may hold spaces and brackets; they do not.
    private static String[] afterName(String stat) {
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    }

    private static boolean dead(String[] rest) {
        return rest[0].equals("Z") || rest[0].equals("X");
    }
}
