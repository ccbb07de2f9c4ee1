package dev.belay;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What the processes of a session may use. The kernel counts each process by itself, but for `processes`, which it
/// counts per user. Null: as Belay itself may. Start with [#AS_BELAY] and refine.
///
/// @param cpu         processor time; a process that uses more is ended by SIGXCPU
/// @param memoryBytes address space; beyond it a process gets no more memory. Programs that reserve much more than they
///                    use, such as Java or Node.js, need a generous one
/// @param fileBytes   the size of a file that is written; a process that writes more is ended by SIGXFSZ
/// @param openFiles   open descriptors
/// @param processes   processes of the user, not of the session; root has no limit
/// @param coreBytes   the size of a core dump; 0 for none
public record Resources(
        @Nullable Duration cpu,
        @Nullable Long memoryBytes,
        @Nullable Long fileBytes,
        @Nullable Long openFiles,
        @Nullable Long processes,
        @Nullable Long coreBytes) {
    /// No limits beyond those that Belay itself has.
    public static final Resources AS_BELAY = new Resources(null, null, null, null, null, null);

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
        return new Resources(value, memoryBytes, fileBytes, openFiles, processes, coreBytes);
    }

    public Resources memoryBytes(@Nullable Long value) {
        return new Resources(cpu, value, fileBytes, openFiles, processes, coreBytes);
    }

    public Resources fileBytes(@Nullable Long value) {
        return new Resources(cpu, memoryBytes, value, openFiles, processes, coreBytes);
    }

    public Resources openFiles(@Nullable Long value) {
        return new Resources(cpu, memoryBytes, fileBytes, value, processes, coreBytes);
    }

    public Resources processes(@Nullable Long value) {
        return new Resources(cpu, memoryBytes, fileBytes, openFiles, value, coreBytes);
    }

    public Resources coreBytes(@Nullable Long value) {
        return new Resources(cpu, memoryBytes, fileBytes, openFiles, processes, value);
    }

    /// Why a session ended whose leader the kernel ended for one of these limits; the exit itself otherwise.
    EndReason reasonOf(ExitStatus exit) {
        if (cpu != null && exit.signal().filter(Signal.XCPU::equals).isPresent()) {
            return EndReason.CPU_LIMIT;
        }
        if (fileBytes != null && exit.signal().filter(Signal.XFSZ::equals).isPresent()) {
            return EndReason.FILE_SIZE_LIMIT;
        }
        return EndReason.EXIT;
    }

    private static void requirePositive(String what, @Nullable Long value) {
        if (value != null && value < 1) {
            throw SessionException.invalid("The limit of " + what + " has to be at least 1; leave it out for none.");
        }
    }
}
