package dev.belay.host;

import java.nio.file.Path;
import java.util.List;

/// Starts processes on terminals and pipes. One host serves any number of sessions.
public interface Host extends AutoCloseable {
    /// The folder that working folders are relative to and may not leave.
    Path workspace();

    /// Starts a process; it is not heard before [HostProcess#start].
    ///
    /// Throws a [dev.belay.SessionException] that says why it could not be started; then nothing of it is left.
    HostProcess spawn(Launch launch);

    /// Ends the processes that instances left which were killed: those that carry a mark `instance/...`, and what these
    /// started. Nobody else's, and never this process or one it was started by.
    ///
    /// @return how many there were
    default int endOrphans(List<String> instances) {
        return 0;
    }

    /// How its loop does, if it has one.
    default LoopStats loop() {
        return LoopStats.NONE;
    }

    /// Gives back what the host holds. Its processes have to be ended before.
    @Override
    void close();
}
