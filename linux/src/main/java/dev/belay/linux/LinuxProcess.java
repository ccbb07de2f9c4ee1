package dev.belay.linux;

import dev.belay.EndReason;
import dev.belay.ExitStatus;
import dev.belay.InputState;
import dev.belay.Outlet;
import dev.belay.ProcessRecord;
import dev.belay.SessionException;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.host.HostProcess;
import dev.belay.host.Launch;
import dev.belay.host.ProcessListener;
import dev.belay.host.TriedWrite;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A session's leader and its ports. The fields below "Loop only" belong to the loop's thread.
final class LinuxProcess implements HostProcess, Loop.Source {
    private final Loop loop;
    private final FdReserve reserve;
    private final Leader leader;
    private final @Nullable SessionCgroup cgroup;
    private final @Nullable Sandbox sandbox;
    private final @Nullable ExecWatch watch;
    private final String workdir;
    /// Where input goes: the terminal, or the pipe to standard input.
    private final Port input;
    private final List<Port> ports;
    private final InputWriter writer;
    private final List<OutputReader> readers;
    /// Our own descriptor of the terminal's other side. Without it, epoll would report a hang-up for ever once a leader
    /// closes its terminal and lives on. Null for pipes.
    private final @Nullable Fd slave;
    private final ForegroundGroup foreground;
    /// One thread at a time finishes the session; the next finds it done.
    private final Semaphore ending = new Semaphore(1);

    private @Nullable ProcessListener listener;

    // Loop only.
    private final WakeThrottle throttle = new WakeThrottle(this::announce, this::askForTurn);
    /// Between the leader's death and this, the backlog is read.
    private boolean exitReported;

    /// @param sandbox ends with the session; null if it has none
    /// @param watch   ends with the session; null if it is not watched
    LinuxProcess(
            Loop loop, Census census, FdReserve reserve, Launch launch, Spawned spawned, @Nullable Sandbox sandbox,
            @Nullable ExecWatch watch) {
        this.sandbox = sandbox;
        this.watch = watch;
        this.loop = loop;
        this.reserve = reserve;
        this.leader = new Leader(loop, census, spawned, launch.mark(), launch.resources().cpu());
        this.cgroup = spawned.group();
        this.workdir = spawned.workdir();
        if (spawned.slave() >= 0) {
            this.slave = new Fd(spawned.slave());
            this.input = Port.terminal(loop, this, spawned.input());
            this.ports = List.of(input);
        } else {
            this.slave = null;
            this.input = Port.inputPipe(loop, this, spawned.input());
            this.ports = List.of(
                    input,
                    Port.outputPipe(loop, this, spawned.output(), Outlet.STDOUT),
                    Port.outputPipe(loop, this, spawned.error(), Outlet.STDERR));
        }
        this.writer = Objects.requireNonNull(input.writer());
        this.readers = ports.stream().map(Port::reader).filter(Objects::nonNull).toList();
        this.foreground = new ForegroundGroup(loop, reserve, leader, input.fd(), slave);
    }

