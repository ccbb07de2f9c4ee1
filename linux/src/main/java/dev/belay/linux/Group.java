package dev.belay.linux;

import dev.belay.EndReason;
import dev.belay.ErrorCode;
import dev.belay.ExitStatus;
import dev.belay.Resources.Together;
import dev.belay.SessionException;
import dev.belay.Signal;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/// A control group that holds all processes of one session, for as long as there are any. Any thread may use it.
///
/// @param folder of the group in the hierarchy
record Group(Path folder) {
    private static final System.Logger LOG = System.getLogger("dev.belay.linux");
    private static final int PERIOD_MICROS = 100_000;
    /// A killed process leaves its group when it is switched out for the last time, a moment after its death is reported.
    private static final long LEAVING_NANOS = Duration.ofSeconds(5).toNanos();

    /// What is written to which file, and the controller that the file needs.
    static Map<String, String> bounds(Together together) {
        Map<String, String> bounds = new TreeMap<>();
        if (together.memoryBytes() != null) {
            bounds.put("memory.max", together.memoryBytes().toString());
            bounds.put("memory.swap.max", "0");
            bounds.put("memory.oom.group", "1");
        }
        if (together.processes() != null) {
            bounds.put("pids.max", together.processes().toString());
        }
        if (together.cores() != null) {
            bounds.put("cpu.max", Math.round(together.cores() * PERIOD_MICROS) + " " + PERIOD_MICROS);
        }
        return bounds;
    }

    /// Before anybody is in it.
    void bound(Together together) {
        bounds(together).forEach((file, value) -> {
            // Kernels without swap have no limit for it either.
            boolean needless = file.equals("memory.swap.max") && !Files.exists(folder.resolve(file));
            if (!needless) {
                set(file, value);
            }
        });
    }

    /// Moves a process in. All it starts from then on are in it too.
    void join(long pid) {
        set("cgroup.procs", Long.toString(pid));
    }

    private void set(String file, String value) {
        try {
            write(folder.resolve(file), value);
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "The control group of the session could not be set up: " + file + " = " + value + ": "
                            + e.getMessage() + ".");
        }
    }

    /// With one write, as the kernel wants it; by a stream, which an interrupt does not close.
    static void write(Path file, String value) throws IOException {
        try (FileOutputStream out = new FileOutputStream(file.toFile())) {
            out.write(value.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /// The numbers of the living processes in it, and in groups that they have made within it.
    List<Long> pids() {
        List<Long> pids = new ArrayList<>();
        for (Path each : folders(folder)) {
            Machine.text(each.resolve("cgroup.procs").toString())
                    .lines()
                    .map(Long::parseLong)
                    // Of another namespace: not ours to name.
                    .filter(pid -> pid > 0)
                    .forEach(pids::add);
        }
        return pids;
    }

    /// Kills all of them at once: none can fork in between. Kernels before 5.14 cannot.
    void kill() {
        kill(folder);
    }

    private static void kill(Path folder) {
        Path file = folder.resolve("cgroup.kill");
        if (Files.exists(file)) {
            try {
                write(file, "1");
            } catch (IOException e) {
                LOG.log(System.Logger.Level.WARNING, "a control group could not be killed: " + folder, e);
            }
        }
    }

    /// The limit that the kernel says was reached, if it is what ended the leader.
    Optional<EndReason> limitHit(ExitStatus exit) {
        if (exit.signal().filter(Signal.KILL::equals).isPresent() && count("memory.events", "oom_kill") > 0) {
            return Optional.of(EndReason.MEMORY_LIMIT);
        }
        return exit.code() != 0 && count("pids.events", "max") > 0
                ? Optional.of(EndReason.PROCESS_LIMIT)
                : Optional.empty();
    }

    private long count(String file, String name) {
        return Machine.text(folder.resolve(file).toString())
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(0);
    }

    /// Kills what is left in it and removes it. Waits until the last one has left, at most for a few seconds.
    ///
    /// @return false if the kernel holds on to it
    boolean remove() {
        return remove(folder);
    }

    static boolean remove(Path group) {
        long deadline = System.nanoTime() + LEAVING_NANOS;
        while (Files.exists(group)) {
            kill(group);
            try {
                for (Path each : folders(group)) {
                    Files.deleteIfExists(each);
                }
            } catch (IOException e) {
                if (System.nanoTime() - deadline > 0) {
                    LOG.log(System.Logger.Level.WARNING, "a control group could not be removed", e);
                    return false;
                }
                LockSupport.parkNanos(1_000_000);
            }
        }
        return true;
    }

    /// A group and all within it, the innermost first.
    private static List<Path> folders(Path group) {
        try (Stream<Path> all = Files.walk(group)) {
            return all.filter(Files::isDirectory).sorted(Comparator.reverseOrder()).toList();
        } catch (IOException | UncheckedIOException _) {
            // Some of them went while we looked, or all.
            return Files.exists(group) ? List.of(group) : List.of();
        }
    }
}
