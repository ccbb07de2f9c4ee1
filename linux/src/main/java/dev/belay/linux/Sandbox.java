package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.Network;
import dev.belay.Quoted;
import dev.belay.SessionException;
import dev.belay.host.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What one session is kept in: the files that it is shown, and the command that starts its program inside. Ends with
/// the session.
abstract sealed class Sandbox implements AutoCloseable permits Bubblewrap, Landlock {
    static final String SETPRIV = "/usr/bin/setpriv";
    static final String ENV = "/usr/bin/env";

    /// They name proxies that a sandbox without the machine's network cannot reach.
    private static final Set<String> PROXY_VARIABLES = Set.of("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy",
            "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy");

    final @Nullable User runAs;
    final Launch launch;
    final Shown shown;

    private final Map<String, String> variables;

    /// The user that a sandbox runs as.
    record User(int uid, int gid, String name, Path home) {
        /// Variables as they are for this user: what names the user and the home of Belay names these instead.
        Map<String, String> of(Map<String, String> given) {
            Map<String, String> env = new HashMap<>(given);
            Map.of("HOME", home.toString(), "USER", name, "LOGNAME", name).forEach((variable, value) -> env
                    .replace(variable, System.getenv().getOrDefault(variable, ""), value));
            env.putIfAbsent("HOME", home.toString());
            return env;
        }

        /// Lets this user read a folder of Belay's and the files in it, and nobody else.
        void mayRead(Path folder) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.setAttribute(file, "unix:gid", gid);
                    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
                }
                Files.setAttribute(folder, "unix:gid", gid);
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-x---"));
            } catch (IOException e) {
                throw refusal("its user cannot be given " + folder + ": " + e + ".");
            }
        }
    }

    Sandbox(Path workspace, @Nullable User runAs, Launch launch) {
        this.runAs = runAs;
        this.launch = launch;
        this.variables = runAs == null ? launch.env() : runAs.of(launch.env());
        this.shown = new Shown(workspace, launch.guard().isolation(), launch.hidden()).with(launch.startUp());
        if (runAs != null && launch.startUp() != null) {
            runAs.mayRead(launch.startUp());
        }
    }

    /// Who runs it; null for Belay's own user.
    @Nullable User runAs() {
        return runAs;
    }

    /// Refuses a workspace that a sandbox would have to show whole although it holds what a sandbox hides.
    ///
    /// @param runAs who runs it; null for Belay's own user
    static void requireNarrow(Path workspace, @Nullable User runAs) {
        Path home = Path.of(System.getProperty("user.home", "/"));
        boolean wide = workspace.getNameCount() == 0
                || Shown.real(home).startsWith(workspace)
                || (runAs != null && Shown.real(runAs.home()).startsWith(workspace))
                || Shown.SYSTEM.stream().map(Path::of).anyMatch(system -> system.startsWith(workspace))
                || Shown.FRESH.stream().map(Path::of).anyMatch(workspace::startsWith);
        if (wide) {
            throw refusal("the workspace " + workspace + " is or contains your home folder, that of run_as, or"
                    + " a system folder, which a sandbox must hide. Choose a project folder as the workspace.");
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
        if (file.isAbsolute() && !shown.visible(file.normalize())) {
            throw new SessionException(
                    ErrorCode.SPAWN_FAILED,
                    "The program " + Quoted.of(program) + " is outside of the sandbox; name a program of the system or"
                            + " the workspace, or list its folder in readable.");
        }
    }

    /// What to start in the place of the program: the shell of a [Trampoline], which becomes the program.
    ///
    /// @param workdir the working folder as it was found, relative to the workspace
    abstract List<String> command(String workdir);

    /// The programs that start one after the other until the session's own does.
    abstract List<String> programs();

    /// The environment of the program.
    Map<String, String> environment() {
        Map<String, String> env = new HashMap<>(variables);
        if (!(network() instanceof Network.On)) {
            env.keySet().removeAll(PROXY_VARIABLES);
        }
        return env;
    }

    /// Whether all processes inside have ended once the leader has exited by itself.
    boolean endsWithLeader() {
        return false;
    }

    /// Files that run outside later and that the session has changed. Known after [#close].
    List<String> changed() {
        return List.of();
    }

    /// Called when the processes of the session have ended; a later call waits for the first and does nothing.
    @Override
    public abstract void close();

    // --- for both kinds ---

    final Network network() {
        return launch.guard().isolation().network();
    }

    /// The beginning of a command that another user is to run.
    final List<String> asItsUser() {
        List<String> all = new ArrayList<>();
        if (runAs != null) {
            all.addAll(List.of(
                    SETPRIV, "--reuid", Integer.toString(runAs.uid()), "--regid", Integer.toString(runAs.gid()),
                    "--clear-groups", "--no-new-privs", "--"));
        }
        return all;
    }

    /// The programs of that beginning, and the shell before it.
    final List<String> untilItsUser() {
        return new ArrayList<>(runAs == null ? List.of(Trampoline.SHELL) : List.of(Trampoline.SHELL, SETPRIV));
    }

    /// The home folder that the session's variables name, if the sandbox does not show it; else null.
    final @Nullable Path home() {
        Path home = Path.of(variables.getOrDefault("HOME", "/")).normalize();
        return home.isAbsolute() && home.getNameCount() > 0 && !shown.visible(home) ? home : null;
    }

    /// With the machine's network, names are looked up as the machine does. The settings for that, if they are a link;
    /// else null.
    final @Nullable Path resolver() {
        Path settings = Path.of("/etc/resolv.conf");
        if (network() instanceof Network.On && Files.isSymbolicLink(settings)) {
            try {
                return settings.toRealPath();
            } catch (IOException _) {
                // A link to nowhere: names cannot be looked up outside either.
            }
        }
        return null;
    }
}
