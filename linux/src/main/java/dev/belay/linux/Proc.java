package dev.belay.linux;

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

    static @Nullable Proc read(ProcFile files, long pid) {
        String stat = files.text(pid, "stat");
        // The name may hold spaces and brackets; the rest does not.
        int nameEnd = stat == null ? -1 : stat.lastIndexOf(')');
        if (stat == null || nameEnd < 0) {
            return null;
        }
        String[] rest = stat.substring(nameEnd + 2).split(" ", -1);
        boolean dead = rest[0].equals("Z") || rest[0].equals("X");
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
                stat.substring(stat.indexOf('(') + 1, nameEnd));
    }
}
