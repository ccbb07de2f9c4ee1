package dev.belay;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What the processes of a session may use. The limits apply to each process separately, except `processes`, which the
/// kernel counts per user, and `together`. Null means the limit that Belay itself has. Start with [#AS_BELAY] and
/// refine.
///
/// @param cpu         CPU time; a process that uses more is killed by SIGXCPU
/// @param memoryBytes address space; a process gets no more memory beyond it. Programs that reserve much more than they
///                    use, such as Java or Node.js, need a generous limit
/// @param fileBytes   the size of a file that is written; a process that writes more is killed by SIGXFSZ
/// @param openFiles   open descriptors
/// @param processes   processes of the user, not of the session; root has no limit
/// @param coreBytes   the size of a core dump; 0 for none. Null also means none if anything else is limited
/// @param together    what all processes of the session may use together; the open is refused if the machine cannot
///                    enforce it
public record Resources(
        @Nullable Duration cpu,
        @Nullable Long memoryBytes,
        @Nullable Long fileBytes,
        @Nullable Long openFiles,
        @Nullable Long processes,
        @Nullable Long coreBytes,
        @Nullable Together together) {
    /// No limits beyond those that Belay itself has.
    public static final Resources AS_BELAY = new Resources(null, null, null, null, null, null, null);

    /// What all processes of a session may use together, however many they are. On Linux they have a control group of
    /// their own from before the program starts, and none escapes it. Null means the limit that Belay itself has.
    ///
    /// @param memoryBytes memory in use, without swap; when it is used up, the kernel kills the whole session by
    ///                    SIGKILL
    /// @param processes   processes and threads at once; beyond that no process can start another
    /// @param cores       CPU cores; 1.5 means all of one core and half of another
    public record Together(@Nullable Long memoryBytes, @Nullable Long processes, @Nullable Double cores) {
        /// A control group without limits. It guarantees that ending the session finds every process.
        public static final Together UNBOUNDED = new Together(null, null, null);

        private static final double FEWEST_CORES = 0.01;

        public Together {
            requirePositive("memory", memoryBytes);
            requirePositive("processes", processes);
            if (cores != null && !(cores >= FEWEST_CORES)) {
                throw SessionException.invalid("The share of cores must be at least " + FEWEST_CORES
                        + "; leave it out for no limit.");
            }
        }

        /// Whether nothing is limited.
        public boolean unbounded() {
            return memoryBytes == null && processes == null && cores == null;
        }

        public Together memoryBytes(@Nullable Long value) {
            return new Together(value, processes, cores);
        }

        public Together processes(@Nullable Long value) {
            return new Together(memoryBytes, value, cores);
        }

        public Together cores(@Nullable Double value) {
            return new Together(memoryBytes, processes, value);
        }

        private Together within(Together most) {
            return new Together(
                    least(memoryBytes, most.memoryBytes), least(processes, most.processes), least(cores, most.cores));
        }
    }

    public Resources {
        if (cpu != null && cpu.compareTo(Duration.ofSeconds(1)) < 0) {
            throw SessionException
                    .invalid("The CPU time limit must be at least 1 second, not " + cpu + ".");
        }
        requirePositive("memory", memoryBytes);
        requirePositive("file size", fileBytes);
        requirePositive("open files", openFiles);
        requirePositive("processes", processes);
        if (coreBytes != null && coreBytes < 0) {
            throw SessionException.invalid("The size limit of core dumps cannot be negative.");
        }
    }

    /// Whether nothing is limited beyond what Belay itself is.
    boolean asBelay() {
        return cpu == null
                && memoryBytes == null
                && fileBytes == null
                && openFiles == null
                && processes == null
                && coreBytes == null
                && together == null;
    }

    public Resources cpu(@Nullable Duration value) {
        return new Resources(value, memoryBytes, fileBytes, openFiles, processes, coreBytes, together);
    }

    public Resources memoryBytes(@Nullable Long value) {
        return new Resources(cpu, value, fileBytes, openFiles, processes, coreBytes, together);
    }

    public Resources fileBytes(@Nullable Long value) {
        return new Resources(cpu, memoryBytes, value, openFiles, processes, coreBytes, together);
    }

    public Resources openFiles(@Nullable Long value) {
        return new Resources(cpu, memoryBytes, fileBytes, value, processes, coreBytes, together);
    }

    public Resources processes(@Nullable Long value) {
        return new Resources(cpu, memoryBytes, fileBytes, openFiles, value, coreBytes, together);
    }

    public Resources coreBytes(@Nullable Long value) {
        return new Resources(cpu, memoryBytes, fileBytes, openFiles, processes, value, together);
    }

    public Resources together(@Nullable Together value) {
        return new Resources(cpu, memoryBytes, fileBytes, openFiles, processes, coreBytes, value);
    }

    /// The lower of these limits and the others, one by one. A limit that only one side has counts.
    public Resources within(Resources most) {
        Together all = together == null || most.together == null
                ? (together == null ? most.together : together)
                : together.within(most.together);
        return new Resources(
                least(cpu, most.cpu),
                least(memoryBytes, most.memoryBytes),
                least(fileBytes, most.fileBytes),
                least(openFiles, most.openFiles),
                least(processes, most.processes),
                least(coreBytes, most.coreBytes),
                all);
    }

    /// The lower of two limits. Null means no limit.
    static <T extends Comparable<T>> @Nullable T least(@Nullable T a, @Nullable T b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.compareTo(b) <= 0 ? a : b;
    }

    /// The limit that ended the leader, or [EndReason#EXIT]. If the kernel killed a process that the leader waited for,
    /// that counts too, because a shell then exits with the same code.
    EndReason reasonOf(ExitStatus exit) {
        if (cpu != null && exit.code() == codeOf(Signal.XCPU)) {
            return EndReason.CPU_LIMIT;
        }
        if (fileBytes != null && exit.code() == codeOf(Signal.XFSZ)) {
            return EndReason.FILE_SIZE_LIMIT;
        }
        return EndReason.EXIT;
    }

    private static int codeOf(Signal signal) {
        return new ExitStatus.Signaled(signal).code();
    }

    private static void requirePositive(String what, @Nullable Long value) {
        if (value != null && value < 1) {
            throw SessionException.invalid("The limit of " + what + " must be at least 1; leave it out for no limit.");
        }
    }
}
