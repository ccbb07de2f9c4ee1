package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.Network;
import dev.belay.SessionException;
import dev.belay.host.Launch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The command line that starts a program inside a sandbox by bubblewrap, see docs/adr/0011.
///
/// The root holds only what is bound here, so a forgotten path is missing rather than open. The session's variables
/// take effect only inside, once bubblewrap has set up the sandbox: they get their names back there.
final class Bubblewrap extends Sandbox {
    /// The descriptor with the system call filter, which bubblewrap reads.
    static final int FILTER_FD = 3;
    static final String PROGRAM = "/usr/bin/bwrap";
    static final String SOCAT = "/usr/bin/socat";

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

    private final @Nullable HostsProxy proxy;

    /// @param proxy the way to the hosts that it may reach; null if it has no list of hosts
    Bubblewrap(Path workspace, @Nullable User runAs, Launch launch, @Nullable HostsProxy proxy) {
        super(workspace, runAs, launch);
        this.proxy = proxy;
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
        String first = proxy == null ? FIRST : FIRST_WITH_BRIDGE;
        all.addAll(List.of(Trampoline.SHELL, "-c", first, Trampoline.SHELL, ENV, "--default-signal"));
        all.addAll(Trampoline.inside(launch.command(), environment()));
        return all;
    }

    @Override
    List<String> programs() {
        List<String> all = untilItsUser();
        all.addAll(List.of(PROGRAM, Trampoline.SHELL));
        if (proxy != null) {
            all.add(SOCAT);
        }
        all.addAll(List.of(ENV, Trampoline.SHELL));
        return all;
    }

    @Override
    Map<String, String> environment() {
        Map<String, String> env = super.environment();
        env.computeIfPresent("TMPDIR", (_, _) -> "/tmp");
        if (proxy != null) {
            env.put("HTTPS_PROXY", PROXY_ADDRESS);
            env.put("https_proxy", PROXY_ADDRESS);
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
        all.addAll(List.of("--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"));
        Path resolver = resolver();
        if (resolver != null) {
            bind(all, resolver, false);
        }
        if (proxy != null) {
            all.addAll(List.of("--ro-bind", proxy.socket().toString(), PROXY));
        }
        home(all);
        shown.bound().forEach((path, writable) -> bind(all, path, writable));
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

    /// An empty home, unless the home is part of what is shown.
    private void home(List<String> all) {
        Path home = home();
        if (home != null && Shown.FRESH.stream().noneMatch(home::startsWith)) {
            all.addAll(List.of("--perms", "0700", "--tmpfs", home.toString()));
        }
    }

    /// A mount cannot be renamed, but the folder above it could be, and another put in its place: so each folder in
    /// between becomes a mount of its own.
    private void protect(List<String> all) {
        Map<Path, Boolean> mounts = new LinkedHashMap<>();
        for (Path file : shown.guarded()) {
            for (Path above = file.getParent(); above != null && !above.equals(shown.workspace())
                    && above.startsWith(shown.workspace()); above = above.getParent()) {
                mounts.putIfAbsent(above, !shown.isolation().readOnly());
            }
            mounts.put(file, false);
        }
        new TreeMap<>(mounts).forEach((path, writable) -> bind(all, path, writable));
    }

    /// Belay's own files stay away even if they are inside of something that is shown.
    private void hide(List<String> all) {
        for (Path file : shown.hidden()) {
            if (Files.exists(file)) {
                all.addAll(List.of("--tmpfs", file.toString(), "--remount-ro", file.toString()));
            }
        }
    }

    @Override
    public void close() {
        if (proxy != null) {
            proxy.close();
        }
    }
}
