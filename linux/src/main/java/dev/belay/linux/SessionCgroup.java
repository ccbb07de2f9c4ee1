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

/// The control group (cgroup v2) that holds all processes of one session. Any thread may use it.
///
/// @param folder its folder in the hierarchy
record SessionCgroup(Path folder) {
    private static final int PERIOD_MICROS = 100_000;
    /// A killed process leaves its cgroup when it is scheduled out for the last time, just after its death is reported.
    private static final long LEAVING_NANOS = Duration.ofSeconds(5).toNanos();

    /// The value to write to each file. A file's name begins with the controller it needs.
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

    /// Sets the limits. Called before any process is in the cgroup.
    void bound(Together together) {
        bounds(together).forEach((file, value) -> {
            // Kernels without swap do not have this file.
            boolean needless = file.equals("memory.swap.max") && !Files.exists(folder.resolve(file));
            if (!needless) {
                set(file, value);
            }
        });
    }

    /// Moves a process into the cgroup. Everything it starts from then on is in it too.
    void join(long pid) {
        set("cgroup.procs", Long.toString(pid));
    }

    private void set(String file, String value) {
        try {
            write(folder.resolve(file), value);
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "Cannot set up the session's cgroup: " + file + " = " + value + ": " + e.getMessage() + ".");
        }
    }

    /// Writes everything at once, as the kernel requires, with a stream, which an interrupt does not close.
    static void write(Path file, String value) throws IOException {
        try (FileOutputStream out = new FileOutputStream(file.toFile())) {
            out.write(value.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /// The pids of the living processes in the cgroup and in cgroups below it.
    List<Long> pids() {
        List<Long> pids = new ArrayList<>();
        for (Path each : folders(folder)) {
            Machine.text(each.resolve("cgroup.procs").toString())
                    .lines()
                    .map(Long::parseLong)
                    // 0 stands for a process of another pid namespace.
                    .filter(pid -> pid > 0)
                    .forEach(pids::add);
        }
        return pids;
    }

    /// Kills all processes at once, so that none can fork in between. Does nothing on kernels before 5.14.
    void kill() {
        kill(folder);
    }

    private static void kill(Path folder) {
        Path file = folder.resolve("cgroup.kill");
        if (Files.exists(file)) {
            try {
                write(file, "1");
            } catch (IOException e) {
                Log.LOG.log(System.Logger.Level.WARNING, "cannot kill the cgroup " + folder, e);
            }
        }
    }

    /// The limit that ended the leader, if the kernel reports one.
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

    /// Kills what is left and removes the cgroup. Waits up to a few seconds for the last process to leave.
    ///
    /// @return false if the kernel still refuses
    boolean remove() {
        return remove(folder);
    }

    static boolean remove(Path cgroup) {
        long deadline = System.nanoTime() + LEAVING_NANOS;
        while (Files.exists(cgroup)) {
            kill(cgroup);
            try {
                for (Path each : folders(cgroup)) {
                    Files.deleteIfExists(each);
                }
            } catch (IOException e) {
                if (System.nanoTime() - deadline > 0) {
                    Log.LOG.log(System.Logger.Level.WARNING, "cannot remove the cgroup " + cgroup, e);
                    return false;
                }
                LockSupport.parkNanos(1_000_000);
            }
        }
        return true;
    }

    /// A cgroup and all below it, the innermost first.
    private static List<Path> folders(Path cgroup) {
        try (Stream<Path> all = Files.walk(cgroup)) {
            return all.filter(Files::isDirectory).sorted(Comparator.reverseOrder()).toList();
        } catch (IOException | UncheckedIOException _) {
            // Some or all of them disappeared while we looked.
            return Files.exists(cgroup) ? List.of(cgroup) : List.of();
        }
    }
}
