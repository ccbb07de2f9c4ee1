package dev.belay.host;

import java.nio.file.Path;

/// Starts processes on terminals and pipes. One host serves any number of sessions.
public interface Host extends AutoCloseable {
    /// The folder that working folders are relative to and may not leave.
    Path workspace();

    /// Starts a process; it is not heard before [HostProcess#start].
    ///
    /// Throws a [dev.belay.SessionException] that says why it could not be started; then nothing of it is left.
    HostProcess spawn(Launch launch);

    /// Gives back what the host holds. Its processes have to be ended before.
    @Override
    void close();
}
