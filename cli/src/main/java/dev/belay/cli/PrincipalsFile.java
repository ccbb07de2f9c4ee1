package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.cli.config.Config;
import dev.belay.cli.config.SettingsText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The settings file on the disk, to change the principals in it.
///
/// @param path where it is; it may not exist yet
/// @param text what is in it
record PrincipalsFile(Path path, SettingsText text) {
    /// The file that is named, or the standard one.
    static PrincipalsFile open(@Nullable Path named) {
        Path path = named != null ? named : Config.standardFile(System.getenv());
        try {
            if (!Files.exists(path)) {
                return new PrincipalsFile(path, new SettingsText("", String.valueOf(path.getFileName())));
            }
            return new PrincipalsFile(
                    path, new SettingsText(Files.readString(path), String.valueOf(path.getFileName())));
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "Cannot read the settings " + path + " (" + e + ").", Map.of(), e);
        }
    }

    /// Writes another text, whole or not at all. Refuses if somebody has changed the file meanwhile.
    void write(SettingsText changed) {
        try {
            boolean exists = Files.exists(path);
            if (!(exists ? Files.readString(path) : "").equals(text.text())) {
                throw new SessionException(
                        ErrorCode.UNAVAILABLE, path + " was changed meanwhile; nothing was written. Try again.");
            }
            // A link stays a link.
            AtomicFile.write(exists ? path.toRealPath() : path, changed.text());
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "Cannot write the settings " + path + " (" + e + "); nothing was changed.",
                    Map.of(),
                    e);
        }
    }
}
