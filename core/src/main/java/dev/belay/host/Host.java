package dev.belay.host;

import dev.belay.ErrorCode;
import dev.belay.Guard;
import dev.belay.SessionException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Starts processes on terminals and pipes. One host serves any number of sessions.
public interface Host extends AutoCloseable {
    /// The folder that working folders are relative to and may not leave.
    Path workspace();

    /// Starts a process. Nothing is reported about it before [HostProcess#start].
    ///
    /// If that fails, throws a [dev.belay.SessionException] that says why, and leaves nothing behind.
    HostProcess spawn(Launch launch);

    /// Refuses what this host cannot enforce: `UNAVAILABLE`, with the detail `reason` = `isolation` and the fix in the
    /// message. Nothing is ever started with less isolation.
    ///
    /// @param hidden files and folders that a sandbox must not show
    /// @return what would enforce it, for [Launch#guardedBy] and records: `kernel`, or the mechanism of a sandbox
    default String requireGuard(Guard guard, List<Path> hidden) {
        if (!guard.none()) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "This host cannot isolate sessions; ask for tier none.",
                    Map.of(SessionException.REASON, "isolation"));
        }
        return "kernel";
    }

    /// Ends the processes that killed instances left: those that carry a mark `instance/...`, and their descendants. No
    /// others, and never this process or its ancestors.
    ///
    /// @return how many there were
    default int endOrphans(List<String> instances) {
        return 0;
    }

    /// How busy its loop is, if it has one.
    default LoopStats loop() {
        return LoopStats.NONE;
    }

    /// Releases what the host holds. Its processes must have been ended before.
    @Override
    void close();
}
