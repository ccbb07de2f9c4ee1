package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.Guard;
import dev.belay.Isolation;
import dev.belay.Mode;
import dev.belay.Network;
import dev.belay.Resources;
import dev.belay.SessionException;
import dev.belay.host.Host;
import dev.belay.host.HostProcess;
import dev.belay.host.Launch;
import dev.belay.host.LoopStats;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Sessions on Linux: `posix_spawn`, one `epoll` loop on one thread, exits by `pidfd`.
///
/// Needs Linux 5.6, the GNU C library 2.34, x86_64 or aarch64, a `/proc`, and `--enable-native-access`. Any number of
/// hosts may live in one JVM, each with its own thread.
public final class LinuxHost implements Host {
    private static final Duration ORPHAN_GRACE = Duration.ofMillis(500);

    private final Workspace workspace;
    private final Loop loop;
    private final Census census;
    private final HostCgroup groups;
    private final FdReserve reserve = new FdReserve();
    private final boolean ownProcess;
    private volatile Rooms rooms;

    private LinuxHost(Workspace workspace, Census census, HostCgroup groups, Loop loop, boolean ownProcess) {
        this.workspace = workspace;
        this.census = census;
        this.loop = loop;
        this.groups = groups;
        this.ownProcess = ownProcess;
        this.rooms = new Rooms(workspace.path(), null, List.of(Rooms.BUBBLEWRAP));
    }

    /// Lets sandboxes run as another user, by name or number. Needed where Belay runs as root, which a sandbox does not
    /// hold.
    ///
    /// @return this
    public LinuxHost runAs(String user) {
        rooms = rooms.runAs(user);
        return this;
    }

    /// What may keep sandboxes: `bubblewrap`, which is the default, and `landlock`, which works where user namespaces
    /// are not allowed but keeps less, see SECURITY.md. The first that can keep a session does.
    ///
    /// @return this
    public LinuxHost sandboxedBy(List<String> mechanisms) {
        rooms = rooms.by(mechanisms);
        return this;
    }

    /// A host whose sessions run in a folder and its folders, and nowhere else.
    ///
    /// It shares its JVM with others, whose child processes it never takes for its own. For that each session starts
    /// through a stopped shell, which takes about a millisecond; see docs/adr/0003, and [#inOwnProcess].
    public static LinuxHost at(Path workspace) {
        return at(workspace, false);
    }

    /// A host as by [#at(Path)], in a JVM where nobody else starts processes: no `ProcessBuilder`, no native library
    /// that forks. Sessions start at once there, by giving their tag to this JVM for the moment of the start. A child
    /// that somebody else starts in that moment counts as the session's, and is ended with it.
    public static LinuxHost inOwnProcess(Path workspace) {
        return at(workspace, true);
    }

    private static LinuxHost at(Path workspace, boolean ownProcess) {
        Abi.current();
        requireNativeAccess();
        bindTheLibrary();
        occupyStandardDescriptors();
        Workspace opened = Workspace.open(workspace);
        try {
            // The loop last: it has a thread, and nothing may fail after it.
            return new LinuxHost(opened, new Census(), HostCgroup.ofThisProcess(), new Loop(), ownProcess);
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private static void requireNativeAccess() {
        Module module = LinuxHost.class.getModule();
        if (!module.isNativeAccessEnabled()) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "Native access is not enabled; start the JVM with --enable-native-access="
                            + (module.isNamed() ? module.getName() : "ALL-UNNAMED") + ".");
        }
    }

