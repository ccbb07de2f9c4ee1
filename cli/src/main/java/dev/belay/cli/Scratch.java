package dev.belay.cli;

import dev.belay.Environment;
import dev.belay.ErrorCode;
import dev.belay.Limits;
import dev.belay.Resources;
import dev.belay.SessionException;
import dev.belay.Sessions;
import dev.belay.linux.LinuxHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The [Sessions] of a command that leaves nothing behind.
///
/// Its files are in the user's state folder, or in a temporary one where the user has no home that can be written to,
/// as in many containers.
///
/// @param temporary the temporary folder, if there had to be one
record Scratch(Sessions sessions, @Nullable Path temporary) implements AutoCloseable {
    static Scratch open(Path workspace, Environment environment, Limits limits, Resources resources) {
        // Outside of the try: what the machine lacks, another folder does not mend.
        LinuxHost host = LinuxHost.at(workspace);
        try {
            return new Scratch(builder(host, environment, limits, resources).build(), null);
        } catch (SessionException e) {
            if (e.code() != ErrorCode.UNAVAILABLE) {
                throw e;
            }
            Path folder = temporaryFolder(e);
            return new Scratch(
                    builder(LinuxHost.at(workspace), environment, limits, resources).state(folder).build(), folder);
        }
    }

    private static Sessions.Builder builder(
            LinuxHost host, Environment environment, Limits limits, Resources resources) {
        return Sessions.builder(host).environment(environment).limits(limits).resources(resources);
    }

    private static Path temporaryFolder(SessionException refused) {
        try {
            return Files.createTempDirectory("belay-");
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    refused.getMessage() + " A temporary folder could not be used either (" + e + ").",
                    Map.of(),
                    e);
        }
    }

    /// Ends the session and deletes the files. The second call, from another thread, waits for the first.
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
            // Whoever cleans up temporary files will.
        }
    }
}
