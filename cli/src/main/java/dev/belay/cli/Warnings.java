package dev.belay.cli;

import dev.belay.server.settings.ServerSettings.Binding;
import dev.belay.server.settings.ServerSettings.Tls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Warnings about dangerous settings that a server was started with.
final class Warnings {
    private Warnings() {}

    static List<String> of(Binding binding) {
        List<String> warnings = new ArrayList<>();
        Tls tls = binding.tls();
        if (tls == null && !ServerAddress.isLoopback(binding.host())) {
            warnings.add("Listening on " + binding.host() + " without encryption (--insecure): anyone on the network"
                    + " can read tokens and input. Use --tls-cert and --tls-key, or a proxy that encrypts.");
        }
        if (tls != null) {
            ofKey(tls.key(), warnings);
        }
        return warnings;
    }

    /// A group such as Debian's ssl-cert may read the key, but only the owner should write it.
    private static void ofKey(Path key, List<String> warnings) {
        try {
            Set<PosixFilePermission> mode = Files.getPosixFilePermissions(key);
            if (mode.contains(PosixFilePermission.OTHERS_READ)
                    || mode.contains(PosixFilePermission.OTHERS_WRITE)
                    || mode.contains(PosixFilePermission.GROUP_WRITE)) {
                warnings.add("The TLS key " + key + " is open to other users (" + PosixFilePermissions.toString(mode)
                        + "): chmod 600 " + key);
            }
        } catch (IOException | UnsupportedOperationException e) {
            warnings.add("Cannot read the mode of the TLS key " + key + ": " + e.getMessage());
        }
    }
}
