package dev.belay.testkit;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Fails a test that leaves anything behind in this JVM: file descriptors (including terminals), children, threads.
public final class LeakCheck implements BeforeEachCallback, AfterEachCallback {
    /// The configuration parameter for the patience, such as `PT0.5S`.
    static final String PATIENCE_KEY = "belay.leak.patience";

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(LeakCheck.class);

    @Override
    public void beforeEach(ExtensionContext context) {
        context.getStore(STORE).put("before", HeldResources.now());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        HeldResources before = Objects.requireNonNull(context.getStore(STORE).get("before", HeldResources.class));
        Duration patience = context.getConfigurationParameter(PATIENCE_KEY, Duration::parse).orElse(PATIENCE);
        List<String> leaks = before.leftAfter(patience);
        if (!leaks.isEmpty()) {
            throw new AssertionError("The test left behind: " + leaks);
        }
    }
}
