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
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Fails a test that leaves anything behind in this JVM: file descriptors (terminals among them), children, threads.
///
/// Threads and children end a moment after they were told to, so the check waits for them, within a bound.
public final class LeakCheck implements BeforeEachCallback, AfterEachCallback {
    /// The configuration parameter that shortens the patience, as in `PT0.5S`.
    static final String PATIENCE_KEY = "belay.leak.patience";

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(LeakCheck.class);

    /// What this JVM holds. Descriptors are named by what they point to, without jar files and the like.
    private record Holdings(List<String> descriptors, Set<String> children, Set<String> threads) {
        static Holdings now() {
            return new Holdings(LeakCheck.descriptors(), LeakCheck.children(), LeakCheck.threads());
        }

        /// What is held now and was not held before.
        List<String> beyond(Holdings before) {
            List<String> more = new ArrayList<>(descriptors);
            before.descriptors.forEach(more::remove);
            children.stream().filter(child -> !before.children.contains(child)).forEach(more::add);
            threads.stream().filter(thread -> !before.threads.contains(thread)).forEach(more::add);
            return more;
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        context.getStore(STORE).put("before", Holdings.now());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Holdings before = Objects.requireNonNull(context.getStore(STORE).get("before", Holdings.class));
        Duration patience = context.getConfigurationParameter(PATIENCE_KEY, Duration::parse).orElse(PATIENCE);
        long deadline = System.nanoTime() + patience.toNanos();
        List<String> leaks = Holdings.now().beyond(before);
        while (!leaks.isEmpty() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(1_000_000);
            leaks = Holdings.now().beyond(before);
        }
        if (!leaks.isEmpty()) {
            throw new AssertionError("The test left behind: " + leaks);
        }
    }

    private static List<String> descriptors() {
        List<String> found = new ArrayList<>();
        try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path link : links) {
                String target = target(link);
                boolean jvmsOwn = target.endsWith(".jar")
                        || target.endsWith("/modules")
                        || target.startsWith("/proc/")
                        || target.endsWith("random")
                        || target.contains("/surefire")
                        || target.isEmpty();
                if (!jvmsOwn) {
                    // Pipes and the like are numbered; what matters is how many there are.
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

    private static Set<String> children() {
        Set<String> found = new TreeSet<>();
        ProcessHandle.current().children().forEach(child -> found.add("child " + child.pid()));
        return found;
    }

    private static Set<String> threads() {
        Set<String> found = new TreeSet<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            // Those of the JVM's own machinery come and go.
            if (thread.getName().startsWith("belay")) {
                found.add("thread " + thread.getName() + " " + thread.threadId());
            }
        }
        return found;
    }
}
