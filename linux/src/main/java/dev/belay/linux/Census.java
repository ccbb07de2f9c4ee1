package dev.belay.linux;

import dev.belay.Deadline;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Finds the processes of sessions among all processes of the machine.
///
/// A process belongs to a session if it is its leader, is in the leader's kernel session while the leader is not
/// reaped (its number cannot have been given to anybody else), carries the session's tag or mark, or descends from
/// such a process. Tag and mark are passed on by fork and exec: double-forking, setsid and a new parent do not lose
/// them, and clearing the environment loses the mark only.
///
/// One look at all processes serves everybody who asked for it before it began, and every session whose leader had died
/// by then: nobody is born into a session that is empty. So closing many sessions takes a few looks and not one each.
/// Where the kernel shows that nobody at all was born since a look began, that look still has everybody who lives.
final class Census {
    private static final long SELF = ProcessHandle.current().pid();
    private static final int MAX_LISTINGS = 100;
    /// How long one look waits for processes that are in the middle of an `exec`.
    private static final Duration EXEC_PATIENCE = Duration.ofSeconds(1);

    /// What [Wanted#leftAfter] says of a leader that lives.
    static final long NOT_LEFT = Long.MAX_VALUE;

    private final ReentrantLock turn = new ReentrantLock();
    private volatile long begun;
    private volatile Look latest = Look.of(0, Births.UNKNOWN, Set.of(), List.of());
    /// What the tags of this host's sessions begin with.
    private volatile long instance = Tag.NONE;
    private final Set<Long> leaders = ConcurrentHashMap.newKeySet();
    /// Processes that are nobody's and never will be, by what `/proc` lists them as: not to be read again. At first,
    /// those that live before the first session starts.
    private Set<ProcFile.Listed> strangers;

    Census() {
        try (Arena arena = Arena.ofConfined()) {
            strangers = new HashSet<>(new ProcFile(new Libc(arena), arena).processes());
        }
        // Its children are not strangers.
        strangers.removeIf(listed -> listed.pid() == SELF);
    }

    /// Who we look for.
    ///
    /// @param leftAfter what [#leave] gave when the leader's number was given back, else [#NOT_LEFT]
    record Wanted(long leader, long tag, String mark, LongSupplier leftAfter) {
        boolean left() {
            return leftAfter.getAsLong() != NOT_LEFT;
        }
    }

    /// All processes at one moment, except leaders and strangers. Tags and marks are read at the same moment, as far
    /// as they may be read; the mark only of those that carry no tag of ours.
    ///
    /// @param since the births before it began
    /// @param listed all that were listed then, strangers too, but not leaders
    private record Look(
            long number, Births since, Set<Long> listed, List<Entry> entries, Map<Long, List<Proc>> children) {
        static Look of(long number, Births since, Set<Long> listed, List<Entry> entries) {
            Map<Long, List<Proc>> children = new HashMap<>();
            entries.forEach(entry -> children.computeIfAbsent(entry.proc().parent(), _ -> new ArrayList<>())
                    .add(entry.proc()));
            return new Look(number, since, listed, entries, children);
        }
    }

    private record Entry(ProcFile.Listed listed, Proc proc, long tag, @Nullable String mark) {}

    /// A process is the leader of a session from now on: nobody else's, so nobody else needs to look at it.
    void enter(long leader, long tag) {
        leaders.add(leader);
        instance = Tag.instance(tag);
    }

    /// A dead leader is about to be reaped: its number may be given to somebody else.
    ///
    /// @return how many looks have begun; a later one shows all that the leader has left behind
    long leave(long leader) {
        leaders.remove(leader);
        return begun;
    }

    /// The living processes of a session.
    List<Proc> find(Wanted wanted) {
        Look known = latest;
        if (known.number() > wanted.leftAfter().getAsLong() && living(known, wanted).isEmpty()) {
            return List.of();
        }
        try (Arena arena = Arena.ofConfined()) {
            ProcFile files = new ProcFile(new Libc(arena), arena);
            if (known.since().none(files)) {
                List<Proc> left = living(now(files, belonging(known, wanted)), wanted);
                // Asked again after that: the birth of a child of somebody who is dead by now would show.
                if (complete(files, known.since(), known.listed())) {
                    return left;
                }
            }
            boolean over = wanted.left() || !lives(files, wanted.leader());
            List<Proc> found = living(look(), wanted);
            // A leader that ended meanwhile may have had a child after the listing.
            return found.isEmpty() && !over ? living(look(), wanted) : found;
        }
    }

