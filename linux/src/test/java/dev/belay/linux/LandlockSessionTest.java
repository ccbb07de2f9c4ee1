package dev.belay.linux;

import dev.belay.Environment;
import dev.belay.Isolation;
import dev.belay.Network;
import dev.belay.Sessions;
import dev.belay.host.Host;
import dev.belay.testkit.SessionContract;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/// Sessions in a sandbox by Landlock pass the contract, as an ordinary user and as root with another user for the
/// sandbox.
@ExtendWith(LandlockOrRefusal.class)
class LandlockSessionTest extends SessionContract implements LinuxInputContract {
    private int mask;

    @BeforeEach
    void openFiles() {
        mask = Sandboxes.openFilesToAll();
    }

    @AfterEach
    void restoreMask() {
        Sandboxes.restore(mask);
    }

    @Override
    public Host host(Path workspace) {
        return Sandboxes.host(workspace, Rooms.LANDLOCK);
    }

    @Override
    public int times(int most) {
        return Math.max(5, most / 10);
    }

    @Override
    public Sessions.Builder builder() {
        // The PATH of the system: programs elsewhere are not shown. Folders that are shown stay what they are.
        Map<String, String> shown = Map.of("PATH", ProgramLookup.DEFAULT_PATH, "HOME", "/usr", "TMPDIR", "/usr");
        // The contract looks at its processes, and has one wait at a socket.
        return super.builder()
                .environment(Environment.basic(System.getenv()).with(shown))
                .isolation(Isolation.SANDBOX.protectedPaths(List.of())
                        .network(new Network.On())
                        .readable(List.of(Path.of("/proc"))));
    }
}
