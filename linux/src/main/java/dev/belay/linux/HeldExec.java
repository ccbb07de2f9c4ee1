package dev.belay.linux;

import dev.belay.Approval.Check;
import dev.belay.CommandLine;
import dev.belay.Deadline;
import dev.belay.Execution;
import dev.belay.SessionException;
import dev.belay.Signal;
import dev.belay.host.ExecRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A process that the kernel holds in `execve`, until it is answered once.
final class HeldExec implements ExecRequest {
    private static final int MAX_ANCESTORS = 8;
    private static final long SELF = ProcessHandle.current().pid();
    /// There is no event for the end of an `execve`; it takes less than a millisecond on an idle machine.
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    /// Short programs are over within milliseconds.
    private static final int SHORT_PAUSES = 50;
    private static final long FIRST_PAUSE_NANOS = 50_000;
    private static final long LONGEST_PAUSE_NANOS = 10_000_000;

    private final ExecWatch watch;
    private final ExecNotice notice;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final AtomicBoolean goneTold = new AtomicBoolean();
    private volatile @Nullable Runnable tellGone;
    /// What the kernel would start.
    private volatile ExecReader.@Nullable Started expected;
    /// See [#process(ProcFile)]; 0 before it is known.
    private volatile long process;
    /// Where its stack was; the kernel gives every program another.
    private volatile long stack;
    private volatile @Nullable ExecFollower follower;

    /// Guarded by the monitor: what a check has found.
    private @Nullable Check checked;

    HeldExec(ExecWatch watch, ExecNotice notice) {
        this.watch = watch;
        this.notice = notice;
    }

    @Override
    public long pid() {
        return notice.pid();
    }