    /// Loads the class that binds the C library here, so that a missing function is reported as a refusal.
    private static void bindTheLibrary() {
        try (Arena arena = Arena.ofConfined()) {
            new Libc(arena).fcntl(0, Abi.F_GETFD, 0);
        } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
            throw e.getCause() instanceof SessionException refusal
                    ? refusal
                    : new SessionException(
                            ErrorCode.UNAVAILABLE, "The C library could not be bound: " + e, Map.of(), e);
        }
    }

    /// If Belay was started with standard input, output or error closed, descriptors meant for a child would get their
    /// numbers and be closed in it; so the numbers are taken.
    private static void occupyStandardDescriptors() {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = new Libc(arena);
            for (int fd = 0; fd <= 2; fd++) {
                if (libc.fcntl(fd, Abi.F_GETFD, 0) == -Errno.EBADF) {
                    libc.open(arena.allocateFrom("/dev/null"), Abi.O_RDWR);
                }
            }
        }
    }

    @Override
    public Path workspace() {
        return workspace.path();
    }

    @Override
    public String requireGuard(Guard guard, List<Path> hidden) {
        return rooms.require(guard, hidden, this::trySandbox);
    }

    /// Runs an empty command in a sandbox.
    ///
    /// @param by what keeps it
    /// @return what it complains of; nothing if it works
    private String trySandbox(String by) {
        Map<String, String> env = Map.of("PATH", ProgramLookup.DEFAULT_PATH);
        Guard guard = Guard.NONE.isolation(Isolation.SANDBOX.protectedPaths(List.of()));
        Launch launch = new Launch(
                "trial/sandbox", List.of("/bin/true"), ".", env, new Mode.Pipe(), Resources.AS_BELAY, guard, by,
                List.of(), null);
        try (Sandbox sandbox = sandbox(launch);
                Spawner spawner = new Spawner(workspace, groups, launch, ownProcess, sandbox, null)) {
            return spawner.outcome(spawner.spawn());
        } catch (SessionException e) {
            if (e.details().get(Rooms.COMPLAINT) instanceof String complaint) {
                return complaint;
            }
            throw e;
        }
    }

    private Sandbox sandbox(Launch launch) {
        if (launch.guardedBy().equals(Rooms.LANDLOCK)) {
            return new Landlock(workspace.path(), rooms.user(), launch);
        }
        Network network = launch.guard().isolation().network();
        HostsProxy proxy = network instanceof Network.Hosts hosts ? new HostsProxy(hosts, rooms.user()) : null;
        boolean done = false;
        try {
            Sandbox sandbox = new Bubblewrap(workspace, rooms.user(), launch, proxy);
            done = true;
            return sandbox;
        } finally {
            if (!done && proxy != null) {
                proxy.close();
            }
        }
    }

    @Override
    public HostProcess spawn(Launch launch) {
        if (!launch.guard().isolation().sandboxed()) {
            return watched(launch, null);
        }
        Sandbox sandbox = sandbox(launch);
        boolean done = false;
        try {
            HostProcess process = watched(launch, sandbox);
            done = true;
            return process;
        } finally {
            if (!done) {
                sandbox.close();
            }
        }
    }

    private HostProcess watched(Launch launch, @Nullable Sandbox sandbox) {
        if (!launch.guard().watched()) {
            return spawned(launch, sandbox, null);
        }
        List<String> own = sandbox == null ? List.of(Trampoline.SHELL) : sandbox.programs();
        SteeringVariables variables =
                new SteeringVariables(sandbox == null ? launch.env() : sandbox.environment(), launch.env());
        ExecWatch watch = new ExecWatch(loop, workspace.path(), own, variables);
        boolean done = false;
        try {
            HostProcess process = spawned(launch, sandbox, watch);
            done = true;
            return process;
        } finally {
            if (!done) {
                watch.close();
            }
        }
    }

    private HostProcess spawned(Launch launch, @Nullable Sandbox sandbox, @Nullable ExecWatch watch) {
        try (Spawner spawner = new Spawner(workspace, groups, launch, ownProcess, sandbox, watch)) {
            try {
                return new LinuxProcess(loop, census, reserve, launch, spawner.spawn(), sandbox, watch);
            } catch (RuntimeException e) {
                if (spawner.started()) {
                    endLeft(launch.mark(), spawner.tag(), e);
                }
                throw e;
            }
        }
    }

    /// Ends what a process has started that could not be kept and is dead: its own group is, but others may have left
    /// it.
    private void endLeft(String mark, long tag, RuntimeException why) {
        Ending ending = ending(() -> census.carrying(mark::equals, carried -> carried == tag));
        try {
            reserve.with(() -> ending.run(Duration.ZERO));
        } catch (SessionException e) {
            why.addSuppressed(e);
        }
    }

    /// Of processes that have no leader, group or terminal of ours.
    private Ending ending(Supplier<List<Proc>> orphans) {
        return new Ending(loop, 0, orphans, () -> {}, () -> {});
    }

    @Override
    public int endOrphans(List<String> instances) {
        Set<Long> tags = instances.stream().map(Tag::instance).collect(Collectors.toSet());
        Supplier<List<Proc>> left = () -> census.carrying(
                mark -> instances.contains(Census.instance(mark)), tag -> tags.contains(Tag.instance(tag)));
        List<Proc> orphans = left.get();
        if (orphans.isEmpty()) {
            return 0;
        }
        List<String> undead = ending(left).run(ORPHAN_GRACE).left();
        if (!undead.isEmpty()) {
            Log.LOG.log(System.Logger.Level.WARNING, "an earlier Belay left processes that cannot be ended: " + undead);
        }
        return orphans.size();
    }

    @Override
    public LoopStats loop() {
        return loop.stats();
    }

    @Override
    public void close() {
        try (workspace;
                reserve;
                loop) {
            groups.close();
        }
    }
}
