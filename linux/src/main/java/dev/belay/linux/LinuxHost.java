package dev.belay.linux;

import dev.belay.ErrorCode;
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
import java.util.function.Predicate;
import java.util.function.Supplier;

/// Sessions on Linux: `posix_spawn`, one `epoll` loop on one thread, exits by `pidfd`.
///
/// Needs Linux 5.6, the GNU C library 2.34, x86_64 or aarch64, a `/proc`, and `--enable-native-access`. Any number of
/// hosts may live in one JVM, each with its own thread.
public final class LinuxHost implements Host {
    private static final System.Logger LOG = System.getLogger("dev.belay.linux");
    private static final Duration ORPHAN_GRACE = Duration.ofMillis(500);

    private final Workspace workspace;
    private final Loop loop;
    private final Census census = new Census();
    private final Groups groups;
    private final Reserve reserve = new Reserve();

    private LinuxHost(Workspace workspace, Loop loop, Groups groups) {
        this.workspace = workspace;
        this.loop = loop;
        this.groups = groups;
    }

    /// A host whose sessions run in a folder and its folders, and nowhere else.
    public static LinuxHost at(Path workspace) {
        Abi.current();
        requireNativeAccess();
        bindTheLibrary();
        occupyStandardDescriptors();
        Workspace opened = Workspace.open(workspace);
        try {
            Groups groups = Groups.ofThisProcess();
            return new LinuxHost(opened, new Loop(), groups);
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

    /// Loads the class that binds the C library here, so that a function it lacks is told as a refusal.
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
    public HostProcess spawn(Launch launch) {
        try (Spawner spawner = new Spawner(workspace, groups, launch)) {
            try {
                return new LinuxProcess(loop, census, reserve, launch, spawner.spawn());
            } catch (RuntimeException e) {
                if (spawner.started()) {
                    endMarked(launch.mark(), e);
                }
                throw e;
            }
        }
    }

    /// Ends what a process has started that could not be kept and is dead: its own group is, but others may have left it.
    private void endMarked(String mark, RuntimeException why) {
        Ending ending = ending(() -> census.marked(mark::equals));
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
        Predicate<String> left = mark -> instances.contains(mark.substring(0, Math.max(0, mark.indexOf('/'))));
        List<Proc> orphans = census.marked(left);
        if (orphans.isEmpty()) {
            return 0;
        }
        List<String> undead = ending(() -> census.marked(left)).run(ORPHAN_GRACE).left();
        if (!undead.isEmpty()) {
            LOG.log(System.Logger.Level.WARNING, "an earlier Belay left processes that cannot be ended: " + undead);
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
