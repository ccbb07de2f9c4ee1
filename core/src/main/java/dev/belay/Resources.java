package dev.belay;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What the processes of a session may use. The kernel counts each process by itself, but for `processes`, which it
/// counts per user, and for what is said of all `together`. Null: as Belay itself may. Start with [#AS_BELAY] and refine.
///
/// @param cpu         processor time; a process that uses more is ended by SIGXCPU
/// @param memoryBytes address space; beyond it a process gets no more memory. Programs that reserve much more than they
///                    use, such as Java or Node.js, need a generous one
/// @param fileBytes   the size of a file that is written; a process that writes more is ended by SIGXFSZ
/// @param openFiles   open descriptors
/// @param processes   processes of the user, not of the session; root has no limit
/// @param coreBytes   the size of a core dump; 0 for none. Null: none, as soon as anything else is limited
/// @param together    what all processes of the session may use together; the open is refused where the machine cannot
///                    hold them to it
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

    /// What all processes of a session may use together, however many they are. On Linux they are held in a control group
    /// of their own, from before the program starts: none escapes it. Null: as Belay itself may.
    ///
    /// @param memoryBytes memory in use, without swap; when it is used up the kernel ends the whole session by SIGKILL
    /// @param processes   processes and threads at once; beyond it a process cannot start another
    /// @param cores       processor time per time, where 1.5 is all of one core and half of another
    public record Together(@Nullable Long memoryBytes, @Nullable Long processes, @Nullable Double cores) {
        /// A group of their own, without bounds: it makes sure that ending the session finds every process.
        public static final Together UNBOUNDED = new Together(null, null, null);

        private static final double FEWEST_CORES = 0.01;

        public Together {
            requirePositive("memory", memoryBytes);
            requirePositive("processes", processes);
            if (cores != null && !(cores >= FEWEST_CORES)) {
                throw SessionException.invalid("The share of cores has to be at least " + FEWEST_CORES
                        + "; leave it out for no limit.");
            }
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
                    .invalid("Processor time is limited by whole seconds, at least 1; " + cpu + " is less.");
        }
        requirePositive("memory", memoryBytes);
        requirePositive("file size", fileBytes);
        requirePositive("open files", openFiles);
        requirePositive("processes", processes);
        if (coreBytes != null && coreBytes < 0) {
            throw SessionException.invalid("The limit of core dumps cannot be negative.");
        }
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

    /// These limits, and where others are lower or the only ones, those.
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

    /// The lower of two limits, where null is none.
    static <T extends Comparable<T>> @Nullable T least(@Nullable T a, @Nullable T b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.compareTo(b) <= 0 ? a : b;
    }

    /// Why a session ended whose leader the kernel ended for one of these limits, or a process that the leader waited for:
    /// a shell ends with the same code then. The exit itself otherwise.
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
            throw SessionException.invalid("The limit of " + what + " has to be at least 1; leave it out for none.");
        }
    }
}
