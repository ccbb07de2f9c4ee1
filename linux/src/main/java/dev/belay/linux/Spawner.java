package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.Mode;
import dev.belay.Quoted;
import dev.belay.Resources;
import dev.belay.SessionException;
import dev.belay.Signal;
import dev.belay.Tier;
import dev.belay.host.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/// Starts one process with `posix_spawn`. Lives for one spawn, on the caller's thread; what it opened is closed again
/// on every way out but success.
///
/// The child gets a session of its own, the terminal or pipes as its descriptors 0 to 2 and no others, default signal
/// dispositions and an empty signal mask, however Belay itself was started.
final class Spawner implements AutoCloseable {
    /// The descriptor after standard error.
    private static final int FIRST_UNUSED = 3;
    /// Bubblewrap takes milliseconds. A file system that does not answer may keep it for ever.
    private static final Duration SET_UP = Duration.ofSeconds(30);
    private static final int COMPLAINT_BYTES = 4096;

    private final Arena arena = Arena.ofConfined();
    private final Libc libc = new Libc(arena);
    private final Workspace workspace;
    private final HostCgroup groups;
    private final Launch launch;
    private final boolean ownProcess;
    private final @Nullable Sandbox sandbox;
    private final @Nullable ExecWatch watch;
    private final long tag;
    private final Deque<Integer> opened = new ArrayDeque<>();
    private final MemorySegment pid = arena.allocate(ValueLayout.JAVA_INT);
    private int folder = -1;
    private int terminal = -1;
    /// Where a sandbox that cannot be set up says why.
    private int complaints = -1;
    /// Tells a sandbox to go on; -1 if there is none to tell.
    private int go = -1;
    /// The child's end of the next.
    private int theirs = -1;
    /// Says that a sandbox is set up.
    private int ready = -1;
    private String workdir = ".";
    private final MemorySegment actions = arena.allocate(Abi.FILE_ACTIONS_BYTES, 8);

    /// @param ownProcess whether nobody else forks in this process
    /// @param sandbox    what to start the program in; null for none
    /// @param watch      holds its processes when they start programs; null for none
    Spawner(Workspace workspace, HostCgroup groups, Launch launch, boolean ownProcess, @Nullable Sandbox sandbox,
            @Nullable ExecWatch watch) {
        this.workspace = workspace;
        this.groups = groups;
        this.launch = launch;
        this.ownProcess = ownProcess;
        this.sandbox = sandbox;
        this.watch = watch;
        this.tag = Tag.next(Census.instance(launch.mark()));
    }

    /// What the processes of the session carry.
    long tag() {
        return tag;
    }

    static SessionException failed(String what, int errno) {
        return new SessionException(
                ErrorCode.SPAWN_FAILED, "Belay could not " + what + ": " + Errno.text(errno) + ".");
    }

    Spawned spawn() {
        folder = keep(workspace.open(libc, arena, launch.workdir()));
        // Before the start: nothing may fail once there is a process.
        workdir = workspace.relative(libc, arena, folder, launch.workdir());
        String program = new ProgramLookup(libc, arena, folder).find(
                launch.command().getFirst(), launch.env().getOrDefault("PATH", ProgramLookup.DEFAULT_PATH));
        check("prepare the process", libc.actionsInit(actions));
        try {
            return launch.mode() instanceof Mode.Pty pty ? onTerminal(pty, program) : onPipes(program);
        } finally {
            libc.actionsDestroy(actions);
        }
    }

    private Spawned onTerminal(Mode.Pty pty, String program) {
        int master = opened(
                "open a terminal",
                libc.open(arena.allocateFrom("/dev/ptmx"), Abi.O_RDWR | Abi.O_NOCTTY | Abi.O_CLOEXEC | Abi.O_NONBLOCK));
        check("unlock the terminal", libc.ioctl(master, Abi.TIOCSPTLCK, arena.allocateFrom(ValueLayout.JAVA_INT, 0)));
        int slave = opened(
                "open the terminal's other side",
                libc.ioctl(master, Abi.TIOCGPTPEER, (long) (Abi.O_RDWR | Abi.O_NOCTTY | Abi.O_CLOEXEC)));
        terminal = slave;
        complaints = master;
        check("size the terminal", libc.ioctl(master, Abi.TIOCSWINSZ, LinuxProcess.winsize(arena, pty.size())));
        setModes(slave, pty);
        Sandbox.User user = sandbox == null ? null : sandbox.runAs();
        if (user != null) {
            check("give the terminal to its user", libc.fchown(slave, user.uid(), user.gid()));
        }
        // Opened by the child itself, which has just become the leader of a session without a terminal: so the
        // terminal becomes its controlling one. By our descriptor, not by a name: /dev/pts may be another instance.
        String path = "/proc/self/fd/" + slave;
        check("prepare the process", libc.actionsOpen(actions, 0, arena.allocateFrom(path), Abi.O_RDWR));
        check("prepare the process", libc.actionsDup2(actions, 0, 1));
        check("prepare the process", libc.actionsDup2(actions, 0, 2));
        Child child = start(program);
        keepOnly(child.pidfd(), master, slave);
        return new Spawned(
                child.pid(), child.pidfd(), tag, child.group(), workdir, master, slave, -1,
                -1);
    }

