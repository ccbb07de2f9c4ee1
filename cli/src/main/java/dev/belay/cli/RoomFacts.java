package dev.belay.cli;

import dev.belay.Limits;
import dev.belay.linux.Machine;
import dev.belay.linux.Machine.Limit;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// How many sessions the machine has room for.
final class RoomFacts {
    /// Both sides of the terminal, the leader, the log's newest file and a reader of it.
    private static final int FILES_OF_TERMINAL = 5;
    /// Three pipes, the leader, the log's newest file and a reader of it.
    private static final int FILES_OF_PIPES = 6;
    private static final int FEW_PROCESSES = 256;
    private static final long LITTLE_MEMORY = 256L << 20;
    private static final int WANTED = Limits.DEFAULT.maxSessions();

    private RoomFacts() {}

    static List<Finding> look() {
        List<Finding> findings = new ArrayList<>();
        findings.add(terminals(Machine.terminals()));
        findings.add(openFiles(Machine.limit("Max open files"), ownFiles()));
        findings.add(processes(Machine.limit("Max processes")));
        findings.add(memory(Machine.memory()));
        return findings;
    }

    static Finding terminals(Optional<Machine.Terminals> known) {
        String key = "room.terminals";
        if (known.isEmpty()) {
            return unknown(key, "terminals", "/proc/sys/kernel/pty");
        }
        Machine.Terminals terminals = known.get();
        long room = Math.max(0, terminals.max() - terminals.reserved() - terminals.inUse());
        String value = terminals.max() + ", " + terminals.inUse() + " in use; room for at least " + sessions(room);
        String fix = "sysctl -w kernel.pty.max=" + Math.max(4096, terminals.max() * 2);
        Finding finding;
        if (terminals.max() <= terminals.inUse()) {
            finding = Finding.missing(key, "terminals", value, "No terminal session can start now.", fix);
        } else if (room < WANTED) {
            finding = Finding.note(key, "terminals", value, "There is room for few terminal sessions.", fix);
        } else {
            finding = Finding.ok(key, "terminals", value);
        }
        return finding.with("max", terminals.max())
                .with("in_use", terminals.inUse())
                .with("reserved", terminals.reserved())
                .with("sessions", room);
    }

    static Finding openFiles(Optional<Limit> known, int own) {
        String key = "room.open_files";
        if (known.isEmpty()) {
            return unknown(key, "open files", "/proc/self/limits");
        }
        Limit limit = known.get();
        long free = limit.soft() == Limit.UNLIMITED ? Limit.UNLIMITED : Math.max(0, limit.soft() - own);
        long terminals = free / FILES_OF_TERMINAL;
        long pipes = free / FILES_OF_PIPES;
        String value = words(limit) + "; room for "
                + (limit.soft() == Limit.UNLIMITED
                        ? "any number of sessions"
                        : "about " + sessions(terminals) + " on terminals, or " + pipes + " on pipes");
        String fix = raise(limit, 1024, "ulimit -Sn", "nofile", "LimitNOFILE");
        Finding finding;
        if (pipes == 0) {
            finding = Finding.missing(key, "open files", value, "No session can start.", fix);
        } else if (pipes < WANTED) {
            finding = Finding.note(key, "open files", value, "There is room for few sessions.", fix);
        } else {
            finding = Finding.ok(key, "open files", value);
        }
        return withLimit(finding, limit)
                .with("in_use", own)
                .with("terminal_sessions", number(terminals))
                .with("pipe_sessions", number(pipes));
    }

    static Finding processes(Optional<Limit> known) {
        String key = "room.processes";
        if (known.isEmpty()) {
            return unknown(key, "processes", "/proc/self/limits");
        }
        Limit limit = known.get();
        Finding finding = limit.soft() >= FEW_PROCESSES
                ? Finding.ok(key, "processes", words(limit) + ", for all of this user")
                : Finding.note(
                        key,
                        "processes",
                        words(limit) + ", for all of this user",
                        "Threads count too, those of the JVM among them: sessions may fail to start processes.",
                        raise(limit, 4096, "ulimit -Su", "nproc", "LimitNPROC"));
        return withLimit(finding, limit);
    }

    private static Finding memory(Optional<Machine.Memory> known) {
        String key = "room.memory";
        if (known.isEmpty()) {
            return unknown(key, "memory", "/proc/meminfo");
        }
        Machine.Memory memory = known.get();
        String value = bytes(memory.totalBytes()) + ", " + bytes(memory.availableBytes()) + " available";
        Finding finding = memory.availableBytes() >= LITTLE_MEMORY
                ? Finding.ok(key, "memory", value)
                : Finding.note(
                        key,
                        "memory",
                        value,
                        "The kernel may end processes of sessions, or Belay.",
                        "end what needs it, or give the machine more");
        return finding.with("total_bytes", memory.totalBytes()).with("available_bytes", memory.availableBytes());
    }

    private static Finding unknown(String key, String label, String file) {
        return Finding.note(
                key, label, "not known", file + " cannot be read; Belay works, and finds out when it hits the limit.",
                "");
    }

    private static Finding withLimit(Finding finding, Limit limit) {
        return finding.with("soft", number(limit.soft())).with("hard", number(limit.hard()));
    }

    /// How to raise a limit: by the shell, where the hard limit allows it.
    private static String raise(Limit limit, int wanted, String command, String name, String unitSetting) {
        String service = ", or " + unitSetting + "=" + wanted + " in the service's unit";
        return limit.hard() >= wanted
                ? command + " " + wanted + " before Belay starts" + service
                : "raise the hard limit: '" + name + "' in /etc/security/limits.conf" + service;
    }

    /// A number, or the word for none.
    private static Object number(long value) {
        return value >= Limit.UNLIMITED / FILES_OF_PIPES ? "unlimited" : value;
    }

    private static String words(Limit limit) {
        return number(limit.soft()) + " (hard limit " + number(limit.hard()) + ")";
    }

    private static String sessions(long count) {
        return count == 1 ? "1 session" : count + " sessions";
    }

    private static int ownFiles() {
        String[] files = new File("/proc/self/fd").list();
        return files == null ? 0 : files.length;
    }

    static String bytes(long count) {
        if (count < 1L << 20) {
            return (count >> 10) + " KiB";
        }
        return count < 10L << 30 ? (count >> 20) + " MiB" : (count >> 30) + " GiB";
    }
}
