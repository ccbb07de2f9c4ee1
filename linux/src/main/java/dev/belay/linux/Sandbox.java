package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.Isolation;
import dev.belay.Network;
import dev.belay.Quoted;
import dev.belay.SessionException;
import dev.belay.host.Launch;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The command line that starts a program inside a sandbox by bubblewrap, see docs/adr/0011.
///
/// The root holds only what is bound here, so a forgotten path is missing rather than open. The session's variables
/// take effect only inside, once bubblewrap has set up the sandbox: they get their names back there.
final class Sandbox {
    /// The descriptor with the system call filter, which bubblewrap reads.
    static final int FILTER_FD = 3;
    static final String BUBBLEWRAP = "/usr/bin/bwrap";
    static final String SETPRIV = "/usr/bin/setpriv";
    static final String ENV = "/usr/bin/env";
    static final String SOCAT = "/usr/bin/socat";

    /// Programs and settings of the system, read-only.
    private static final List<String> SYSTEM = List.of("/usr", "/etc", "/opt", "/nix/store");
    /// Often links into `/usr`.
    private static final List<String> MERGED = List.of("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32");
    /// Created in every sandbox.
    private static final List<String> FRESH = List.of("/proc", "/dev", "/sys");
    /// They name sockets that a sandbox does not have.
    private static final Set<String> OUTSIDE =
            Set.of("SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "WAYLAND_DISPLAY", "DISPLAY");
    /// Signals that end or stop a process. Bubblewrap ignores them, since they are meant for the program; it ends with
    /// the program, or by SIGKILL.
    private static final String MEANT_FOR_THE_PROGRAM =
            "HUP INT QUIT USR1 USR2 PIPE ALRM TERM TSTP TTIN TTOU XCPU XFSZ VTALRM PROF IO PWR";
    /// The first process inside. When it ends, the kernel ends all others of the sandbox. What it has to say, such as
    /// "Terminated", is not the program's.
    private static final String FIRST = "exec 9>&2 2>/dev/null; \"$@\" 2>&9 9>&-; exit $?";
    private static final String PROXY = "/run/belay/proxy";
    /// The same, with a bridge from the port that programs know to the proxy. They start once it listens.
    private static final String FIRST_WITH_BRIDGE = "exec 9>&2 2>/dev/null; " + SOCAT
            + " TCP-LISTEN:3128,bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:" + PROXY + " >/dev/null 9>&- & bridge=$!;"
            + " while :; do while read -r _ local _; do [ \"$local\" = 0100007F:0C38 ] && break 2; done </proc/net/tcp;"
            + " kill -0 $bridge || exit 125; sleep 0.01; done; \"$@\" 2>&9 9>&-; exit $?";
    private static final String PROXY_ADDRESS = "http://127.0.0.1:3128";
    private static final Set<String> PROXY_VARIABLES = Set.of("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy",
            "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy");

    private final Path workspace;
    private final @Nullable User runAs;
    private final Launch launch;
    private final Isolation isolation;
    private final @Nullable HostsProxy proxy;
    /// What is bound, and whether it can be written; parents first.
    private final Map<Path, Boolean> bound = new TreeMap<>();

    /// The user that a sandbox runs as.
    record User(int uid, int gid) {}

    /// @param proxy the way to the hosts that it may reach; null if it has no list of hosts
    Sandbox(Path workspace, @Nullable User runAs, Launch launch, @Nullable HostsProxy proxy) {
        this.proxy = proxy;
        this.workspace = workspace;
        this.runAs = runAs;
        this.launch = launch;
        this.isolation = launch.guard().isolation();
        isolation.readable().forEach(path -> bound.put(path, false));
        isolation.writable().forEach(path -> bound.put(path, !isolation.readOnly()));
        bound.put(workspace, !isolation.readOnly());
    }

    /// Who runs it; null for Belay's own user.
    @Nullable User runAs() {
        return runAs;
    }

    /// Refuses a workspace that a sandbox would have to show whole although it holds what a sandbox hides.
    static void requireNarrow(Path workspace) {
        Path home = Path.of(System.getProperty("user.home", "/"));
        boolean wide = workspace.getNameCount() == 0
                || home.startsWith(workspace)
                || SYSTEM.stream().map(Path::of).anyMatch(system -> system.startsWith(workspace))
                || FRESH.stream().map(Path::of).anyMatch(workspace::startsWith);
        if (wide) {
            throw refusal("the workspace " + workspace + " is your home folder or a system folder, which a"
                    + " sandbox must hide. Choose a project folder as the workspace.");
        }
    }

    static SessionException refusal(String why) {
        return new SessionException(
                ErrorCode.UNAVAILABLE, "Cannot set up a sandbox here: " + why,
                Map.of(SessionException.REASON, "isolation"));
    }

    /// Refuses a program that the sandbox does not show.
    void requireVisible(String program) {
        Path file = Path.of(program);
        if (file.isAbsolute() && !visible(file.normalize())) {
            throw new SessionException(
                    ErrorCode.SPAWN_FAILED,
                    "The program " + Quoted.of(program) + " is outside of the sandbox; name a program of the system or"
                            + " the workspace, or list its folder in readable.");
        }
    }

    private boolean visible(Path file) {
        return SYSTEM.stream().anyMatch(file::startsWith)
                || MERGED.stream().anyMatch(file::startsWith)
                || bound.keySet().stream().anyMatch(file::startsWith);
    }

    /// What to start in the place of the program, through the shell of a [Trampoline].
    ///
    /// @param workdir the working folder as it was found, relative to the workspace
    List<String> command(String workdir) {
        List<String> all = new ArrayList<>();
        if (runAs != null) {
            all.addAll(List.of(
                    SETPRIV, "--reuid", Integer.toString(runAs.uid()), "--regid", Integer.toString(runAs.gid()),
                    "--clear-groups", "--no-new-privs", "--"));
        }
        all.addAll(List.of(
                BUBBLEWRAP, "--unshare-user", "--unshare-all", "--disable-userns", "--as-pid-1", "--cap-drop",
                "ALL", "--seccomp",
                Integer.toString(FILTER_FD)));
        if (isolation.network() instanceof Network.On) {
            all.add("--share-net");
        }
        mounts(all);
        all.addAll(List.of("--chdir", workspace.resolve(workdir).normalize().toString(), "--"));
        String first = proxy == null ? FIRST : FIRST_WITH_BRIDGE;
        all.addAll(List.of(Trampoline.SHELL, "-c", first, Trampoline.SHELL, ENV, "--default-signal"));
        all.addAll(Trampoline.inside(launch.command(), environment()));
        return all;
    }

    /// The programs that start one after the other until the session's own does.
    List<String> programs() {
        List<String> all = new ArrayList<>(List.of(Trampoline.SHELL));
        if (runAs != null) {
            all.add(SETPRIV);
        }
        all.addAll(List.of(BUBBLEWRAP, Trampoline.SHELL));
        if (proxy != null) {
            all.add(SOCAT);
        }
        all.addAll(List.of(ENV, Trampoline.SHELL));
        return all;
    }

    /// What the shell outside does once it is continued.
    static String prelude() {
        return "trap '' " + MEANT_FOR_THE_PROGRAM;
    }

    /// The environment of the program.
    Map<String, String> environment() {
        Map<String, String> env = new HashMap<>(launch.env());
        env.keySet().removeAll(OUTSIDE);
        env.computeIfPresent("TMPDIR", (_, _) -> "/tmp");
        if (!(isolation.network() instanceof Network.On)) {
            env.keySet().removeAll(PROXY_VARIABLES);
        }
        if (proxy != null) {
            env.put("HTTPS_PROXY", PROXY_ADDRESS);
            env.put("https_proxy", PROXY_ADDRESS);
        }
        return env;
    }

    private void mounts(List<String> all) {
        for (String path : SYSTEM) {
            all.addAll(List.of("--ro-bind-try", path, path));
        }
        for (String path : MERGED) {
            Path file = Path.of(path);
            if (Files.isSymbolicLink(file)) {
                all.addAll(List.of("--symlink", linked(file), path));
            } else {
                all.addAll(List.of("--ro-bind-try", path, path));
            }
        }
        all.addAll(List.of("--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"));
        resolver(all);
        if (proxy != null) {
            all.addAll(List.of("--ro-bind", proxy.socket().toString(), PROXY));
        }
        home(all);
        bound.forEach((path, writable) -> bind(all, path, writable));
        protect(all);
        hide(all);
        all.addAll(List.of("--remount-ro", "/"));
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

    /// With the machine's network, names are looked up as the machine does; its settings may be a link to `/run`.
    private void resolver(List<String> all) {
        Path settings = Path.of("/etc/resolv.conf");
        if (isolation.network() instanceof Network.On && Files.isSymbolicLink(settings)) {
            try {
                bind(all, settings.toRealPath(), false);
            } catch (java.io.IOException _) {
                // A link to nowhere: names cannot be looked up outside either.
            }
        }
    }

    /// An empty home, unless the home is part of what is shown.
    private void home(List<String> all) {
        Path home = Path.of(launch.env().getOrDefault("HOME", "/")).normalize();
        if (home.isAbsolute() && home.getNameCount() > 0 && !visible(home)
                && FRESH.stream().noneMatch(home::startsWith)) {
            all.addAll(List.of("--perms", "0700", "--tmpfs", home.toString()));
        }
    }

    /// A mount cannot be renamed, but the folder above it could be, and another put in its place: so each folder in
    /// between becomes a mount of its own.
    private void protect(List<String> all) {
        Map<Path, Boolean> mounts = new LinkedHashMap<>();
        for (String path : isolation.protectedPaths()) {
            Path file = workspace.resolve(path).normalize();
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                for (Path above = file.getParent(); above != null && !above.equals(workspace)
                        && above.startsWith(workspace); above = above.getParent()) {
                    mounts.putIfAbsent(above, !isolation.readOnly());
                }
                mounts.put(file, false);
            }
        }
        new TreeMap<>(mounts).forEach((path, writable) -> bind(all, path, writable));
    }

    /// Belay's own files stay away even if they are inside of something that is shown.
    private void hide(List<String> all) {
        for (Path hidden : launch.hidden()) {
            Path file = real(hidden);
            if (bound.keySet().stream().anyMatch(file::startsWith) && Files.exists(file)) {
                all.addAll(List.of("--tmpfs", file.toString(), "--remount-ro", file.toString()));
            }
        }
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (java.io.IOException _) {
            return path.toAbsolutePath().normalize();
        }
    }
}