    private void setModes(int slave, Mode.Pty pty) {
        MemorySegment termios = arena.allocate(Abi.TERMIOS_BYTES, 4);
        check("read the terminal's modes", libc.ioctl(slave, Abi.TCGETS, termios));
        flag(termios, Abi.TERMIOS_IFLAG, Abi.IUTF8, true);
        flag(termios, Abi.TERMIOS_OFLAG, Abi.ONLCR, pty.crlf());
        flag(termios, Abi.TERMIOS_LFLAG, Abi.ECHO, pty.echo());
        check("set the terminal's modes", libc.ioctl(slave, Abi.TCSETS, termios));
    }

    private static void flag(MemorySegment termios, long offset, int bit, boolean on) {
        int now = termios.get(ValueLayout.JAVA_INT, offset);
        termios.set(ValueLayout.JAVA_INT, offset, on ? now | bit : now & ~bit);
    }

    private Spawned onPipes(String program) {
        int[] in = pipe();
        int[] out = pipe();
        int[] err = pipe();
        int[] theirs = {in[0], out[1], err[1]};
        int[] ours = {in[1], out[0], err[0]};
        complaints = err[0];
        for (int fd = 0; fd < theirs.length; fd++) {
            check("prepare the process", libc.actionsDup2(actions, theirs[fd], fd));
            check("prepare the pipes", libc.fcntl(ours[fd], Abi.F_SETFL, Abi.O_NONBLOCK));
        }
        Child child = start(program);
        keepOnly(child.pidfd(), ours[0], ours[1], ours[2]);
        return new Spawned(
                child.pid(),
                child.pidfd(),
                tag,
                child.group(),
                workdir,
                ours[0],
                -1,
                ours[1],
                ours[2]);
    }

    private int[] pipe() {
        MemorySegment fds = arena.allocate(ValueLayout.JAVA_INT, 2);
        check("open a pipe", libc.pipe2(fds, Abi.O_CLOEXEC));
        return new int[] {
                keep(fds.getAtIndex(ValueLayout.JAVA_INT, 0)), keep(fds.getAtIndex(ValueLayout.JAVA_INT, 1))
        };
    }

    private record Child(long pid, int pidfd, @Nullable SessionCgroup group) {}

    private Child start(String program) {
        check("prepare the process", libc.actionsFchdir(actions, folder));
        check("prepare the process", libc.actionsCloseFrom(
                actions, sandbox instanceof Bubblewrap ? passToBubblewrap() : FIRST_UNUSED));
        MemorySegment attributes = arena.allocate(Abi.SPAWNATTR_BYTES, 8);
        check("prepare the process", libc.attrInit(attributes));
        try {
            MemorySegment signals = arena.allocate(Abi.SIGSET_BYTES, 8);
            check("prepare the process", libc.attrSetSigMask(attributes, signals));
            signals.fill((byte) 0xFF);
            check("prepare the process", libc.attrSetSigDefault(attributes, signals));
            check(
                    "prepare the process",
                    libc.attrSetFlags(
                            attributes,
                            Abi.POSIX_SPAWN_SETSID | Abi.POSIX_SPAWN_SETSIGDEF | Abi.POSIX_SPAWN_SETSIGMASK));
            return started(attributes, program);
        } finally {
            libc.attrDestroy(attributes);
        }
    }

    /// Gives the child the filter of its sandbox, and two pipes by which it meets Belay before its program starts.
    ///
    /// @return the first descriptor that it does not need
    private int passToBubblewrap() {
        byte[] filter = SandboxFilter.inNamespaces().bytes();
        int[] pipe = pipe();
        check("pass the filter", libc.write(pipe[1], arena.allocateFrom(ValueLayout.JAVA_BYTE, filter), filter.length));
        // Its reader wants to see the end.
        closeNow(pipe[1]);
        int[] goes = pipe();
        int[] readies = pipe();
        go = goes[1];
        ready = readies[0];
        pass(pipe[0], Bubblewrap.FILTER_FD);
        pass(goes[0], Bubblewrap.GO_FD);
        theirs = pass(readies[1], Bubblewrap.READY_FD);
        closeNow(readies[1]);
        return Bubblewrap.READY_FD + 1;
    }