    /// Whether everybody who lives was listed, or is a leader: nobody was born since then, or half born at that moment.
    private boolean complete(ProcFile files, Births since, Set<Long> listed) {
        return since.none(files) && !since.late(files, pid -> leaders.contains(pid) || listed.contains(pid));
    }

    private static boolean lives(ProcFile files, long pid) {
        Proc now = Proc.read(files, pid);
        return now != null && now.alive();
    }

    /// These processes as they are now, without those that are gone.
    private static List<Proc> now(ProcFile files, List<Proc> seen) {
        List<Proc> now = new ArrayList<>();
        for (Proc proc : seen) {
            Proc again = Proc.read(files, proc.pid());
            if (again != null && again.started() == proc.started()) {
                now.add(again);
            }
        }
        return now;
    }

    private static List<Proc> living(Look look, Wanted wanted) {
        return living(belonging(look, wanted), wanted);
    }

    /// Those that live. Dead ones are reaped where nobody else does it.
    private static List<Proc> living(List<Proc> found, Wanted wanted) {
        found.stream()
                .filter(proc -> !proc.alive() && proc.parent() == SELF && proc.pid() != wanted.leader())
                .forEach(Census::bury);
        return found.stream().filter(Proc::alive).toList();
    }

    private static List<Proc> belonging(Look look, Wanted wanted) {
        List<Proc> found = new ArrayList<>();
        Proc leader = wanted.left() ? null : leader(wanted.leader());
        // Asked after everything was read: what was read by the number is its own if it is not reaped even now.
        boolean byNumber = !wanted.left();
        if (leader != null && byNumber) {
            found.add(leader);
        }
        for (Entry entry : look.entries()) {
            if (belongs(entry, wanted, byNumber)) {
                found.add(entry.proc());
            }
        }
        addDescendants(found, look.children());
        return found;
    }

