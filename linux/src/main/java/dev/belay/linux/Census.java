package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.io.File;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Finds the processes of sessions among all processes of the machine.
///
/// A process belongs to a session if it is its leader, is in the leader's kernel session while the leader is not
/// reaped (its number cannot have been given to anybody else), carries the session's tag or mark, or descends from
/// such a process. Tag and mark are passed on by fork and exec: double-forking, setsid and a new parent do not lose
/// them, and clearing the environment loses the mark only.
///
/// One look at all processes serves everybody who asked for it before it began, so that closing many sessions at once
/// takes a few looks and not one each.
final class Census {
    private static final long SELF = ProcessHandle.current().pid();
    private static final int MAX_LISTINGS = 100;

    private final ReentrantLock turn = new ReentrantLock();
    private volatile long begun;
    private Look latest = new Look(0, List.of());
    private final Set<Long> leaders = ConcurrentHashMap.newKeySet();
    /// Processes that carry nobody's tag or mark and never will, as far as they still live: not to be asked again.
    private Map<Long, Proc> strangers = Map.of();

    /// Who we look for.
    ///
    /// @param reaped says whether the leader's number may belong to somebody else by now
    record Wanted(long leader, long tag, String mark, BooleanSupplier reaped) {}

    /// All processes at one moment, but for leaders. Tags and marks are read at the same moment, as far as they may be read.
    private record Look(long number, List<Entry> entries) {}

    private record Entry(Proc proc, long tag, @Nullable String mark) {}

    /// A process is the leader of a session from now on: nobody else's, so nobody else needs to look at it.
    void enter(long leader) {
        leaders.add(leader);
    }

    /// A leader is about to be reaped: its number may be given to somebody else.
    void leave(long leader) {
        leaders.remove(leader);
    }

    /// The living processes of a session.
    List<Proc> find(Wanted wanted) {
        List<Entry> entries = look().entries();
        List<Proc> found = new ArrayList<>();
        Proc leader = leader(wanted.leader());
        // Asked after everything was read: what was read by the number is its own if it is not reaped even now.
        boolean byNumber = !wanted.reaped().getAsBoolean();
        if (leader != null && byNumber) {
            found.add(leader);
        }
        for (Entry entry : entries) {
            if (belongs(entry, wanted, byNumber)) {
                found.add(entry.proc());
            }
        }
        addDescendants(found, entries);
        found.stream()
                .filter(proc -> !proc.alive() && proc.parent() == SELF && proc.pid() != wanted.leader())
                .forEach(Census::bury);
        return found.stream().filter(Proc::alive).toList();
    }

    /// The living processes that carry a mark of one of these instances, and what they started; but not this process,
    /// those that it was started by, or what these started.
    List<Proc> orphans(List<String> instances) {
        List<Entry> entries = look().entries();
        Map<Long, Proc> byPid = new HashMap<>();
        entries.forEach(entry -> byPid.put(entry.proc().pid(), entry.proc()));
        Set<Long> forebears = new HashSet<>();
        long at = SELF;
        while (at > 1 && forebears.add(at)) {
            Proc above = at == SELF ? leader(SELF) : byPid.get(at);
            at = above == null ? 0 : above.parent();
        }
        List<Proc> found = new ArrayList<>();
        for (Entry entry : entries) {
            String mark = entry.mark();
            int slash = mark == null ? -1 : mark.indexOf('/');
            if (mark != null && slash > 0 && instances.contains(mark.substring(0, slash))
                    && !forebears.contains(entry.proc().pid())) {
                found.add(entry.proc());
            }
        }
        addDescendants(found, entries);
        return found.stream().filter(proc -> proc.alive() && !forebears.contains(proc.pid())).toList();
    }

    private static void addDescendants(List<Proc> found, List<Entry> entries) {
        Map<Long, List<Proc>> children = new HashMap<>();
        entries.forEach(entry ->
                children.computeIfAbsent(entry.proc().parent(), _ -> new ArrayList<>()).add(entry.proc()));
        Set<Long> seen = new HashSet<>();
        found.forEach(proc -> seen.add(proc.pid()));
        for (int i = 0; i < found.size(); i++) {
            for (Proc child : children.getOrDefault(found.get(i).pid(), List.of())) {
                if (seen.add(child.pid())) {
                    found.add(child);
                }
            }
        }
    }