    /// Gives the child a descriptor under a number. Its own number is above all that are given away first.
    ///
    /// @return the descriptor here
    private int pass(int fd, int number) {
        int high = opened("prepare the process", libc.fcntl(fd, Abi.F_DUPFD_CLOEXEC, Bubblewrap.READY_FD + 1L));
        check("prepare the process", libc.actionsDup2(actions, high, number));
        return high;
    }

    private void closeNow(int fd) {
        opened.remove(fd);
        libc.close(fd);
    }

    /// Waits until the sandbox is set up, looks at it, and lets it go on.
    private void meet(Bubblewrap bubblewrap, long pid) {
        // Only the child may hold this end: so its end is seen.
        closeNow(theirs);
        MemorySegment said = arena.allocate(1);
        int count = new Patience(SET_UP).call(pid, () -> libc.read(ready, said, 1));
        if (count <= 0) {
            throw Rooms.notSetUp(complaint());
        }
        bubblewrap.requireMounts(libc, arena, firstInside(pid));
        check("let the sandbox go on", libc.write(go, arena.allocateFrom("\n"), 1));
        closeNow(ready);
        closeNow(go);
    }

    /// The one child of bubblewrap.
    private long firstInside(long pid) {
        String children = new ProcFile(libc, arena).text(pid, "task/" + pid + "/children");
        if (children == null || !children.strip().matches("[0-9]+")) {
            throw failed("look into the sandbox", Errno.ESRCH);
        }
        return Long.parseLong(children.strip());
    }

    private String complaint() {
        MemorySegment said = arena.allocate(COMPLAINT_BYTES);
        int count = libc.read(complaints, said, said.byteSize());
        return new String(
                said.asSlice(0, Math.max(0, count)).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8).strip();
    }

    private Child started(MemorySegment attributes, String program) {
        Trampoline trampoline = new Trampoline(launch.resources());
        if (sandbox != null) {
            requireExecutable(program);
            sandbox.requireVisible(program);
            return limited(attributes, trampoline, sandbox.command(workdir), sandbox.environment());
        }
        // A watched program is judged when somebody can be asked about it: once the session is there.
        if (watch != null || trampoline.needed() || (!ownProcess && Trampoline.carries(launch.env()))) {
            requireExecutable(program);
            return limited(
                    attributes, trampoline, Trampoline.command(launch.command(), launch.env()), launch.env());
        }
        int result = spawn(attributes, program, launch.command(), launch.env());
        if (result == -Errno.ENOEXEC) {
            // A script without "#!": a shell would run it, and so do we.
            List<String> script = new ArrayList<>(List.of(Trampoline.SHELL, program));
            script.addAll(launch.command().subList(1, launch.command().size()));
            return adopted(checked(
                    Trampoline.SHELL, spawn(attributes, Trampoline.SHELL, script, launch.env())));
        }
        return adopted(checked(name(), result));
    }

    private Child limited(
            MemorySegment attributes, Trampoline trampoline, List<String> command, Map<String, String> variables) {
        Resources.Together together = launch.resources().together();
        SessionCgroup group = together == null ? null : groups.make(together);
        boolean done = false;
        try {
            Map<String, String> env = Trampoline.environment(variables);
            Child child = adopted(checked(
                    Trampoline.SHELL, spawn(attributes, Trampoline.SHELL, command, env)));
            try {
                trampoline.release(libc, arena, child.pid(), group);
                if (sandbox instanceof Bubblewrap bubblewrap) {
                    meet(bubblewrap, child.pid());
                }
                done = true;
            } finally {
                if (!done) {
                    kill(child.pid());
                }
            }
            return new Child(child.pid(), child.pidfd(), group);
        } finally {
            if (!done && group != null) {
                group.remove();
            }
        }
    }

    /// What the shell would find out too late to report at once.
    private void requireExecutable(String program) {
        int result = libc.faccessat(folder, arena.allocateFrom(program), Abi.X_OK);
        if (result < 0) {
            throw notStarted(name(), -result);
        }
        if (new ProgramLookup(libc, arena, folder).isFolder(program)) {
            throw ProgramLookup.notExecutable(name());
        }
    }

    /// The program as the caller named it. Messages are logged, and where it was found is a value of the environment.
    private String name() {
        return launch.command().getFirst();
    }

