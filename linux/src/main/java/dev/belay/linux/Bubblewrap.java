package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.Network;
import dev.belay.SessionException;
import dev.belay.host.Launch;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The command line that starts a program inside a sandbox by bubblewrap, see docs/adr/0011.
///
/// The root holds only what is bound here, so a forgotten path is missing rather than open. The session's variables
/// take effect only inside, once bubblewrap has set up the sandbox: they get their names back there.
final class Bubblewrap extends Sandbox {
    /// The descriptor with the system call filter, which bubblewrap reads.
    static final int FILTER_FD = 3;
    static final String PROGRAM = "/usr/bin/bwrap";

    /// Signals that end or stop a process. Bubblewrap ignores them, since they are meant for the program; it ends with
    /// the program, or by SIGKILL.
    private static final String MEANT_FOR_THE_PROGRAM =
            "HUP INT QUIT USR1 USR2 PIPE ALRM TERM TSTP TTIN TTOU XCPU XFSZ VTALRM PROF IO PWR";
    /// The descriptor on which the first process inside waits until Belay has looked at the mounts.
    static final int GO_FD = 4;
    /// The descriptor on which it says that they are there.
    static final int READY_FD = 5;
    private static final String MEET =
            "echo >&5 && read -r _ <&4 || exit 125; exec 4<&- 5>&-; ";
    /// The first process inside. When it ends, the kernel ends all others of the sandbox. What it has to say, such as
    /// "Terminated", is not the program's.
    private static final String FIRST = "exec 9>&2 2>/dev/null; \"$@\" 2>&9 9>&-; exit $?";

    private final @Nullable HostsProxy proxy;
    private final Protection protection;
    private final List<Mount> mounts;

    /// @param proxy the way to the hosts that it may reach, which this closes; null if it has no list of hosts
    Bubblewrap(Workspace workspace, @Nullable User runAs, Launch launch, @Nullable HostsProxy proxy) {
        super(workspace.path(), runAs, launch);
        this.proxy = proxy;
        this.protection = Protection.of(workspace, shown, runAs);
        boolean done = false;
        try (Arena arena = Arena.ofConfined()) {
            this.mounts = mounts(workspace, new Libc(arena), arena);
            done = true;
        } finally {
            if (!done) {
                protection.close();
            }
        }
    }

    @Override
    List<String> command(String workdir) {
        return Trampoline.around(bubblewrap(workdir), "trap '' " + MEANT_FOR_THE_PROGRAM);
    }

    private List<String> bubblewrap(String workdir) {
        List<String> all = asItsUser();
        all.addAll(List.of(
                PROGRAM, "--unshare-user", "--unshare-all", "--disable-userns", "--as-pid-1", "--cap-drop",
                "ALL", "--seccomp",
                Integer.toString(FILTER_FD)));
        if (network() instanceof Network.On) {
            all.add("--share-net");
        }
        mounts(all);
        all.addAll(List.of("--chdir", shown.workspace().resolve(workdir).normalize().toString(), "--"));
        String first = MEET + (proxy == null ? FIRST : proxy.inside().script() + FIRST);
        all.addAll(List.of(Trampoline.SHELL, "-c", first, Trampoline.SHELL, ENV, "--default-signal"));
        all.addAll(Trampoline.inside(launch.command(), environment()));
        return all;
    }

    @Override
    List<String> programs() {
        List<String> all = untilItsUser();
        all.addAll(List.of(PROGRAM, Trampoline.SHELL));
        if (proxy != null) {
            all.addAll(Collections.nCopies(proxy.inside().bridges(), HostsInside.SOCAT));
        }
        all.addAll(List.of(ENV, Trampoline.SHELL));
        return all;
    }

    @Override
    Map<String, String> environment() {
        Map<String, String> env = super.environment();
        env.computeIfPresent("TMPDIR", (_, _) -> "/tmp");
        if (proxy != null) {
            env.putAll(proxy.inside().variables(env));
        }
        return env;
    }

    private void mounts(List<String> all) {
        for (String path : Shown.SYSTEM) {
            all.addAll(List.of("--ro-bind-try", path, path));
        }
        for (String path : Shown.MERGED) {
            Path file = Path.of(path);
            if (Files.isSymbolicLink(file)) {
                all.addAll(List.of("--symlink", linked(file), path));
            } else {
                all.addAll(List.of("--ro-bind-try", path, path));
            }
        }
        all.addAll(List.of("--proc", "/proc", "--dev", "/dev"));
        fresh(all, "1777", "/dev/shm");
        fresh(all, "1777", "/tmp");
        Path resolver = resolver();
        if (resolver != null) {
            bind(all, resolver, false);
        }
        if (proxy != null) {
            all.addAll(proxy.mounts());
        }
        home(all);
        mounts.forEach(mount -> all.addAll(mount.options()));
        all.addAll(List.of("--remount-ro", "/dev", "--remount-ro", "/"));
    }

