package dev.belay.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Environment;
import dev.belay.Limits;
import dev.belay.Sessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The contract of sessions. Every host must pass it: extend this class and name the host.
///
/// After each test, all sessions are closed. Then no permit, process, file, descriptor, child or thread may be left.
@ExtendWith(LeakCheck.class)
@Timeout(300)
public abstract class SessionContract
        implements
            OpenContract,
            PermitContract,
            ReadContract,
            WriteContract,
            StatusContract,
            WaitContract,
            InputContract,
            EndContract,
            ResourceContract,
            KeyboardContract,
            ObserveContract,
            HostileContract,
            DetachContract,
            IdleContract,
            RandomContract {
    @TempDir
    Path folder = Path.of("");

    private final List<Sessions> toClose = new ArrayList<>();
    private @Nullable Sessions standard;

    @BeforeEach
    void makeFolders() throws IOException {
        folder = folder.toRealPath();
        Files.createDirectories(workspace());
    }

    @AfterEach
    void closeSessions() throws IOException {
        toClose.forEach(Sessions::close);
        for (Sessions sessions : toClose) {
            assertThat(sessions.stats().permitsUsed()).as("permits").isZero();
            assertThat(Rig.marked(sessions.instance() + "/")).as("processes").isEmpty();
            assertThat(sessions.stats().opened()).as("opened and closed").isEqualTo(sessions.stats().closed());
        }
        if (Files.exists(state())) {
            try (Stream<Path> left = Files.walk(state())) {
                assertThat(left.filter(Files::isRegularFile)).as("state files").isEmpty();
            }
        }
    }

    @Override
    public Path workspace() {
        return folder.resolve("workspace");
    }

    @Override
    public Path state() {
        return folder.resolve("state");
    }

    @Override
    public Sessions sessions() {
        if (standard == null) {
            standard = sessions(Limits.DEFAULT.maxSessions(64));
        }
        return standard;
    }

    @Override
    public Sessions sessions(Limits limits) {
        return closing(builder().limits(limits).build());
    }

    @Override
    public Sessions.Builder builder() {
        return Sessions.builder(host(workspace()))
                .state(state())
                .environment(Environment.basic(System.getenv()));
    }

    @Override
    public Sessions closing(Sessions sessions) {
        toClose.add(sessions);
        return sessions;
    }
}
