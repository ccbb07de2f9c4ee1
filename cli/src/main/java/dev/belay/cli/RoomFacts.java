package dev.belay.cli;

import dev.belay.Limits;
import dev.belay.linux.Machine;
import dev.belay.linux.Machine.Limit;
import java.util.List;
import java.util.Optional;

/// How many sessions the machine has room for.
final class RoomFacts {
    /// Both ends of the terminal, the leader, the newest file of the log and a reader of it.
    private static final int FILES_OF_TERMINAL = 5;
    /// Three pipes, the leader, the newest file of the log and a reader of it.
    private static final int FILES_OF_PIPES = 6;
    private static final int FEW_PROCESSES = 256;
    private static final long LITTLE_MEMORY = 256L << 20;
    private static final int WANTED = Limits.DEFAULT.maxSessions();

    private RoomFacts() {}

    static List<Finding> look() {
        return List.of(
                terminals(Machine.terminals()),
                openFiles(Machine.limit("Max open files"), MachineCapacity.openFiles()),
                processes(Machine.limit("Max processes")),
                memory(Machine.memory()));
    }

    static Finding terminals(Optional<Machine.Terminals> known) {
        if (known.isEmpty()) {
            return unknown("room.terminals", "terminals", "/proc/sys/kernel/pty");
        }
        Machine.Terminals all = known.get();
        long room = Math.max(0, all.max() - all.reserved() - all.inUse());
        String value = all.max() + ", " + all.inUse() + " in use; room for at least " + sessions(room);
        String fix = "sysctl -w kernel.pty.max=" + Math.max(4096, all.max() * 2);
        Finding finding = Finding.ok("room.terminals", "terminals", value)
                .with("max", all.max()).with("in_use", all.inUse()).with("reserved", all.reserved())
                .with("sessions", room);
        if (all.max() <= all.inUse()) {
            return finding.missing("No terminal session can start now.", fix);
        }
        return room < WANTED ? finding.note("There is room for few terminal sessions.", fix) : finding;
    }

    static Finding openFiles(Optional<Limit> known, int own) {
        if (known.isEmpty()) {
            return unknown("room.open_files", "open files", "/proc/self/limits");
        }
        Limit limit = known.get();
        boolean unlimited = limit.soft() == Limit.UNLIMITED;
        long free = unlimited ? Limit.UNLIMITED : Math.max(0, limit.soft() - own);
        long terminals = free / FILES_OF_TERMINAL;
        long pipes = free / FILES_OF_PIPES;
        String room = unlimited
                ? "any number of sessions"
                : "about " + sessions(terminals) + " on terminals, or " + pipes + " on pipes";
        String fix = raise(limit, 1024, "ulimit -Sn", "nofile", "LimitNOFILE");
        Finding finding = withLimit(
                Finding.ok("room.open_files", "open files", words(limit) + "; room for " + room), limit)
                .with("in_use", own)
                .with("terminal_sessions", number(terminals))
                .with("pipe_sessions", number(pipes));
        if (pipes == 0) {
            return finding.missing("No session can start.", fix);
        }
        return pipes < WANTED ? finding.note("There is room for few sessions.", fix) : finding;
    }

    static Finding processes(Optional<Limit> known) {
        if (known.isEmpty()) {
            return unknown("room.processes", "processes", "/proc/self/limits");
        }
        Limit limit = known.get();
        Finding finding = withLimit(
                Finding.ok("room.processes", "processes", words(limit) + " for all processes of this user"), limit);
        return limit.soft() >= FEW_PROCESSES
                ? finding
                : finding.note(
                        "Threads count too, including those of the JVM: sessions may fail to start processes.",
                        raise(limit, 4096, "ulimit -Su", "nproc", "LimitNPROC"));
    }

    private static Finding memory(Optional<Machine.Memory> known) {
        if (known.isEmpty()) {
            return unknown("room.memory", "memory", "/proc/meminfo");
        }
        long total = known.get().totalBytes();
        long available = known.get().availableBytes();
        Finding finding = Finding.ok("room.memory", "memory", bytes(total) + ", " + bytes(available) + " available")
                .with("total_bytes", total).with("available_bytes", available);
        return available >= LITTLE_MEMORY
                ? finding
                : finding.note(
                        "The kernel may kill processes of sessions, or Belay.",
                        "stop other programs, or add memory");
    }

    private static Finding unknown(String key, String label, String file) {
        return Finding.ok(key, label, "unknown")
                .note(file + " cannot be read. Belay works, but cannot tell before it hits the limit.", "");
    }

    private static Finding withLimit(Finding finding, Limit limit) {
        return finding.with("soft", number(limit.soft())).with("hard", number(limit.hard()));
    }

    /// How to raise a limit: in the shell, if the hard limit allows it.
    private static String raise(Limit limit, int wanted, String command, String name, String unitSetting) {
        String service = ", or " + unitSetting + "=" + wanted + " in the service's unit";
        return limit.hard() >= wanted
                ? command + " " + wanted + " before Belay starts" + service
                : "raise the hard limit: '" + name + "' in /etc/security/limits.conf" + service;
    }

    /// A number, or "unlimited".
    private static Object number(long value) {
        return value >= Limit.UNLIMITED / FILES_OF_PIPES ? "unlimited" : value;
    }

    private static String words(Limit limit) {
        return number(limit.soft()) + " (hard limit " + number(limit.hard()) + ")";
    }

    private static String sessions(long count) {
        return count == 1 ? "1 session" : count + " sessions";
    }

    static String bytes(long count) {
        if (count < 1L << 20) {
            return (count >> 10) + " KiB";
        }
        return count < 10L << 30 ? (count >> 20) + " MiB" : (count >> 30) + " GiB";
    }
}
