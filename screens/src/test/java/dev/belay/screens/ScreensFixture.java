package dev.belay.screens;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Actor;
import dev.belay.Environment;
import dev.belay.Limits;
import dev.belay.Session;
import dev.belay.SessionSpec;
import dev.belay.Sessions;
import dev.belay.Until;
import dev.belay.Waited;
import dev.belay.linux.LinuxHost;
import dev.belay.testkit.LeakCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Real sessions on the Linux host, with screens. Everything is closed after each test, and nothing may be left.
@ExtendWith(LeakCheck.class)
@Timeout(120)
abstract class ScreensFixture {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final Actor ALICE = new Actor("alice");
    static final Actor BOB = new Actor("bob");

    /// Answers as long as a slow machine may need.
    static final ScreensLimits PATIENT = ScreensLimits.DEFAULT.lateAfter(PATIENCE);

    @TempDir
    Path folder = Path.of("");

    private final List<AutoCloseable> toClose = new ArrayList<>();

    @BeforeEach
    void makeFolders() throws IOException {
        Files.createDirectories(workspace());
    }

    @AfterEach
    void closeAll() throws Exception {
        Collections.reverse(toClose);
        for (AutoCloseable one : toClose) {
            one.close();
        }
    }

    Path workspace() {
        return folder.resolve("workspace");
    }

    Sessions sessions() {
        return sessions(Limits.DEFAULT);
    }

    Sessions sessions(Limits limits) {
        return closing(Sessions.builder(LinuxHost.at(workspace()))
                .state(folder.resolve("state"))
                .environment(Environment.basic(System.getenv()))
                .limits(limits)
                .build());
    }

    Screens screens(Sessions sessions) {
        return closing(new Screens(sessions, PATIENT));
    }

    <T extends AutoCloseable> T closing(T one) {
        toClose.add(one);
        return one;
    }

    /// A shell script in a terminal of 80x24, which belongs to Alice.
    static Session shell(Sessions sessions, String script) {
        return sessions.open(SessionSpec.of("/bin/sh", "-c", script).owner("alice"));
    }

    static void awaitText(Session session, String regex) throws InterruptedException {
        Waited waited = session.cursor(0).await(Until.match(regex), PATIENCE);
        assertThat(waited.fired()).as("waiting for %s", regex).isEqualTo(Waited.Fired.MATCH);
    }

    static void awaitExit(Session session) throws InterruptedException {
        assertThat(session.awaitExit(PATIENCE)).as("exit of %s", session).isPresent();
    }

    /// Waits for something that a thread of Belay does in its own time.
    static void eventually(String what, BooleanSupplier holds) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime() - until).as(what).isNegative();
            LockSupport.parkNanos(2_000_000);
        }
    }
}
