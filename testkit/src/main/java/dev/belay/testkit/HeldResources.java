package dev.belay.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/// What this JVM holds at one moment: file descriptors (including terminals), children, threads.
///
/// @param descriptors named by what they point to, without jar files and the like
/// @param threads     Belay's threads
public record HeldResources(List<String> descriptors, Set<String> children, Set<String> threads) {
    public static HeldResources now() {
        return new HeldResources(openDescriptors(), livingChildren(), runningThreads());
    }

    /// What is held now but was not held then. Threads and children end a moment after they are told to, so this waits
    /// until nothing is left, up to the patience.
    public List<String> leftAfter(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        List<String> left = now().beyond(this);
        while (!left.isEmpty() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(1_000_000);
            left = now().beyond(this);
        }
        return left;
    }

    private List<String> beyond(HeldResources before) {
        List<String> more = new ArrayList<>(descriptors);
        before.descriptors.forEach(more::remove);
        children.stream().filter(child -> !before.children.contains(child)).forEach(more::add);
        threads.stream().filter(thread -> !before.threads.contains(thread)).forEach(more::add);
        return more;
    }

    private static List<String> openDescriptors() {
        List<String> found = new ArrayList<>();
        // The descriptor that lists them.
        String listing = "/proc/" + ProcessHandle.current().pid() + "/fd";
        try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path link : links) {
                String target = target(link);
                boolean jvmsOwn = target.endsWith(".jar")
                        || target.endsWith("/modules")
                        || target.equals(listing)
                        || target.endsWith("random")
                        || target.contains("/surefire")
                        || target.isEmpty();
                if (!jvmsOwn) {
                    // Pipes and the like have numbers; only their count matters.
                    found.add("descriptor of " + target.replaceAll(":\\[\\d+\\]", ""));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    private static String target(Path link) throws IOException {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (NoSuchFileException _) {
            return "";
        }
    }

    private static Set<String> livingChildren() {
        Set<String> found = new TreeSet<>();
        ProcessHandle.current().children().forEach(child -> found.add("child " + child.pid()));
        return found;
    }

    private static Set<String> runningThreads() {
        Set<String> found = new TreeSet<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            // The JVM's own threads come and go.
            if (thread.getName().startsWith("belay")) {
                found.add("thread " + thread.getName() + " " + thread.threadId());
            }
        }
        return found;
    }
}
