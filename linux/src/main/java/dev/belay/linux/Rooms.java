package dev.belay.linux;

import dev.belay.Guard;
import dev.belay.Network;
import dev.belay.Quoted;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What a host can keep of a [Guard], and why not. Sandboxes are tried out once, since many systems refuse the
/// namespaces that they need.
final class Rooms {
    private final Path workspace;
    private final @Nullable String runAs;
    private final boolean root;
    private volatile boolean tried;
    private volatile boolean watchTried;

    /// @param runAs the user that sandboxes run as, by name or number; null: Belay's own
    Rooms(Path workspace, @Nullable String runAs) {
        try (Arena arena = Arena.ofConfined()) {
            this.root = new Libc(arena).root();
        }
        this.workspace = workspace;
        this.runAs = runAs;
    }

    /// Refuses what cannot be kept.
    ///
    /// @param trial starts an empty sandbox; returns what bubblewrap complains of, or nothing
    void require(Guard guard, Supplier<String> trial) {
        if (guard.watched() && !watchTried) {
            ExecWatch.require();
            watchTried = true;
        }
        if (!guard.isolation().sandboxed()) {
            return;
        }
        Sandbox.requireNarrow(workspace);
        requireProgram(Sandbox.BUBBLEWRAP, "bubblewrap");
        requireProgram(Sandbox.ENV, "coreutils");
        user();
        if (guard.isolation().network() instanceof Network.Hosts) {
            requireProgram(Sandbox.SOCAT, "socat");
        }
        if (!tried) {
            String complaint = trial.get();
            if (!complaint.isEmpty()) {
                throw Sandbox.refusal(explained(complaint));
            }
            tried = true;
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
            if (name.matches("[0-9]{1,9}")) {
                return new Sandbox.User(Integer.parseInt(name), Integer.parseInt(name));
            }
            return Files.readAllLines(Path.of("/etc/passwd")).stream()
                    .map(line -> line.split(":", -1))
                    .filter(fields -> fields.length > 3 && fields[0].equals(name))
                    .findFirst()
                    .map(fields -> new Sandbox.User(Integer.parseInt(fields[2]), Integer.parseInt(fields[3])))
                    .orElseThrow(() -> Sandbox.refusal(
                            "run_as names " + Quoted.of(name) + ", who is not in /etc/passwd."));
        } catch (IOException | NumberFormatException e) {
            throw Sandbox.refusal("the user of run_as cannot be looked up: " + e + ".");
        }
    }

    private static void requireProgram(String program, String debianPackage) {
        if (!Files.isExecutable(Path.of(program))) {
            throw Sandbox.refusal(
                    program + " is missing. Install it: apt-get install " + debianPackage + ".");
        }
    }

    private static String explained(String complaint) {
        String said = "bubblewrap says " + Quoted.of(complaint) + ". ";
        if (complaint.contains("Unknown option")) {
            return said + "Belay needs bubblewrap 0.8 or newer.";
        }
        if (complaint.contains("find source path") || complaint.contains("chdir")) {
            return said + "The sandbox's user cannot reach the workspace: give that user access, or choose another"
                    + " folder.";
        }
        return said + "Sandboxes need user namespaces: set kernel.unprivileged_userns_clone=1 or"
                + " user.max_user_namespaces where they are off, install the AppArmor profile for bwrap on Ubuntu"
                + " 24.04, and start a container with --security-opt seccomp=unconfined.";
    }
}