    /// What the session is shown besides the system, parents first.
    private List<Mount> mounts(Workspace workspace, Libc libc, Arena arena) {
        Map<Path, Mount> all = new TreeMap<>();
        List<Path> writable = shown.writable();
        shown.bound().forEach((path, write) -> {
            TrustedPath opened = TrustedPath.open(libc, arena, path, writable);
            if (opened.fd() >= 0) {
                try {
                    all.put(path, Mount.of(path, opened.real(), write, FileFacts.of(libc, arena, opened.fd())));
                } finally {
                    libc.close(opened.fd());
                }
            } else if (opened.fd() != -Errno.ENOENT) {
                throw refusal("cannot show " + path + ": " + Errno.text(-opened.fd()) + ".");
            }
        });
        all.put(shown.workspace(), Mount.of(shown.workspace(), shown.workspace(), !shown.isolation().readOnly(),
                workspace.facts(libc, arena)));
        protection.mounts().forEach(mount -> all.put(mount.at(), mount));
        // So that no session can rename the folders above what it may only read.
        shown.bound().keySet().stream().filter(all::containsKey).filter(path -> !shown.writable(path)).toList()
                .forEach(path -> mountParents(all, path, libc, arena));
        hide(all, libc, arena);
        return List.copyOf(all.values());
    }

    private static String linked(Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (java.io.IOException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "Cannot read the link " + file + ": " + e,
                    Map.of(SessionException.REASON, "isolation"), e);
        }
    }

    private static void bind(List<String> all, Path path, boolean writable) {
        all.addAll(List.of(writable ? "--bind-try" : "--ro-bind-try", path.toString(), path.toString()));
    }

    /// An empty home, unless the home is part of what is shown.
    private void home(List<String> all) {
        Path home = home();
        if (home != null && Shown.FRESH.stream().noneMatch(home::startsWith)) {
            fresh(all, "0700", home.toString());
        }
    }

    /// Puts something empty over all that stays away although it is below something that is shown. The folders above
    /// Belay's own files become mounts, so that no session can rename them and thereby show the files to the next one.
    private void hide(Map<Path, Mount> all, Libc libc, Arena arena) {
        Stream.concat(shown.own().stream(), shown.hidden().stream()).filter(Files::exists).forEach(file -> {
            mountParents(all, file, libc, arena);
            all.keySet().removeIf(path -> path.startsWith(file));
            all.put(file, Files.isDirectory(file) ? Mount.empty(file) : Mount.nothing(file));
        });
    }

    /// An empty folder that the session can fill, up to a size.
    private void fresh(List<String> all, String mode, String path) {
        String size = Long.toString(shown.isolation().tmpBytes());
        all.addAll(List.of("--perms", mode, "--size", size, "--tmpfs", path));
    }

    private void mountParents(Map<Path, Mount> all, Path file, Libc libc, Arena arena) {
        for (Path open : shown.writable()) {
            for (Path above = file.getParent(); above != null && above.startsWith(open)
                    && !above.equals(open); above = above.getParent()) {
                all.computeIfAbsent(above, path -> parent(libc, arena, path));
            }
        }
    }

    private Mount parent(Libc libc, Arena arena, Path path) {
        TrustedPath opened = TrustedPath.open(libc, arena, path, shown.writable());
        if (opened.fd() < 0) {
            throw Spawner.failed("hide files below " + path, -opened.fd());
        }
        try {
            return Mount.of(path, opened.real(), shown.writable(path), FileFacts.of(libc, arena, opened.fd()));
        } finally {
            libc.close(opened.fd());
        }
    }

    /// Compares what the sandbox shows with what it is to show. Until now names could change: other sessions write to
    /// the same workspace.
    ///
    /// @param first the first process inside
    void requireMounts(Libc libc, Arena arena, long first) {
        int root = libc.open(arena.allocateFrom("/proc/" + first + "/root"), Abi.O_PATH | Abi.O_CLOEXEC);
        if (root < 0) {
            throw Spawner.failed("look into the sandbox", -root);
        }
        try {
            for (Mount mount : mounts) {
                FileFacts found = new Beneath(libc, arena, root).look(mount.at().toString().substring(1));
                if (found == null || !mount.fits(found)) {
                    throw refusal("the workspace changed while the sandbox was set up, at " + mount.at()
                            + ". Try again; if it happens again, another session of this workspace does it.");
                }
            }
        } finally {
            libc.close(root);
        }
    }

    @Override
    boolean endsWithLeader() {
        return true;
    }

    @Override
    List<String> changed() {
        return protection.changed();
    }

    @Override
    public void close() {
        try {
            if (proxy != null) {
                proxy.close();
            }
        } finally {
            protection.close();
        }
    }
}
