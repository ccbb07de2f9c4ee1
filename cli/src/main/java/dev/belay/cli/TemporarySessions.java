package dev.belay.cli;

import dev.belay.Environment;
import dev.belay.ErrorCode;
import dev.belay.Isolation;
import dev.belay.Limits;
import dev.belay.Resources;
import dev.belay.SessionException;
import dev.belay.Sessions;
import dev.belay.linux.LinuxHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The [Sessions] of a command that leaves nothing behind.
///
/// Its files are in the user's state folder, or in a temporary folder if the user has no writable home, as in many
/// containers.
///
/// @param temporary the temporary folder, if one was needed
record TemporarySessions(Sessions sessions, @Nullable Path temporary) implements AutoCloseable {
    /// @param hosts makes a host, and a second one if the first cannot use the state folder
    static TemporarySessions open(
            Supplier<LinuxHost> hosts, Environment environment, Limits limits, Resources resources,
            Isolation isolation) {
        // Outside of the try: another folder does not help if the machine lacks something.
        LinuxHost host = hosts.get();
        try {
            return new TemporarySessions(builder(host, environment, limits, resources, isolation).build(), null);
        } catch (SessionException e) {
            if (e.code() != ErrorCode.UNAVAILABLE) {
                throw e;
            }
            Path folder = temporaryFolder(e);
            return new TemporarySessions(
                    builder(hosts.get(), environment, limits, resources, isolation).state(folder).build(),
                    folder);
        }
    }

    private static Sessions.Builder builder(
            LinuxHost host, Environment environment, Limits limits, Resources resources, Isolation isolation) {
        return Sessions.builder(host)
                .environment(environment)
                .limits(limits)
                .resources(resources)
                .isolation(isolation);
    }

    private static Path temporaryFolder(SessionException refused) {
        try {
            return Files.createTempDirectory("belay-");
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    refused.getMessage() + " A temporary folder cannot be used either (" + e + ").",
                    Map.of(),
                    e);
        }
    }

    /// Ends the session and deletes the files. A second call from another thread waits for the first.
    @Override
    public void close() {
        try {
            sessions.close();
        } finally {
            if (temporary != null) {
                delete(temporary.resolve("sessions"));
                delete(temporary);
            }
        }
    }

    private static void delete(Path folder) {
        try {
            Files.deleteIfExists(folder);
        } catch (IOException _) {
            // The system cleans up temporary files.
        }
    }
}
