package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.Approvals;
import dev.belay.Environment;
import dev.belay.ErrorCode;
import dev.belay.ExecPolicy;
import dev.belay.Isolation;
import dev.belay.Origin;
import dev.belay.Sessions;
import dev.belay.Tier;
import dev.belay.linux.LinuxHost;
import dev.belay.linux.Machine;
import dev.belay.screens.Screens;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Shells that stay work at every tier, watched or not.
class ShellTiersTest extends AgentRig {
    private static final int LANDLOCK_ABI = 6;

    private static boolean root() {
        return ProcessHandle.current().info().user().filter("root"::equals).isPresent();
    }

    private LinuxHost host(String by) throws IOException {
        LinuxHost host = LinuxHost.at(workspace).sandboxedBy(List.of(by));
        if (!root()) {
            return host;
        }
        Files.setAttribute(workspace, "unix:uid", 65_534);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        return host.runAs("nobody");
    }

    private void reopen(Isolation isolation, String by, boolean watched) throws IOException {
        closeSessions();
        sessions = Sessions.builder(host(by))
                .state(folder.resolve("state"))
                .environment(Environment.basic(System.getenv())
                        .with(Map.of("HOME", folder.toRealPath().toString())))
                .isolation(isolation)
                .build();
        sessions.approvals().settings(new Approvals.Settings(
                watched ? Set.of(Origin.AGENT) : Set.of(), ExecPolicy.ALLOW_ALL, Duration.ofMinutes(5), 32));
        screens = new Screens(sessions);
        tools = tools(SETTINGS);
    }

    @ParameterizedTest
    @CsvSource({
            "NONE, bubblewrap, true", "LIMITS, bubblewrap, false", "LIMITS, bubblewrap, true",
            "SANDBOX, bubblewrap, false", "SANDBOX, bubblewrap, true", "SANDBOX, landlock, false",
            "SANDBOX, landlock, true"
    })
    void everyShellStays(Tier tier, String by, boolean watched) throws Exception {
        reopen(Isolation.NONE.tier(tier), by, watched);
        for (String shell : List.of("bash", "zsh", "fish")) {
            ExecRequest asked = ExecRequest.of("cd /usr/share").in(shell).shell(shell).waitFor(WaitFor.exited());
            ExecResult first = tools.unifiedExec(asked);
            if (by.equals("landlock") && Machine.landlockAbi() < LANDLOCK_ABI) {
                assertThat(refused(first, ErrorCode.UNAVAILABLE).message()).contains("Linux 6.12");
                return;
            }
            assertThat(first.exitCode()).as("%s: %s", shell, first).isZero();
            ExecResult second = tools.unifiedExec(
                    ExecRequest.of("pwd; sh -c 'exit 7'").in(shell).waitFor(WaitFor.exited()));
            assertThat(second.output()).as("%s: %s", shell, second).isEqualTo("/usr/share\n");
            assertThat(second.exitCode()).as("%s: %s", shell, second).isEqualTo(7);
            Path startUp = sessions.get(shell).spec().startUp();
            assertThat(startUp).as("its start-up file, with the key").isNotNull().doesNotExist();
        }
    }
}
