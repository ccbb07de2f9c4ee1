package dev.belay.linux;

import dev.belay.EndReason;
import dev.belay.ErrorCode;
import dev.belay.ExitStatus;
import dev.belay.InputState;
import dev.belay.Outlet;
import dev.belay.SessionException;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.host.HostProcess;
import dev.belay.host.Launch;
import dev.belay.host.ProcessListener;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A session's leader and its ports. The fields below "Loop only" belong to the loop's thread.
final class LinuxProcess implements HostProcess, Loop.Source {
    /// A read of so much is a flood: more is likely to be there, or about to come.
    private static final int FLOOD_BYTES = 2 << 10;
    /// What a flood may add to the log before those who wait are woken: each wake-up costs as much as a read.
    private static final int ANNOUNCE_BYTES = 64 << 10;

    private static final Set<Signal> KEYBOARD = Set.of(Signal.INT, Signal.QUIT, Signal.of("TSTP"));

    private final Loop loop;
    private final Census census;
    private final Reserve reserve;
    private final long pid;
    private final long tag;
    private final String mark;
    /// Holds all processes, if the session is limited as a whole.
    private final @Nullable Group group;
    /// The processor time of each process, if it is limited.
    private final @Nullable Duration cpu;
    private final String workdir;
    private final Fd pidfd;
    /// Where input goes: the terminal, or the pipe to standard input.
    private final Port input;
    private final List<Port> ports;
    /// Our own descriptor of the terminal's other side: without it, a leader that closes its terminal and lives on
    /// makes epoll report a hang-up for ever. Null for pipes.
    private final @Nullable Fd slave;
    /// One thread at a time ends the processes; the next finds them gone.
    private final Semaphore ending = new Semaphore(1);

    private volatile long leftAfter = Census.NOT_LEFT;
    private @Nullable ProcessListener listener;

    // Loop only.
    private long pidfdId = -1;
    private @Nullable ExitStatus status;
    private boolean usedUpCpu;
    private boolean draining;
    private boolean exitReported;
    private boolean released;
    /// Bytes of a flood that those who wait have not been told of; while there are any, the loop gives this turns.
    private int unannounced;
    /// Whether there were more since the last such turn.
    private boolean grew;

    LinuxProcess(Loop loop, Census census, Reserve reserve, Launch launch, Spawned spawned) {
        this.loop = loop;
        this.census = census;
        this.reserve = reserve;
        this.pid = spawned.pid();
        this.tag = spawned.tag();
        this.mark = launch.mark();
        this.group = spawned.group();
        this.cpu = launch.resources().cpu();
        this.workdir = spawned.workdir();
        this.pidfd = new Fd(spawned.pidfd());
        census.enter(pid);
        if (spawned.slave() >= 0) {
            this.slave = new Fd(spawned.slave());
            this.input = new Port(loop, this, spawned.input(), true, Outlet.STDOUT);
            this.ports = List.of(input);
        } else {
            this.slave = null;
            this.input = new Port(loop, this, spawned.input(), false, Outlet.STDOUT);
            this.ports = List.of(
                    input,
                    new Port(loop, this, spawned.output(), true, Outlet.STDOUT),
                    new Port(loop, this, spawned.error(), true, Outlet.STDERR));
        }
    }

    /// What the spawner hands over; whoever gets it owns the descriptors.
    ///
    /// @param input  the terminal's master, or the pipe to standard input
    /// @param slave  the terminal's other side, -1 for pipes
    /// @param output the pipe from standard output, -1 for a terminal
    /// @param error  the pipe from standard error, -1 for a terminal
    record Spawned(long pid, int pidfd, long tag, @Nullable Group group, String workdir, int input, int slave,
            int output,
            int error) {}

    @Override
    public long pid() {
        return pid;
    }

    @Override
    public String workdir() {
        return workdir;
    }

