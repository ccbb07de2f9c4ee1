package dev.belay.linux;

import dev.belay.Guard;
import dev.belay.Network;
import dev.belay.Quoted;
import dev.belay.SessionException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// What a host can keep of a [Guard], and why not. Sandboxes are tried out once, since many systems refuse the
/// namespaces that they need.
final class Rooms {
    static final String BUBBLEWRAP = "bubblewrap";
    static final String LANDLOCK = "landlock";
    /// The detail of a refusal that has the words of bubblewrap.
    static final String COMPLAINT = "complaint";
    /// What keeps a session in that is in no sandbox.
    private static final String KERNEL = "kernel";

    private final Path workspace;
    private final @Nullable String runAs;
    private final List<String> by;
    private final boolean root;
    /// What each mechanism complained of when it was tried; nothing if it works.
    private final Map<String, String> tried = new ConcurrentHashMap<>();
    private volatile boolean watchTried;

    /// @param runAs the user that sandboxes run as, by name or number; null: Belay's own
    /// @param by    what may keep sandboxes, the preferred first
    Rooms(Path workspace, @Nullable String runAs, List<String> by) {
        try (Arena arena = Arena.ofConfined()) {
            this.root = new Libc(arena).root();
        }
        this.workspace = workspace;
        this.runAs = runAs;
        this.by = List.copyOf(by);
    }

    Rooms runAs(String user) {
        return new Rooms(workspace, user, by);
    }

    Rooms by(List<String> mechanisms) {
        return new Rooms(workspace, runAs, mechanisms);
    }

    /// Refuses what cannot be kept.
    ///
    /// @param hidden Belay's own files
    /// @param trial  starts an empty sandbox by a mechanism; returns what it complains of, or nothing
    /// @return what keeps it
    String require(Guard guard, List<Path> hidden, UnaryOperator<String> trial) {
        if (guard.watched() && !watchTried) {
            ExecWatch.require();
            watchTried = true;
        }
        if (!guard.isolation().sandboxed()) {
            return KERNEL;
        }
        Sandbox.requireNarrow(workspace, user());
        Shown shown = new Shown(workspace, guard.isolation(), hidden);
        shown.requireHidden();
        List<SessionException> refusals = new ArrayList<>();
        for (String mechanism : by) {
            try {
                require(mechanism, shown, trial);
                return mechanism;
            } catch (SessionException e) {
                refusals.add(e);
            }
        }
        throw refusals.size() == 1 ? refusals.getFirst() : neither(refusals);
    }

    private void require(String mechanism, Shown shown, UnaryOperator<String> trial) {
        if (mechanism.equals(LANDLOCK)) {
            try (Arena arena = Arena.ofConfined()) {
                Landlock.requireKernel(Landlock.abi(new Libc(arena)));
            }
            Landlock.requireKept(shown);
        } else {
            requireProgram(Bubblewrap.PROGRAM, "bubblewrap");
            requireProgram(Sandbox.ENV, "coreutils");
            if (shown.isolation().network() instanceof Network.Hosts) {
                requireProgram(HostsInside.SOCAT, "socat");
            }
        }
        String complaint = tried.computeIfAbsent(mechanism, trial);
        if (!complaint.isEmpty()) {
            // With another to choose, sandboxes are of one kind until the restart. Otherwise, the next is tried again.
            if (by.size() == 1) {
                tried.remove(mechanism);
            }
            throw mechanism.equals(LANDLOCK)
                    ? Sandbox.refusal("Landlock does not work here: " + Quoted.of(complaint) + ". Use bubblewrap.")
                    : notSetUp(complaint);
        }
    }

    /// The user that sandboxes run as; null for Belay's own.
    Sandbox.@Nullable User user() {
        if (!root) {
            if (runAs != null) {
                throw Sandbox.refusal("run_as needs Belay to run as root; remove run_as.");
            }
            return null;
        }
        if (runAs == null) {
            throw Sandbox.refusal("Belay runs as root, and a sandbox cannot confine root. Name another user in"
                    + " run_as, or run Belay as an ordinary user.");
        }
        requireProgram(Sandbox.SETPRIV, "util-linux");
        Sandbox.User user = find(runAs);
        if (user.uid() == 0 || user.gid() == 0) {
            throw Sandbox.refusal("run_as is root, and a sandbox cannot confine root. Name another user.");
        }
        return user;
    }

    private static Sandbox.User find(String name) {
        try {
            boolean number = name.matches("[0-9]{1,9}");
            List<String> known = Files.readAllLines(Path.of("/etc/passwd")).stream()
                    .map(line -> List.of(line.split(":", -1)))
                    .filter(fields -> fields.size() > 5 && fields.get(number ? 2 : 0).equals(name))
                    .findFirst()
                    .orElse(number ? List.of(name, "", name, name, "", "/") : List.of());
            if (known.isEmpty()) {
                throw Sandbox.refusal("run_as names " + Quoted.of(name) + ", who is not in /etc/passwd.");
            }
            int uid = Integer.parseInt(known.get(2));
            return new Sandbox.User(uid, number ? uid : Integer.parseInt(known.get(3)), known.getFirst(), home(known));
        } catch (IOException | NumberFormatException e) {
            throw Sandbox.refusal("the user of run_as cannot be looked up: " + e + ".");
        }
    }

    /// Users of services often have none, or a folder of the system.
    private static Path home(List<String> known) {
        Path home = Path.of(known.get(5)).normalize();
        return Files.isDirectory(home) && home.getNameCount() > 0 && !Shown.ofSystem(home)
                ? home
                : Path.of("/home", known.getFirst());
    }

    private static void requireProgram(String program, String debianPackage) {
        if (!Files.isExecutable(Path.of(program))) {
            throw Sandbox.refusal(
                    program + " is missing. Install it: apt-get install " + debianPackage + ".");
        }
    }

    private static SessionException neither(List<SessionException> refusals) {
        SessionException first = refusals.getFirst();
        StringBuilder why = new StringBuilder(String.valueOf(first.getMessage()));
        refusals.stream().skip(1).forEach(other -> why.append(" And: ").append(other.getMessage()));
        return new SessionException(first.code(), why.toString(), first.details());
    }

    /// The refusal of a sandbox that bubblewrap could not set up.
    static SessionException notSetUp(String complaint) {
        String words = complaint.isEmpty() ? "nothing, but it failed" : complaint;
        SessionException refusal = Sandbox.refusal(explained(words));
        return new SessionException(refusal.code(), String.valueOf(refusal.getMessage()), Map.of(
                SessionException.REASON, "isolation", COMPLAINT, words));
    }

    private static String explained(String complaint) {
        String said = "bubblewrap says " + Quoted.of(complaint) + ". ";
        if (complaint.contains("Unknown option")) {
            return said + "Belay needs bubblewrap 0.8 or newer.";
        }
        if (complaint.contains("bind mount") || complaint.contains("newroot")) {
            return said + "The workspace changed while the sandbox was set up; try again.";
        }
        if (complaint.contains("find source path") || complaint.contains("chdir")) {
            return said + "The sandbox's user cannot reach the workspace: give that user access, or choose another"
                    + " folder. Or it changed while the sandbox was set up: try again.";
        }
        return said + "Sandboxes need user namespaces: set kernel.unprivileged_userns_clone=1 or"
                + " user.max_user_namespaces where they are off, install the AppArmor profile for bwrap on Ubuntu"
                + " 24.04, and start a container with --security-opt seccomp=unconfined.";
    }
}
