import dev.belay.Sessions;
import dev.belay.Stats;
import dev.belay.linux.Machine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/// What this JVM holds: descriptors (including terminals), threads and children, each by what it is.
record HeldResources(List<String> descriptors, List<String> threads, List<String> children) {
    /// Threads and children end a moment after they are told to.
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    static HeldResources now() {
        List<String> children = new ArrayList<>();
        ProcessHandle.current().children().forEach(child -> children.add("child " + child.pid()));
        return new HeldResources(openDescriptors(), runningThreads(), children);
    }

    /// Adds what an open host and its `Sessions` hold: the loop's two descriptors, the workspace's, the locks of the
    /// state folder and of the host's control group, the reserve of four; the threads of the loop and the timer.
    HeldResources withHost(boolean open) {
        if (!open) {
            return this;
        }
        List<String> more = new ArrayList<>(descriptors);
        more.addAll(List.of(
                "anon_inode:[eventpoll]", "anon_inode:[eventfd]", "FOLDER/workspace", "FOLDER.lock", "GROUP.lock"));
        more.addAll(Collections.nCopies(4, "/dev/null"));
        List<String> running = new ArrayList<>(threads);
        running.addAll(List.of("belay-loop", "belay-timer"));
        return new HeldResources(more, running, children);
    }

    /// What is held beyond what is expected, after some time to end; empty if all is well.
    static List<String> leftBeyond(HeldResources expected, Sessions sessions, Path state) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        List<String> left = left(expected, sessions, state);
        while (!left.isEmpty() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(10_000_000);
            left = left(expected, sessions, state);
        }
        return left;
    }

    private static List<String> left(HeldResources expected, Sessions sessions, Path state) throws IOException {
        HeldResources now = now();
        List<String> left = new ArrayList<>(beyond(now.descriptors, expected.descriptors, "descriptor of "));
        left.addAll(beyond(now.threads, expected.threads, "thread "));
        left.addAll(beyond(now.children, expected.children, ""));
        left.addAll(processes(sessions.instance()));
        left.addAll(groups(expected.descriptors.contains("GROUP.lock")));
        Stats stats = sessions.stats();
        if (stats.permitsUsed() != 0 || stats.opened() != stats.closed() || stats.leaked() != 0
                || stats.bytesUnstored() != 0 || !sessions.list().isEmpty()) {
            left.add("counts: " + stats);
        }
        left.addAll(stateFiles(state, expected.descriptors.contains("FOLDER.lock") ? sessions.instance() : ""));
        return left;
    }

    /// What is in the state folder, except the empty folder and the lock of an open instance.
    private static List<String> stateFiles(Path state, String open) throws IOException {
        Path all = state.resolve("state").resolve("sessions");
        try (Stream<Path> files = Files.walk(all)) {
            return files.filter(file -> !file.equals(all) && !file.equals(all.resolve(open))
                            && !file.equals(all.resolve(open + ".lock")))
                    .map(file -> "state file " + file)
                    .toList();
        }
    }

    /// Terminals open on the whole machine.
    static int terminals() throws IOException {
        return Integer.parseInt(Files.readString(Path.of("/proc/sys/kernel/pty/nr")).strip());
    }

    /// Control groups of this JVM. There should be none of a session and none of a host except the open one.
    private static List<String> groups(boolean hostOpen) throws IOException {
        Path place = Machine.controlGroups().place();
        List<String> found = new ArrayList<>();
        if (place == null) {
            return found;
        }
        int hosts = hostOpen ? -1 : 0;
        String ours = "belay-" + ProcessHandle.current().pid() + "-*";
        try (DirectoryStream<Path> all = Files.newDirectoryStream(place, ours)) {
            for (Path host : all) {
                hosts++;
                try (DirectoryStream<Path> each = Files.newDirectoryStream(host, "s[0-9]*")) {
                    each.forEach(group -> found.add("control group " + group));
                }
            }
        }
        if (hosts > 0) {
            found.add(hosts + " control groups of hosts");
        }
        return found;
    }

    private static List<String> beyond(List<String> now, List<String> expected, String what) {
        List<String> more = new ArrayList<>(now);
        expected.forEach(more::remove);
        return more.stream().map(name -> what + name).toList();
    }

    private static List<String> openDescriptors() {
        List<String> found = new ArrayList<>();
        // The descriptor that lists them.
        String listing = "/proc/" + ProcessHandle.current().pid() + "/fd";
        try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path link : links) {
                String target = target(link);
                boolean jvmsOwn = target.isEmpty() || target.endsWith(".jar") || target.endsWith("/modules")
                        || target.equals(listing) || target.endsWith("random");
                if (!jvmsOwn) {
                    found.add(target.replaceAll(":\\[\\d+\\]", "")
                            .replaceAll(".*/soak\\d+/workspace$", "FOLDER/workspace")
                            .replaceAll(".*/soak\\d+/.*\\.lock$", "FOLDER.lock")
                            .replaceAll(".*/belay-[^/]+/cgroup\\.freeze$", "GROUP.lock"));
                }
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return found;
    }

    private static String target(Path link) throws IOException {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (java.nio.file.NoSuchFileException _) {
            return "";
        }
    }

    /// Platform threads except the workers, the carriers of virtual threads (the JVM keeps as many as it likes) and the
    /// JVM's one cleaner.
    private static List<String> runningThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> !name.startsWith("soak-") && !name.startsWith("ForkJoinPool")
                        && !name.startsWith("process reaper") && !name.contains("unparker")
                        && !name.contains("Unblocker")
                        && !name.startsWith("VirtualThread") && !name.startsWith("SIG")
                        && !name.startsWith("Cleaner"))
                .toList();
    }

    /// Living processes with the mark of these sessions, or with a command line that only they have.
    private static List<String> processes(String instance) throws IOException {
        List<String> found = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                String command = text(process.resolve("cmdline")).replace('\0', ' ').strip();
                boolean ours = command.contains(Player.FOREVER)
                        || text(process.resolve("environ")).contains("BELAY_SESSION=" + instance + "/");
                if (ours && !command.isEmpty()) {
                    found.add("process " + process.getFileName() + " " + command);
                }
            }
        }
        return found;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException _) {
            // Gone, or another user's.
            return "";
        }
    }
}
