package dev.belay.linux;

import dev.belay.host.Host;
import dev.belay.testkit.SessionContract;
import java.nio.file.Path;

/// The Linux host passes the contract where nobody else starts processes in its JVM.
class OwnProcessSessionTest extends SessionContract implements LinuxInputContract {
    @Override
    public Host host(Path workspace) {
        return LinuxHost.inOwnProcess(workspace);
    }
}