    @Override
    public Optional<Execution> look() {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            ProcFile files = new ProcFile(libc, arena);
            if (watch.comparing()) {
                watch.settle(process(files));
            }
            watch.starting().asks(files, notice.pid());
            ExecReader.Found now = new ExecReader(libc, arena, notice, watch.workspace()).read(watch.variables());
            if (watch.gone(libc, arena, notice.id())) {
                leave();
                return Optional.empty();
            }
            expected = now.started();
            int errno = now.first().errno();
            if (errno == Errno.ENOENT || errno == Errno.ENOTDIR) {
                answer(libc, arena, errno);
                return Optional.empty();
            }
            return Optional.of(now.execution());
        }
    }

    /// The process that the thread belongs to.
    private long process(ProcFile files) {
        long known = process;
        if (known == 0) {
            known = lookUp(files);
            process = known;
        }
        return known;
    }

    private long lookUp(ProcFile files) {
        String status = files.text(notice.pid(), "status");
        if (status != null) {
            for (String line : status.split("\n", -1)) {
                if (line.startsWith("Tgid:")) {
                    return Long.parseLong(line.substring(5).strip());
                }
            }
        }
        return notice.pid();
    }

    @Override
    public List<String> ancestors() {
        List<String> lines = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            ProcFile files = new ProcFile(new Libc(arena), arena);
            Proc proc = Proc.read(files, process(files));
            // Above the first process of Belay's there are only others of Belay's.
            while (proc != null && proc.pid() != SELF && proc.pid() > 1 && lines.size() < MAX_ANCESTORS
                    && !watch.starting().owns(files, proc.pid())) {
                String line = line(files, proc);
                // A shell forks before it starts a program.
                if (lines.isEmpty() || !lines.getLast().equals(line)) {
                    lines.add(line);
                }
                proc = Proc.read(files, proc.parent());
            }
        }
        return lines;
    }

    private static String line(ProcFile files, Proc proc) {
        String words = files.utf8(proc.pid(), "cmdline");
        return CommandLine.brief(words == null || words.isEmpty()
                ? List.of(proc.name())
                : List.of((words.endsWith("\0") ? words.substring(0, words.length() - 1) : words).split("\0", -1)));
    }

    @Override
    public boolean allow(boolean checked) {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            if (checked) {
                ProcFile files = new ProcFile(libc, arena);
                stack = Proc.stack(files, process(files));
                watch.checking(process, this);
            }
            boolean sent = answer(libc, arena, 0);
            if (!sent && checked) {
                watch.settled(process, this);
            }
            return sent;
        }
    }

    @Override
    public boolean deny() {
        try (Arena arena = Arena.ofConfined()) {
            return answer(new Libc(arena), arena, Errno.EPERM);
        }
    }

    /// @param errno 0 to let the process go on
    boolean answer(Libc libc, Arena arena, int errno) {
        if (!answered.compareAndSet(false, true)) {
            return false;
        }
        watch.answered(this);
        ExecFollower follows = follower;
        if (follows != null) {
            follows.cancel();
        }
        int result = watch.send(
                libc, arena, notice.id(), errno, errno == 0 ? Abi.SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0);
        if (result < 0 && result != -Errno.ENOENT && result != -Errno.EBADF) {
            // It would wait for ever.
            Log.LOG.log(System.Logger.Level.WARNING,
                    "cannot answer process " + notice.pid() + ", so it is killed: " + Errno.text(-result));
            libc.kill(notice.pid(), Signal.KILL.number());
        }
        return result == 0;
    }

    @Override
    public boolean gone() {
        try (Arena arena = Arena.ofConfined()) {
            return watch.gone(new Libc(arena), arena, notice.id());
        }
    }

    @Override
    public void onGone(Runnable tells) {
        tellGone = tells;
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            follow(libc, arena);
            if (watch.gone(libc, arena, notice.id())) {
                leave();
            }
        }
    }

    private void follow(Libc libc, Arena arena) {
        int pidfd = libc.pidfdOpen(process(new ProcFile(libc, arena)));
        if (pidfd < 0) {
            return;
        }
        ExecFollower follows = new ExecFollower(watch.loop(), this, pidfd);
        if (follows.start(libc, arena) == 0) {
            follower = follows;
        }
        if (answered.get()) {
            follows.cancel();
        }
    }

    /// The process is gone, or nobody can answer it any more.
    void leave() {
        Runnable tells = tellGone;
        if (tells != null && !answered.get() && goneTold.compareAndSet(false, true)) {
            tells.run();
        }
    }

    // --- what runs then ---

    @Override
    public Check check() {
        Deadline deadline = Deadline.in(PATIENCE);
        long pause = FIRST_PAUSE_NANOS;
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            ProcFile files = new ProcFile(libc, arena);
            Check now = compare(libc, arena, files, false);
            for (int i = 0; now == null && !deadline.passed(); i++) {
                LockSupport.parkNanos(pause);
                pause = i < SHORT_PAUSES ? pause : Math.min(LONGEST_PAUSE_NANOS, pause * 2);
                now = compare(libc, arena, files, false);
            }
            return now == null ? settle() : now;
        } finally {
            watch.settled(process, this);
        }
    }

    /// Compares now: the process is about to start another program, or time is up.
    Check settle() {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            Check now = compare(libc, arena, new ProcFile(libc, arena), true);
            return now == null ? Check.UNVERIFIED : now;
        }
    }

    /// @param last whether to decide even if nothing has started yet
    /// @return null if nothing has started yet
    private synchronized @Nullable Check compare(Libc libc, Arena arena, ProcFile files, boolean last) {
        ExecReader.Started approved = expected;
        if (checked == null && approved != null) {
            try {
                long now = Proc.stack(files, process);
                // It is 0 while the new program is being loaded, or if nobody may look at it.
                boolean started = now != stack && (now != 0 || last);
                if (now != Proc.NO_STACK && started) {
                    checked = verdict(libc, arena, files, approved, last);
                } else if (now == Proc.NO_STACK || last) {
                    // It is gone, did not start, or the look came too late.
                    checked = Check.UNVERIFIED;
                }
            } catch (SessionException _) {
                // It cannot be looked at now.
                checked = Check.UNVERIFIED;
            }
        }
        return checked;
    }

    /// @return null if the kernel has not finished loading the program
    private @Nullable Check verdict(
            Libc libc, Arena arena, ProcFile files, ExecReader.Started approved, boolean last) {
        byte[] line = files.read(process, "cmdline");
        MemorySegment stat = arena.allocate(Abi.STATX_BYTES, 8);
        int result = libc.statx(
                Abi.AT_FDCWD, arena.allocateFrom("/proc/" + process + "/exe"), 0, Abi.STATX_BASIC_STATS, stat);
        if (result == 0 && !approved.file().sameAs(
                ExecFile.device(stat), stat.get(ValueLayout.JAVA_LONG, Abi.STATX_INO_OFFSET))) {
            Proc proc = Proc.read(files, process);
            if (proc != null) {
                Pidfd.signalOnce(libc, arena, proc, Signal.KILL);
            }
            return Check.MISMATCH;
        }
        if (line != null && line.length == 0 && !last) {
            return null;
        }
        if (line == null || line.length == 0 || approved.line() == null) {
            return Check.UNVERIFIED;
        }
        if (!ExecLine.of(line).equals(approved.line())) {
            return Check.OTHER_WORDS;
        }
        return result == 0 ? Check.VERIFIED : Check.UNVERIFIED;
    }
}