    /// The living processes that carry such a mark or such a tag, and what they started; but not this process, or those
    /// that it was started by. They may have been there before this host.
    List<Proc> carrying(Predicate<String> marks, LongPredicate tags) {
        Look look = lookAtAll();
        List<Entry> entries = look.entries();
        Map<Long, Proc> byPid = new HashMap<>();
        entries.forEach(entry -> byPid.put(entry.proc().pid(), entry.proc()));
        Set<Long> forebears = new HashSet<>();
        long at = SELF;
        while (at > 1 && forebears.add(at)) {
            Proc above = at == SELF ? leader(SELF) : byPid.get(at);
            at = above == null ? 0 : above.parent();
        }
        List<Proc> found = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            ProcFile files = new ProcFile(new Libc(arena), arena);
            for (Entry entry : entries) {
                String mark = entry.tag() == Tag.NONE ? entry.mark() : mark(files, entry.proc().pid());
                boolean wanted =
                        (entry.tag() != Tag.NONE && tags.test(entry.tag())) || (mark != null && marks.test(mark));
                if (wanted && !forebears.contains(entry.proc().pid())) {
                    found.add(entry.proc());
                }
            }
        }
        addDescendants(found, look.children());
        return found.stream().filter(proc -> proc.alive() && !forebears.contains(proc.pid())).toList();
    }

    private static void addDescendants(List<Proc> found, Map<Long, List<Proc>> children) {
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

    /// All processes, strangers too.
    private Look lookAtAll() {
        turn.lock();
        try {
            Set<ProcFile.Listed> before = strangers;
            strangers = Set.of();
            begun = latest.number() + 1;
            latest = scan(begun);
            strangers.addAll(before);
            return latest;
        } finally {
            turn.unlock();
        }
    }

    /// All processes but strangers, as they are at a moment after this call.
    private Look look() {
        long before = begun;
        turn.lock();
        try {
            if (latest.number() <= before) {
                begun = before + 1;
                latest = scan(begun);
            }
            return latest;
        } finally {
            turn.unlock();
        }
    }

    /// Reads all processes but strangers, newest first, and lists them again until a listing shows nobody new or nobody
    /// was born since it began: one that forks and exits between the listing and the reading would show neither itself
    /// nor its child.
    private Look scan(long number) {
        List<Entry> entries = new ArrayList<>();
        List<Entry> unclear = new ArrayList<>();
        Set<ProcFile.Listed> seen = new HashSet<>();
        Set<Long> listed = new HashSet<>();
        Births since;
        try (Arena arena = Arena.ofConfined()) {
            ProcFile files = new ProcFile(new Libc(arena), arena);
            since = Births.now(files);
            Births began = since;
            boolean fresh = true;
            for (int listing = 1; fresh; listing++) {
                boolean added = addNew(files, seen, entries, unclear);
                seen.forEach(one -> listed.add(one.pid()));
                fresh = (added || listing == 1) && listing < MAX_LISTINGS && !complete(files, began, listed);
                began = Births.now(files);
            }
            Deadline patience = Deadline.in(EXEC_PATIENCE);
            List<Entry> settled = unclear.stream().map(entry -> settled(files, entry, patience)).toList();
            noteStrangers(seen, listed, entries);
            entries.addAll(settled);
        }
        entries.removeIf(entry -> entry.proc().kernel());
        return Look.of(number, since, listed, entries);
    }

    /// Lists all processes, and reads those that were not listed before, but for leaders and strangers.
    ///
    /// @return whether there were any
    private boolean addNew(ProcFile files, Set<ProcFile.Listed> seen, List<Entry> entries, List<Entry> unclear) {
        boolean fresh = false;
        for (ProcFile.Listed listed : files.processes()) {
            if (!leaders.contains(listed.pid()) && seen.add(listed) && !strangers.contains(listed)) {
                fresh = true;
                add(files, listed, entries, unclear);
            }
        }
        return fresh;
    }

    /// Notes who need not be read again: processes that carry no tag and no mark, and whose parent and kernel session
    /// are strangers too. What they carry they have from their parents, and a new parent is one of their ancestors. A
    /// process that was started in the same instant as its parent may have to wait for the next look.
    private void noteStrangers(Set<ProcFile.Listed> seen, Set<Long> present, List<Entry> entries) {
        Set<ProcFile.Listed> now = new HashSet<>(strangers);
        now.retainAll(seen);
        Set<Long> numbers = new HashSet<>(Set.of(0L));
        now.forEach(listed -> numbers.add(listed.pid()));
        List<Entry> oldestFirst = new ArrayList<>(entries);
        oldestFirst.sort((one, other) -> Proc.oldestFirst(one.proc(), other.proc()));
        for (Entry entry : oldestFirst) {
            Proc proc = entry.proc();
            boolean ownSession = proc.session() == proc.pid()
                    || (!present.contains(proc.session()) && !leaders.contains(proc.session()));
            if (entry.tag() == Tag.NONE
                    && entry.mark() == null
                    && numbers.contains(proc.parent())
                    && (ownSession || numbers.contains(proc.session()))) {
                now.add(entry.listed());
                numbers.add(proc.pid());
            }
        }
        strangers = now;
    }

    /// What a process carries once its `exec` is over. There is no event for that, so it is asked again until the
    /// kernel has laid out its new environment; usually that is a matter of microseconds, but it may wait for a core or
    /// a disk. One that runs without any environment has an empty one that is laid out.
    private static Entry settled(ProcFile files, Entry entry, Deadline patience) {
        long pid = entry.proc().pid();
        while (true) {
            boolean inExec = Proc.inExec(files, pid);
            long tag = Tag.of(files, pid);
            byte[] environ = files.read(pid, "environ");
            if (!inExec || tag != Tag.NONE || patience.passed()) {
                return new Entry(entry.listed(), entry.proc(), tag, environ == null ? null : mark(environ));
            }
            LockSupport.parkNanos(100_000);
        }
    }

    /// Adds a process with what it carries, unless it is Belay. The environment of one that is in the
    /// middle of an `exec` reads as empty for a moment: then it is asked again after all the others.
    private void add(ProcFile files, ProcFile.Listed listed, List<Entry> entries, List<Entry> unclear) {
        long pid = listed.pid();
        Proc proc = pid == SELF ? null : Proc.read(files, pid);
        if (proc == null) {
            return;
        }
        long tag = proc.kernel() ? Tag.NONE : Tag.of(files, pid);
        // Another's tag says little: a Belay inside a session has one for a moment whenever it starts a process.
        boolean known = tag != Tag.NONE && Tag.instance(tag) == instance;
        byte[] environ = proc.kernel() || known ? null : files.read(pid, "environ");
        boolean mayBeInExec = tag == Tag.NONE && environ != null && environ.length == 0 && proc.alive();
        String mark = environ == null ? null : mark(environ);
        (mayBeInExec ? unclear : entries).add(new Entry(listed, proc, tag, mark));
    }

    /// Whose mark it is: the first part of `instance/id`.
    static String instance(String mark) {
        return mark.substring(0, Math.max(0, mark.indexOf('/')));
    }

    private static final String MARK = "BELAY_SESSION=";

    private static @Nullable String mark(ProcFile files, long pid) {
        byte[] environ = files.read(pid, "environ");
        return environ == null ? null : mark(environ);
    }

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
