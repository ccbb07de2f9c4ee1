package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/// The leak check finds what a test leaves behind.
class LeakCheckTest {
    /// Test classes that only the tests below run.
    @ExtendWith(LeakCheck.class)
    @Tag("other-os")
    static class Leaky {
        static FileInputStream stream;
        static Process child;
        static final CountDownLatch END = new CountDownLatch(1);

        @Test
        void leavesNothing() {}

        @Test
        void leavesADescriptor() throws IOException {
            stream = new FileInputStream("/dev/null");
        }

        @Test
        void leavesALookAtAProcess() throws IOException {
            stream = new FileInputStream("/proc/self/stat");
        }

        @Test
        void leavesAChild() throws IOException {
            child = new ProcessBuilder("sleep", "1000")
                    .inheritIO()
                    .start();
        }

        @Test
        void leavesAThread() {
            Thread.ofPlatform().daemon().name("belay-forgotten").start(() -> {
                try {
                    END.await();
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                }
            });
        }
    }

    private static Events running(String method) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectMethod(Leaky.class, method))
                .configurationParameter(LeakCheck.PATIENCE_KEY, "PT0.2S")
                .execute()
                .testEvents();
    }

    private static void fails(String method, String leak) {
        running(method).assertStatistics(stats -> stats.failed(1)).failed().stream().forEach(event -> assertThat(
                event.getRequiredPayload(org.junit.platform.engine.TestExecutionResult.class)
                        .getThrowable()
                        .orElseThrow())
                .hasMessageContaining(leak));
    }

    @Test
    void aTestThatLeavesNothingPasses() {
        running("leavesNothing").assertStatistics(stats -> stats.succeeded(1));
    }

    @Test
    void aDescriptorIsFound() throws IOException {
        fails("leavesADescriptor", "descriptor of /dev/null");
        Leaky.stream.close();
    }

    @Test
    void aDescriptorOfAProcessIsFound() throws IOException {
        fails("leavesALookAtAProcess", "descriptor of /proc/");
        Leaky.stream.close();
    }

    @Test
    void aChildIsFound() throws InterruptedException {
        fails("leavesAChild", "child ");
        Leaky.child.destroyForcibly().waitFor();
    }

    @Test
    void aThreadIsFound() {
        fails("leavesAThread", "thread belay-forgotten");
        Leaky.END.countDown();
    }
}