    /// Orphans become our children where Belay is the first process of a container: then nobody else waits for them.
    private static void bury(Proc orphan) {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            int fd = Pidfd.open(libc, new ProcFile(libc, arena), orphan);
            if (fd >= 0) {
                Pidfd.reap(libc, arena, fd);
                libc.close(fd);
            }
        }
    }

    private static @Nullable Proc leader(long pid) {
        try (Arena arena = Arena.ofConfined()) {
            return Proc.read(new ProcFile(new Libc(arena), arena), pid);
        }
    }

    private static boolean belongs(Entry entry, Wanted wanted, boolean byNumber) {
        return (entry.proc().session() == wanted.leader() && byNumber)
                || entry.tag() == wanted.tag()
                || wanted.mark().equals(entry.mark());
    }

    /// All processes, as they are at a moment after this call.
    private Look look() {
        long before = begun;
        turn.lock();
        try {
            if (latest.number() <= before) {
                begun = before + 1;
                latest = new Look(begun, scan());
            }
            return latest;
        } finally {
            turn.unlock();
        }
    }

    /// Reads all processes, newest first, and lists them again until a listing shows nobody new: one that forks and
    /// exits between the listing and the reading would show neither itself nor its child.
    private List<Entry> scan() {
        List<Entry> entries = new ArrayList<>();
        Map<Long, Proc> still = new HashMap<>();
        List<Proc> unclear = new ArrayList<>();
        Set<Long> seen = new HashSet<>();
        try (Arena arena = Arena.ofConfined()) {
            ProcFile files = new ProcFile(new Libc(arena), arena);
            boolean fresh = true;
            for (int listing = 0; fresh && listing < MAX_LISTINGS; listing++) {
                fresh = false;
                for (long pid : pids()) {
                    if (!seen.add(pid)) {
                        continue;
                    }
                    fresh = true;
                    Proc proc = pid == SELF || leaders.contains(pid) ? null : Proc.read(files, pid);
                    if (proc != null && !proc.kernel()) {
                        add(files, proc, still, entries, unclear);
                    }
                }
            }
            for (Proc proc : unclear) {
                byte[] environ = files.read(proc.pid(), "environ");
                entries.add(new Entry(proc, Tag.of(files, proc.pid()), environ == null ? null : mark(environ)));
            }
        }
        strangers = still;
        return entries;
    }

    /// Adds a process with what it carries. The environment of one that is in the middle of an `exec` reads as empty
    /// for a moment: then it is asked again after all the others.
    private void add(ProcFile files, Proc proc, Map<Long, Proc> still, List<Entry> entries, List<Proc> unclear) {
        Proc known = strangers.get(proc.pid());
        if (known != null && known.started() == proc.started()) {
            still.put(proc.pid(), known);
            entries.add(new Entry(proc, Tag.NONE, null));
            return;
        }
        long tag = Tag.of(files, proc.pid());
        byte[] environ = tag == Tag.NONE ? files.read(proc.pid(), "environ") : null;
        if (environ != null && environ.length == 0 && proc.alive()) {
            unclear.add(proc);
            return;
        }
        String mark = environ == null ? null : mark(environ);
        // Our own children get their tag and mark in a moment.
        if (tag == Tag.NONE && mark == null && proc.parent() != SELF) {
            still.put(proc.pid(), proc);
        }
        entries.add(new Entry(proc, tag, mark));
    }

    private static long[] pids() {
        String[] names = new File("/proc").list();
        if (names == null) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "/proc cannot be read; Belay needs it to find the processes of a session.");
        }
        long[] pids = new long[names.length];
        int count = 0;
        for (String name : names) {
            if (name.chars().allMatch(c -> c >= '0' && c <= '9')) {
                pids[count++] = -Long.parseLong(name);
            }
        }
        Arrays.sort(pids, 0, count);
        return Arrays.stream(pids, 0, count).map(pid -> -pid).toArray();
    }

    private static final String MARK = "BELAY_SESSION=";

    private static @Nullable String mark(byte[] environ) {
        String text = "\0" + new String(environ, StandardCharsets.ISO_8859_1);
        int at = text.indexOf("\0" + MARK);
        if (at < 0) {
            return null;
        }
        int start = at + 1 + MARK.length();
        int end = text.indexOf('\0', start);
        return text.substring(start, end < 0 ? text.length() : end);
    }
}
