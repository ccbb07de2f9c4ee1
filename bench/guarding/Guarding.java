import dev.belay.Approvals;
import dev.belay.Environment;
import dev.belay.ExecPolicy.Action;
import dev.belay.ExecPolicy.Verdict;
import dev.belay.Guard;
import dev.belay.Isolation;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.linux.LinuxHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Starts sessions with and without a guard, in turns, and prints medians in milliseconds.
final class Guarding {
    private static final int WARM_UP = 20;
    private static final int EXECS = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private interface Work {
        void run() throws Exception;
    }

    private Guarding() {
    }

    public static void main(String[] args) throws Exception {
        int rounds = args.length == 2 ? Integer.parseInt(args[1]) : 60;
        boolean root = "root".equals(System.getProperty("user.name"));
        Path folder = Files.createTempDirectory("belay-bench-");
        Path workspace = Files.createDirectory(folder.resolve("workspace"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(workspace, PosixFilePermissions.fromString("rwxrwxrwx"));
        LinuxHost host = LinuxHost.inOwnProcess(workspace);
        LinuxHost other = LinuxHost.inOwnProcess(workspace).sandboxedBy(List.of("landlock"));
        if (root) {
            host.runAs("65534");
            other.runAs("65534");
        }
        Environment env = new Environment(Map.of("PATH", "/usr/bin:/bin"));
        try (Sessions sessions = Sessions.builder(host).state(folder.resolve("state")).environment(env).build();
                Sessions landlocked = Sessions.builder(other).state(folder.resolve("other")).environment(env)
                        .isolation(Isolation.NONE).build()) {
            // As much as rules do: some names are compared, and none fits.
            List<String> names = List.of("git", "npm", "docker", "sudo", "su", "rm");
            sessions.approvals().settings(new Approvals.Settings(Set.of(), (_, execution) ->
                    names.contains(execution.first().name()) ? new Verdict(Action.DENY, "names") : Verdict.ALLOWED,
                    Duration.ofMinutes(5), 32));
            Guard watched = Guard.NONE.watched(true);
            Guard byLandlock = Guard.NONE.isolation(Isolation.SANDBOX.protectedPaths(List.of()));
            Guard sandbox = Guard.NONE.isolation(Isolation.SANDBOX);
            Map<String, Work> starts = new LinkedHashMap<>();
            starts.put("start: plain", () -> start(sessions, Guard.NONE, "/bin/true"));
            Guard limits = Guard.NONE.isolation(Isolation.LIMITS);
            starts.put("start: no new privileges", () -> start(sessions, limits, "/bin/true"));
            starts.put("start: watched", () -> start(sessions, watched, "/bin/true"));
            starts.put("start: sandbox", () -> start(sessions, sandbox, "/bin/true"));
            starts.put("start: sandbox, watched", () -> start(sessions, sandbox.watched(true), "/bin/true"));
            starts.put("start: sandbox by Landlock", () -> start(landlocked, byLandlock, "/bin/true"));
            starts.put("start: bwrap alone", () -> bubblewrap(workspace));
            String loop = "for ((i = 0; i < " + EXECS + "; i++)); do /bin/true; done";
            Map<String, Work> execs = new LinkedHashMap<>();
            execs.put("exec: plain", () -> start(sessions, Guard.NONE, "bash", "-c", loop));
            execs.put("exec: watched, by a rule", () -> start(sessions, watched, "bash", "-c", loop));
            print(measure(starts, WARM_UP, rounds), 1);
            print(measure(execs, 3, Math.max(5, rounds / 5)), EXECS);
        } finally {
            for (String state : List.of("state", "other")) {
                Files.deleteIfExists(folder.resolve(state + "/sessions"));
                Files.deleteIfExists(folder.resolve(state));
            }
            Files.deleteIfExists(workspace);
            Files.deleteIfExists(folder);
        }
    }

    private static void start(Sessions sessions, Guard guard, String... command) throws InterruptedException {
        try (Session session = sessions.open(SessionSpec.of(command).pipe().guard(guard))) {
            if (session.awaitExit(PATIENCE).orElseThrow().code() != 0) {
                throw new IllegalStateException(session.cursor().drainText(1 << 10).text());
            }
        }
    }

    /// With the namespaces that a sandbox has, and no mounts to speak of.
    private static void bubblewrap(Path workspace) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                "bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "/bin/true")
                .directory(workspace.toFile()).inheritIO().start();
        if (process.waitFor() != 0) {
            throw new IllegalStateException("bwrap failed");
        }
    }

    private static Map<String, List<Double>> measure(Map<String, Work> works, int warmUp, int rounds) throws Exception {
        Map<String, List<Double>> times = new LinkedHashMap<>();
        for (int round = 0; round < warmUp + rounds; round++) {
            for (Map.Entry<String, Work> one : works.entrySet()) {
                long began = System.nanoTime();
                one.getValue().run();
                if (round >= warmUp) {
                    times.computeIfAbsent(one.getKey(), _ -> new ArrayList<>()).add((System.nanoTime() - began) / 1e6);
                }
            }
        }
        return times;
    }

    private static void print(Map<String, List<Double>> times, int divided) {
        times.forEach((name, all) -> {
            Collections.sort(all);
            System.out.printf("%-28s %7.2f ms median, %7.2f ms p90%n", name, all.get(all.size() / 2) / divided,
                    all.get(all.size() * 9 / 10) / divided);
        });
    }
}
