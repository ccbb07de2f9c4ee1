package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.ProcessRecord;
import dev.belay.SessionException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What `/proc` says of processes, for people.
final class ProcessTable {
    private static final int MAX_COMMAND = 1000;
    private static final long MILLIS_PER_TICK = 10;

    private ProcessTable() {}

    /// These processes, the oldest first; those that have ended meanwhile are missing.
    ///
    /// @param foreground the terminal's foreground process group, or 0
    static List<ProcessRecord> of(List<Proc> members, long foreground) {
        Instant boot = boot();
        List<ProcessRecord> records = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            ProcFile files = new ProcFile(new Libc(arena), arena);
            List<Proc> oldest = members.stream()
                    .sorted(Proc::oldestFirst)
                    .toList();
            for (Proc proc : oldest) {
                ProcessRecord record = read(files, proc, foreground, boot);
                if (record != null) {
                    records.add(record);
                }
            }
        }
        return records;
    }

    private static @Nullable ProcessRecord read(ProcFile files, Proc proc, long foreground, Instant boot) {
        String status = files.text(proc.pid(), "status");
        byte[] command = files.read(proc.pid(), "cmdline");
        Duration cpu = Proc.cpu(files, proc.pid());
        Proc now = Proc.read(files, proc.pid());
        // Its number may have been given to somebody else in between.
        if (status == null || now == null || now.started() != proc.started() || !now.alive()) {
            return null;
        }
        return new ProcessRecord(
                now.pid(),
                now.parent(),
                command(command, now.name()),
                state(field(status, "State:").orElse("S")),
                foreground != 0 && now.group() == foreground,
                boot.plusMillis(now.started() * MILLIS_PER_TICK),
                cpu,
                field(status, "VmRSS:").map(text -> Long.parseLong(text.split(" ", -1)[0]) << 10).orElse(0L));
    }

    /// A line of `status`, which has its values after a name and spaces.
    private static Optional<String> field(String status, String name) {
        return status.lines().filter(line -> line.startsWith(name)).map(line -> line.substring(name.length()).strip())
                .findFirst();
    }

    private static ProcessRecord.State state(String letters) {
        return switch (letters.charAt(0)) {
            case 'R' -> ProcessRecord.State.RUNNING;
            case 'D' -> ProcessRecord.State.BLOCKED;
            case 'T', 't' -> ProcessRecord.State.STOPPED;
            default -> ProcessRecord.State.SLEEPING;
        };
    }

    /// What a process was called with is up to it: no control characters, and no more than fits on a few lines.
    private static String command(byte @Nullable [] cmdline, String name) {
        String text = cmdline == null || cmdline.length == 0
                ? new String(name.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8)
                : new String(cmdline, StandardCharsets.UTF_8);
        String clean = text.replaceAll("\\p{Cntrl}+", " ").strip();
        return clean.length() <= MAX_COMMAND ? clean : clean.substring(0, MAX_COMMAND) + "...";
    }

    /// When the machine was started.
    private static Instant boot() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            return lines.filter(line -> line.startsWith("btime "))
                    .map(line -> Instant.ofEpochSecond(Long.parseLong(line.substring(6).strip())))
                    .findFirst()
                    .orElse(Instant.EPOCH);
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "Cannot read the processes of this machine now: " + e + "; try again.",
                    Map.of(), e);
        }
    }
}