    @Override
    public void start(ProcessListener hears) {
        listener = hears;
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            int failure = 0;
            for (Port port : ports) {
                failure = failure < 0 ? failure : port.start(libc, arena);
            }
            // Last, because only the leader's exit ends the ports, and it may have exited already.
            pidfdId = loop.newId();
            failure = failure < 0 ? failure : loop.add(libc, arena, pidfdId, pidfd.number(), Abi.EPOLLIN, this);
            if (failure < 0) {
                endUnwatched(libc, arena);
                throw Spawner.failed("wait for the process", -failure);
            }
        }
    }

    /// Ends a process that has just started and that the loop will not hear of. Needs neither descriptors nor memory,
    /// of which there may be none.
    private void endUnwatched(Libc libc, Arena arena) {
        libc.kill(-pid, Signal.KILL.number());
        MemorySegment info = arena.allocate(Abi.SIGINFO_BYTES, 8);
        libc.waitid(Abi.P_PIDFD, pidfd.number(), info, Abi.WEXITED | Abi.WNOWAIT);
        loop.call(this::finish);
    }

    // --- on the loop ---

    /// The leader has exited, or the drain that follows goes on, or a flood is to be announced.
    @Override
    public void ready(int events) {
        if (events != 0 && status == null) {
            reap();
        }
        if (draining) {
            drainStep();
        }
        if (unannounced > 0) {
            announceUnlessGrowing();
        }
    }

    @Override
    public void failed(Throwable cause) {
        finishExit();
        portsGone();
    }

    @Override
    public boolean stop() {
        if (!reaped()) {
            loop.libc.kill(-pid, Signal.KILL.number());
        }
        return !reaped();
    }

    private void reap() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = arena.allocate(Abi.SIGINFO_BYTES, 8);
            int look = Abi.WEXITED | Abi.WNOHANG | Abi.WNOWAIT;
            int result = loop.libc.waitid(Abi.P_PIDFD, pidfd.number(), info, look);
            boolean lives = result == 0 && info.get(ValueLayout.JAVA_INT, Abi.SIGINFO_PID) == 0;
            if (lives) {
                return;
            }
            int value = info.get(ValueLayout.JAVA_INT, Abi.SIGINFO_STATUS);
            usedUpCpu = value == Signal.KILL.number() && outOfTime(arena);
            // Said before the number is given back to the kernel, which gives it to somebody else.
            leftAfter = census.leave(pid);
            Pidfd.reap(loop.libc, arena, pidfd.number());
            boolean byItself = info.get(ValueLayout.JAVA_INT, Abi.SIGINFO_CODE) == Abi.CLD_EXITED;
            // An error means that somebody else has waited for our child; its status is lost, its death is not.
            status = result < 0 || byItself
                    ? new ExitStatus.Exited(result < 0 ? 255 : value)
                    : new ExitStatus.Signaled(new Signal(value));
        }
        if (pidfdId >= 0) {
            loop.remove(pidfd.number(), pidfdId);
            pidfdId = -1;
        }
        pidfd.close(loop.libc);
        closeSlave();
        if (!input.reads()) {
            input.close();
        }
        ports.forEach(Port::beginDrain);
        draining = true;
    }

    /// Whether the leader, which is dead and was killed, had used the processor time at which the kernel kills. The kernel
    /// counts that by looking who runs at each tick, which on a busy machine is up to a third more than what it shows: hence the half.
    private boolean outOfTime(Arena arena) {
        if (cpu == null) {
            return false;
        }
        MemorySegment limit = arena.allocate(ValueLayout.JAVA_LONG, 2);
        int result = loop.libc.prlimit(pid, Abi.RLIMIT_CPU, MemorySegment.NULL, limit);
        long seconds = limit.getAtIndex(ValueLayout.JAVA_LONG, 1);
        Duration used = Proc.cpu(new ProcFile(loop.libc, arena), pid);
        return result == 0 && seconds > 0 && used.multipliedBy(2).compareTo(Duration.ofSeconds(seconds)) >= 0;
    }

    private void closeSlave() {
        if (slave != null) {
            slave.close(loop.libc);
        }
    }

    /// Reads once from every port. The kernel shows all that the leader wrote before it shows "nothing there", so
    /// the leader's output is complete when every port has said so.
    private void drainStep() {
        if (readEach()) {
            loop.again(this);
        } else {
            finishExit();
        }
    }

    /// @return whether more of what was there when the drain began may be left
    private boolean readEach() {
        boolean more = false;
        for (Port port : ports) {
            more |= port.drain();
        }
        return more;
    }

    private void finishExit() {
        ExitStatus with = status;
        ProcessListener hears = listener;
        if (exitReported || with == null) {
            return;
        }
        draining = false;
        exitReported = true;
        boolean held = anyOpen();
        released = !held;
        if (hears != null) {
            // Before the exit, so that nobody hears of output after it.
            announceNow(hears);
            hears.exited(with, held);
        }
    }

    private boolean anyOpen() {
        return ports.stream().anyMatch(port -> port.reads() && port.open());
    }

    boolean output(ByteBuffer bytes, Outlet outlet) {
        ProcessListener hears = listener;
        if (hears == null) {
            return true;
        }
        int count = bytes.remaining();
        boolean goOn = hears.output(bytes, outlet);
        boolean first = unannounced == 0;
        unannounced += count;
        if (!goOn || count < FLOOD_BYTES || unannounced >= ANNOUNCE_BYTES) {
            announceNow(hears);
        } else {
            grew = true;
            if (first) {
                loop.again(this);
            }
        }
        return goOn;
    }

    private void announceNow(ProcessListener hears) {
        if (unannounced > 0) {
            unannounced = 0;
            hears.announce();
        }
    }

    /// Waits one more turn for a flood that goes on.
    private void announceUnlessGrowing() {
        ProcessListener hears = listener;
        if (grew) {
            grew = false;
            loop.again(this);
        } else if (hears != null) {
            announceNow(hears);
        }
    }

    /// Nobody writes to a port any more.
    void portClosed(Port port) {
        port.close();
        if (exitReported && !released && !anyOpen()) {
            portsGone();
        }
    }

    private void portsGone() {
        ports.forEach(Port::close);
        ProcessListener hears = listener;
        if (exitReported && !released && hears != null) {
            released = true;
            announceNow(hears);
            hears.released();
        }
    }

    /// All processes are dead: reports the exit and lets go of everything, whoever else has the terminal open.
    ///
    /// @return false if the leader is not dead after all
    private boolean finish() {
        if (status == null) {
            reap();
        }
        if (status == null) {
            return false;
        }
        while (draining) {
            drainStep();
        }
        // What survivors had printed before they were ended.
        ports.forEach(Port::beginDrain);
        boolean more = true;
        while (more) {
            more = readEach();
        }
        portsGone();
        return true;
    }

    private void hangUp() {
        loop.call(() -> {
            // What is there is kept; what would come is not waited for.
            ports.stream().filter(port -> port.reads() && port.open()).forEach(Port::read);
            closeSlave();
            ports.forEach(Port::close);
            return true;
        });
    }

    // --- on any thread ---

    @Override
    public int write(ByteBuffer bytes, Duration timeout, BooleanSupplier allowed) throws InterruptedException {
        return input.write(bytes, timeout, allowed);
    }

    @Override
    public void recallWrites() {
        input.recall();
    }

    @Override
    public void closeInput() {
        if (!input.reads()) {
            loop.call(() -> {
                input.close();
                return true;
            });
        }
    }

    @Override
    public boolean resize(Size size) {
        // On the loop, so that the log knows after which byte the terminal had its new size.
        return loop.call(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment winsize = winsize(arena, size);
                int result = input.with(
                        loop.libc, -Errno.EBADF, fd -> loop.libc.ioctl(fd, Abi.TIOCSWINSZ, winsize));
                ProcessListener hears = listener;
                if (result < 0 || hears == null) {
                    return false;
                }
                hears.resized(size);
                return true;
            }
        });
    }

    static MemorySegment winsize(Arena arena, Size size) {
        return arena.allocateFrom(
                ValueLayout.JAVA_SHORT,
                (short) size.rows(),
                (short) size.cols(),
                (short) size.xpixel(),
                (short) size.ypixel());
    }

    @Override
    public void resume() {
        loop.post(() -> ports.stream().filter(Port::reads).forEach(Port::resume));
    }

    @Override
    public boolean signal(Signal signal) {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            // The kernel knows the foreground group best, but signals it with these only.
            boolean asFromTheKeyboard = slave != null && KEYBOARD.contains(signal);
            if (asFromTheKeyboard) {
                int result = input.with(libc, -Errno.EBADF, fd -> libc.ioctl(fd, Abi.TIOCSIG, signal.number()));
                return result == 0;
            }
            long group = foreground(libc, arena);
            return group == pid ? signalOwnGroup(signal) : reserve.with(() -> signalGroup(libc, arena, group, signal));
        }
    }

    /// The leader's group: on the loop, where the leader is reaped, so that its number is still its own.
    private boolean signalOwnGroup(Signal signal) {
        return sent(signal, loop.call(() -> reaped() ? -Errno.ESRCH : loop.libc.kill(-pid, signal.number())));
    }

    private boolean signalGroup(Libc libc, Arena arena, long group, Signal signal) {
        int best = -Errno.ESRCH;
        for (Proc member : members()) {
            if (member.group() == group) {
                int result = Pidfd.signalOnce(libc, arena, member, signal);
                best = result == -Errno.ESRCH || best == 0 ? best : result;
            }
        }
        return sent(signal, best);
    }

    /// Whether somebody got a signal, from what the kernel said.
    private static boolean sent(Signal signal, int result) {
        return switch (-result) {
            case 0 -> true;
            case Errno.ESRCH -> false;
            case Errno.EPERM ->
                throw new SessionException(
                        ErrorCode.DENIED, signal + " may not be sent: the processes in front are another user's.");
            default ->
                throw new SessionException(
                        ErrorCode.UNAVAILABLE,
                        signal + " cannot be sent now: " + Errno.text(-result) + "; try again.");
        };
    }

    /// The process group that has the terminal, or the leader's own.
    private long foreground(Libc libc, Arena arena) {
        if (slave == null) {
            return pid;
        }
        MemorySegment group = arena.allocate(ValueLayout.JAVA_INT);
        int result = input.with(libc, -Errno.EBADF, fd -> libc.ioctl(fd, Abi.TIOCGPGRP, group));
        return result < 0 ? pid : group.get(ValueLayout.JAVA_INT, 0);
    }

    @Override
    public InputState inputState() {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            InputLook look = new InputLook(libc, arena);
            // The child's side of a terminal is what its descriptors lead to; the two ends of a pipe are one file.
            int open = slave == null
                    ? input.with(libc, -Errno.EBADF, look::at)
                    : slave.with(libc, -Errno.EBADF, look::at);
            if (open < 0) {
                return InputState.NOBODY;
            }
            InputLook.Seen seen = look.group(foreground(libc, arena));
            // After the look: a program that is blocked by then has set its modes before.
            return seen.in(modes(libc, arena));
        }
    }

    /// The local modes of the terminal; pipes count as one that takes and shows lines.
    private int modes(Libc libc, Arena arena) {
        int usual = Abi.ICANON | Abi.ECHO;
        if (slave == null) {
            return usual;
        }
        MemorySegment termios = arena.allocate(Abi.TERMIOS_BYTES, 4);
        int result = slave.with(libc, -Errno.EBADF, fd -> libc.ioctl(fd, Abi.TCGETS, termios));
        return result < 0 ? usual : termios.get(ValueLayout.JAVA_INT, Abi.TERMIOS_LFLAG);
    }

    /// Whether the leader's number may belong to somebody else by now.
    private boolean reaped() {
        return leftAfter != Census.NOT_LEFT;
    }

    private List<Proc> members() {
        List<Proc> found = census.find(new Census.Wanted(pid, tag, mark, () -> leftAfter));
        return group == null ? found : withGroup(group, found);
    }

    /// Whoever is in the group belongs to the session, whatever it has done to its tag and mark.
    private static List<Proc> withGroup(Group group, List<Proc> found) {
        Map<Long, Proc> all = new LinkedHashMap<>();
        found.forEach(proc -> all.put(proc.pid(), proc));
        try (Arena arena = Arena.ofConfined()) {
            ProcFile files = new ProcFile(new Libc(arena), arena);
            for (long member : group.pids()) {
                Proc proc = all.containsKey(member) ? null : Proc.read(files, member);
                if (proc != null && proc.alive()) {
                    all.put(member, proc);
                }
            }
        }
        return List.copyOf(all.values());
    }

    @Override
    public Optional<EndReason> limitHit(ExitStatus exit) {
        Optional<EndReason> together = group == null ? Optional.empty() : group.limitHit(exit);
        // A leader that would not hear SIGXCPU is killed some seconds later.
        return together.isEmpty() && usedUpCpu && exit.signal().filter(Signal.KILL::equals).isPresent()
                ? Optional.of(EndReason.CPU_LIMIT)
                : together;
    }

    @Override
    public int survivors() {
        return reaped() ? reserve.with(this::members).size() : 0;
    }

    @Override
    public Ended end(Duration grace) {
        Runnable killGroup = group == null ? () -> {} : group::kill;
        // No turn yet: who comes with no grace does not wait for one who has a long one.
        Ended ended = reserve.with(() -> new Ending(loop, pid, this::members, killGroup, this::hangUp).run(grace));
        ending.acquireUninterruptibly();
        try {
            boolean leaderLeft = !loop.call(this::finish);
            if (group != null && ended.left().isEmpty() && !group.remove()) {
                return new Ended(ended.killed(), List.of("control group " + group.folder() + " cannot be removed"));
            }
            if (leaderLeft && ended.left().isEmpty()) {
                List<String> left = new ArrayList<>(ended.left());
                left.add("process " + pid + " does not die");
                return new Ended(ended.killed(), left);
            }
            return ended;
        } finally {
            ending.release();
        }
    }
}