    private long checked(String program, int result) {
        if (result < 0) {
            throw notStarted(program, -result);
        }
        return pid.get(ValueLayout.JAVA_INT, 0);
    }

    private int spawn(MemorySegment attributes, String program, List<String> command, Map<String, String> env) {
        MemorySegment envp = strings(env.entrySet().stream()
                .map(variable -> variable.getKey() + "=" + variable.getValue())
                .toList());
        MemorySegment path = arena.allocateFrom(program);
        MemorySegment argv = strings(command);
        Landlock.Wall wall = wall();
        GuardThread.Start start = (caller, callers) -> {
            IntSupplier spawn = () -> {
                if (wall != null) {
                    wall.enter(caller);
                }
                return caller.spawn(pid, path, actions, attributes, argv, envp);
            };
            return ownProcess ? new Birth(caller, callers, tag).run(spawn) : spawn.getAsInt();
        };
        boolean guarded = watch != null || wall != null || launch.guard().isolation().tier() == Tier.LIMITS;
        return guarded ? GuardThread.call(watch, start) : start.run(libc, arena);
    }

    /// What keeps a session in that no namespaces do.
    private Landlock.@Nullable Wall wall() {
        if (!(sandbox instanceof Landlock landlock)) {
            return null;
        }
        int root = keep(workspace.open(libc, arena, "."));
        Landlock.Wall wall = landlock.wall(libc, arena, root, terminal);
        keep(wall.ruleset());
        return wall;
    }

    /// Waits for a process on pipes that ends at once, and lets go of it.
    ///
    /// @return what it printed on standard error, if it failed
    String outcome(Spawned spawned) {
        keep(spawned.pidfd());
        keep(spawned.input());
        keep(spawned.output());
        keep(spawned.error());
        MemorySegment info = arena.allocate(Abi.SIGINFO_BYTES, 8);
        int result = libc.waitid(Abi.P_PIDFD, spawned.pidfd(), info, Abi.WEXITED);
        boolean fine = result == 0
                && info.get(ValueLayout.JAVA_INT, Abi.SIGINFO_CODE) == Abi.CLD_EXITED
                && info.get(ValueLayout.JAVA_INT, Abi.SIGINFO_STATUS) == 0;
        complaints = spawned.error();
        String words = fine ? "" : complaint();
        return fine ? "" : words.isEmpty() ? "nothing, but it failed" : words;
    }

    /// Whether there was a process, even if it is gone again.
    boolean started() {
        return pid.get(ValueLayout.JAVA_INT, 0) != 0;
    }

    private Child adopted(long child) {
        int pidfd = libc.pidfdOpen(child);
        if (pidfd < 0) {
            kill(child);
            throw failed("watch the process", -pidfd);
        }
        if (!ownProcess) {
            Tag.give(libc, arena, child, tag);
        }
        return new Child(child, keep(pidfd), null);
    }

    /// Ends a child that nobody has waited for yet, so that its number is its own.
    private void kill(long child) {
        libc.kill(-child, Signal.KILL.number());
        libc.kill(child, Signal.KILL.number());
        MemorySegment info = arena.allocate(Abi.SIGINFO_BYTES, 8);
        libc.waitid(Abi.P_PID, (int) child, info, Abi.WEXITED);
    }

    private SessionException notStarted(String program, int errno) {
        return switch (errno) {
            case Errno.ENOENT, Errno.ENOTDIR ->
                ProgramLookup.notFound(program, "it, or the interpreter it names, does not exist");
            case Errno.EACCES -> ProgramLookup.notExecutable(program);
            default -> failed("start " + Quoted.of(program), errno);
        };
    }

    private MemorySegment strings(List<String> values) {
        MemorySegment array = arena.allocate(ValueLayout.JAVA_LONG, values.size() + 1L);
        for (int i = 0; i < values.size(); i++) {
            array.setAtIndex(
                    ValueLayout.JAVA_LONG, i, arena.allocateFrom(values.get(i)).address());
        }
        return array;
    }

    // --- descriptors ---

    private int keep(int fd) {
        opened.push(fd);
        return fd;
    }

    private int opened(String what, int result) {
        check(what, result);
        return keep(result);
    }

    private static void check(String what, int result) {
        if (result < 0) {
            throw failed(what, -result);
        }
    }

    /// Hands these descriptors over: all others are closed, these are not.
    private void keepOnly(int... kept) {
        for (int fd : kept) {
            opened.remove(fd);
        }
    }

    @Override
    public void close() {
        opened.forEach(libc::close);
        arena.close();
    }
}