    @Override
    public long pid() {
        return leader.pid();
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
            // Last: the leader's exit ends the ports, and it may have exited already.
            failure = failure < 0 ? failure : leader.watch(libc, arena, this);
            if (failure < 0) {
                // The loop will not hear of its exit.
                leader.killUnwatched(libc, arena);
                loop.call(this::finish);
                throw Spawner.failed("wait for the process", -failure);
            }
        }
        if (watch != null) {
            watch.start(hears);
        }
    }

    // --- on the loop ---

    /// The leader has exited, or it is time to read more of the backlog or to announce output.
    @Override
    public void ready(int events) {
        if (events != 0 && leader.status() == null) {
            reap();
        }
        if (readingBacklog()) {
            backlogStep();
        }
        throttle.turn();
    }

    @Override
    public void failed(Throwable cause) {
        finishExit();
        portsGone();
    }

    @Override
    public boolean stop() {
        leader.signalGroup(Signal.KILL);
        return !leader.reaped();
    }

    private void reap() {
        leader.reap();
        if (leader.status() == null) {
            return;
        }
        closeSlave();
        if (inputIsPipe()) {
            input.close();
        }
        readers.forEach(OutputReader::markBacklog);
    }

    private boolean readingBacklog() {
        return leader.status() != null && !exitReported;
    }

    private boolean inputIsPipe() {
        return slave == null;
    }

    private void closeSlave() {
        if (slave != null) {
            slave.close(loop.libc);
        }
    }

    /// Reads once from every port. The kernel returns all that the leader wrote before it says that there is nothing,
    /// so the leader's output is complete once every port has said so.
    private void backlogStep() {
        if (readEach()) {
            loop.again(this);
        } else {
            finishExit();
        }
    }

    /// @return whether the backlog may have more
    private boolean readEach() {
        boolean more = false;
        for (OutputReader reader : readers) {
            more |= reader.readBacklog();
        }
        return more;
    }

    private void finishExit() {
        ExitStatus with = leader.status();
        ProcessListener hears = listener;
        if (exitReported || with == null) {
            return;
        }
        exitReported = true;
        if (sandbox != null && sandbox.endsWithLeader() && with.signal().isEmpty()) {
            // Off the loop, since it works on files.
            Thread.ofVirtual().name("belay-sandbox").start(sandbox::close);
        }
        if (hears != null) {
            // Before the exit, so that no listener hears of output after it.
            throttle.flush();
            hears.exited(with, anyOpen());
        }
    }

    private boolean anyOpen() {
        return ports.stream().anyMatch(port -> port.reader() != null && port.open());
    }

    boolean output(ByteBuffer bytes, Outlet outlet) {
        ProcessListener hears = listener;
        if (hears == null) {
            return true;
        }
        int count = bytes.remaining();
        boolean goOn = hears.output(bytes, outlet);
        throttle.add(count, !goOn);
        return goOn;
    }

    private void announce() {
        ProcessListener hears = listener;
        if (hears != null) {
            hears.announce();
        }
    }

    private void askForTurn() {
        loop.again(this);
    }

    /// Every process has closed the other side of a port, or the port failed.
    void portClosed(Port port) {
        port.close();
        if (exitReported && !anyOpen()) {
            portsGone();
        }
    }

    private void portsGone() {
        ports.forEach(Port::close);
        ProcessListener hears = listener;
        if (exitReported && hears != null) {
            throttle.flush();
            hears.released();
        }
    }

    /// Reports the exit and closes everything, even if some process still has the terminal open. Called when all
    /// processes of the session should be dead.
    ///
    /// @return false if the leader is still alive
    private boolean finish() {
        if (leader.status() == null) {
            reap();
        }
        if (leader.status() == null) {
            return false;
        }
        while (readingBacklog()) {
            backlogStep();
        }
        // What survivors printed before they were ended.
        readRest();
        portsGone();
        return true;
    }

    private void readRest() {
        readers.forEach(OutputReader::markBacklog);
        boolean more = true;
        while (more) {
            more = readEach();
        }
    }

    private void hangUp() {
        loop.call(() -> {
            // Keeps what has been printed so far and does not wait for more.
            readRest();
            closeSlave();
            ports.forEach(Port::close);
            return true;
        });
    }

    // --- on any thread ---

    @Override
    public int write(ByteBuffer bytes, Duration timeout, BooleanSupplier allowed) throws InterruptedException {
        return writer.write(bytes, timeout, allowed);
    }

    @Override
    public @Nullable TriedWrite tryWrite(ByteBuffer bytes, BooleanSupplier allowed) {
        return writer.tryWrite(bytes, allowed);
    }

    @Override
    public long foreground() {
        return foreground.group();
    }

    @Override
    public boolean shellReads() {
        return foreground.shellReads();
    }

    @Override
    public boolean reply(byte[] bytes, long group) {
        return slave != null && writer.reply(bytes, slave, () -> foreground.group() == group);
    }

    @Override
    public void recallWrites() {
        writer.recall();
    }

    @Override
    public void closeInput() {
        if (inputIsPipe()) {
            loop.call(() -> {
                input.close();
                return true;
            });
        }
    }

    @Override
    public boolean resize(Size size) {
        // On the loop, so that the log knows at which byte the size changed.
        return loop.call(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment winsize = winsize(arena, size);
                int result = input.fd()
                        .with(loop.libc, -Errno.EBADF, fd -> loop.libc.ioctl(fd, Abi.TIOCSWINSZ, winsize));
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
        loop.post(() -> readers.forEach(OutputReader::resume));
    }

    @Override
    public boolean signal(Signal signal) {
        return foreground.signal(signal);
    }

    @Override
    public InputState inputState() {
        InputState seen = foreground.inputState();
        if (!seen.seenWaiting()) {
            return seen;
        }
        // A program that waits has printed its prompt. Read it now, so that the log has it when we report the wait.
        try {
            loop.call(() -> {
                readers.forEach(OutputReader::catchUp);
                return true;
            });
            return seen;
        } catch (SessionException _) {
            // The host was closed meanwhile, so nothing waits for input any more.
            return InputState.NOBODY;
        }
    }

    @Override
    public Optional<EndReason> limitHit(ExitStatus exit) {
        Optional<EndReason> together = cgroup == null ? Optional.empty() : cgroup.limitHit(exit);
        // The kernel kills a leader that ignores SIGXCPU a few seconds later.
        return together.isEmpty() && leader.usedUpCpu() && exit.signal().filter(Signal.KILL::equals).isPresent()
                ? Optional.of(EndReason.CPU_LIMIT)
                : together;
    }

    @Override
    public boolean listens() {
        return reserve.with(() -> ListeningPorts.any(members()));
    }

    @Override
    public int survivors() {
        if (!leader.reaped()) {
            return 0;
        }
        int found = reserve.with(this::members).size();
        return found == 0 && watch != null && watch.left() == ExecWatch.Left.SOME ? 1 : found;
    }

    /// The living processes that can be found. A watch that has hung up is proof that there are none.
    private List<Proc> members() {
        return leader.reaped() && watch != null && watch.empty() ? List.of() : leader.members();
    }

    @Override
    public List<ProcessRecord> processes() {
        return reserve.with(() -> ProcessTable.of(members(), foreground.group()));
    }

    @Override
    public List<String> changed() {
        return sandbox == null ? List.of() : sandbox.changed();
    }

    @Override
    public Ended end(Duration grace) {
        try {
            Ended ended = endAll(grace);
            // One whose leader lives is kept, and watched.
            return watch == null || !leader.reaped() ? ended : unwatched(watch, ended);
        } finally {
            if (sandbox != null) {
                sandbox.close();
            }
        }
    }

    private static Ended unwatched(ExecWatch watch, Ended ended) {
        Ended told = ended.left().isEmpty() ? told(watch, ended) : ended;
        watch.close();
        return told;
    }

    /// All processes that could be found have ended. The watch knows whether there are others.
    private static Ended told(ExecWatch watch, Ended ended) {
        return switch (watch.left()) {
            case NONE -> ended.confirmed();
            case SOME -> ended.left("a process that Belay cannot find still runs, but cannot start programs");
            case UNKNOWN -> ended;
        };
    }

    private Ended endAll(Duration grace) {
        Runnable killCgroup = cgroup == null ? () -> {} : cgroup::kill;
        // Not under the turn: a caller without a grace does not wait for one with a long grace.
        Ended ended = reserve.with(
                () -> new Ending(loop, leader.pid(), this::members, killCgroup, this::hangUp).run(grace));
        ending.acquireUninterruptibly();
        try {
            boolean leaderLeft = !loop.call(this::finish);
            if (!ended.left().isEmpty()) {
                return ended;
            }
            if (cgroup != null && !cgroup.remove()) {
                return ended.left("cgroup " + cgroup.folder() + " cannot be removed");
            }
            if (leaderLeft) {
                return ended.left("process " + leader.pid() + " does not die");
            }
            return cgroup == null ? ended : ended.confirmed();
        } finally {
            ending.release();
        }
    }
}
