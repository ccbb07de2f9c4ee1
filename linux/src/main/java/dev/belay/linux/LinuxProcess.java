package dev.belay.linux;

import dev.belay.EndReason;
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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A session's leader and its ports. The fields below "Loop only" belong to the loop's thread.
final class LinuxProcess implements HostProcess, Loop.Source {
    private final Loop loop;
    private final Reserve reserve;
    private final Leader leader;
    private final @Nullable Group group;
    private final String workdir;
    /// Where input goes: the terminal, or the pipe to standard input.
    private final Port input;
    private final List<Port> ports;
    /// Our own descriptor of the terminal's other side: without it, a leader that closes its terminal and lives on
    /// makes epoll report a hang-up for ever. Null for pipes.
    private final @Nullable Fd slave;
    private final Foreground foreground;
    /// One thread at a time ends the processes; the next finds them gone.
    private final Semaphore ending = new Semaphore(1);

    private @Nullable ProcessListener listener;

    // Loop only.
    private final Flood flood = new Flood(this::announce, this::askForTurn);
    private boolean draining;
    private boolean exitReported;
    private boolean released;

    LinuxProcess(Loop loop, Census census, Reserve reserve, Launch launch, Spawned spawned) {
        this.loop = loop;
        this.reserve = reserve;
        this.leader = new Leader(loop, census, spawned, launch.mark(), launch.resources().cpu());
        this.group = spawned.group();
        this.workdir = spawned.workdir();
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
        this.foreground = new Foreground(loop, reserve, leader, input, slave);
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
            // Last, because only the leader's exit ends the ports, and it may have exited already.
            failure = failure < 0 ? failure : leader.watch(libc, arena, this);
            if (failure < 0) {
                // The loop will not hear of it.
                leader.killUnwatched(libc, arena);
                loop.call(this::finish);
                throw Spawner.failed("wait for the process", -failure);
            }
        }
    }

    // --- on the loop ---

    /// The leader has exited, or the drain that follows goes on, or a flood is to be announced.
    @Override
    public void ready(int events) {
        if (events != 0 && leader.status() == null) {
            reap();
        }
        if (draining) {
            drainStep();
        }
        flood.turn();
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
        if (!input.reads()) {
            input.close();
        }
        ports.forEach(Port::beginDrain);
        draining = true;
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
        ExitStatus with = leader.status();
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
            flood.end();
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
        flood.add(count, !goOn);
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
            flood.end();
            hears.released();
        }
    }

    /// All processes are dead: reports the exit and lets go of everything, whoever else has the terminal open.
    ///
    /// @return false if the leader is not dead after all
    private boolean finish() {
        if (leader.status() == null) {
            reap();
        }
        if (leader.status() == null) {
            return false;
        }
        while (draining) {
            drainStep();
        }
        // What survivors had printed before they were ended.
        readRest();
        portsGone();
        return true;
    }

    private void readRest() {
        ports.forEach(Port::beginDrain);
        boolean more = true;
        while (more) {
            more = readEach();
        }
    }

    private void hangUp() {
        loop.call(() -> {
            // What is there is kept; what would come is not waited for.
            readRest();
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
        return foreground.signal(signal);
    }

    @Override
    public InputState inputState() {
        InputState seen = foreground.inputState();
        if (!seen.seenWaiting()) {
            return seen;
        }
        // Whoever waits has asked for it before, and who reads the log now is to find the question.
        try {
            loop.call(() -> {
                ports.forEach(Port::catchUp);
                return true;
            });
            return seen;
        } catch (SessionException _) {
            // The host was closed meanwhile, and so was everybody who waited.
            return InputState.NOBODY;
        }
    }

    @Override
    public Optional<EndReason> limitHit(ExitStatus exit) {
        Optional<EndReason> together = group == null ? Optional.empty() : group.limitHit(exit);
        // A leader that would not hear SIGXCPU is killed some seconds later.
        return together.isEmpty() && leader.usedUpCpu() && exit.signal().filter(Signal.KILL::equals).isPresent()
                ? Optional.of(EndReason.CPU_LIMIT)
                : together;
    }

    @Override
    public int survivors() {
        return leader.reaped() ? reserve.with(leader::members).size() : 0;
    }

    @Override
    public Ended end(Duration grace) {
        Runnable killGroup = group == null ? () -> {} : group::kill;
        // No turn yet: who comes with no grace does not wait for one who has a long one.
        Ended ended =
                reserve.with(() -> new Ending(loop, leader.pid(), leader::members, killGroup, this::hangUp).run(grace));
        ending.acquireUninterruptibly();
        try {
            boolean leaderLeft = !loop.call(this::finish);
            if (group != null && ended.left().isEmpty() && !group.remove()) {
                return new Ended(ended.killed(), List.of("control group " + group.folder() + " cannot be removed"));
            }
            if (leaderLeft && ended.left().isEmpty()) {
                return new Ended(ended.killed(), List.of("process " + leader.pid() + " does not die"));
            }
            return ended;
        } finally {
            ending.release();
        }
    }
}
