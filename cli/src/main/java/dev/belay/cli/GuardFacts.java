package dev.belay.cli;

import dev.belay.Guard;
import dev.belay.Isolation;
import dev.belay.SessionException;
import dev.belay.cli.config.Config;
import dev.belay.linux.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Whether this machine can keep sessions in a sandbox, and whether the settings ask for it.
final class GuardFacts {
    private GuardFacts() {}

    /// @param asked the settings file; null for the user's own
    static List<Finding> look(@Nullable Path asked, Map<String, String> env) {
        Config config = settings(asked, env);
        boolean wanted = config.isolations().stream().anyMatch(Isolation::sandboxed);
        boolean watched = !config.approvals().watch().isEmpty();
        int abi = Machine.landlockAbi();
        return List.of(
                sandbox(config, "bubblewrap", "by bubblewrap", wanted),
                sandbox(config, "landlock", "by Landlock ABI " + abi, wanted).with("abi", abi),
                watch(config, watched).with("wanted", watched));
    }

    /// Whether the settings keep all sessions in a sandbox.
    static boolean isolated(@Nullable Path asked, Map<String, String> env) {
        return settings(asked, env).isolation().sandboxed();
    }

    /// The settings, or the defaults if they cannot be read, which another finding says.
    private static Config settings(@Nullable Path asked, Map<String, String> env) {
        try {
            return Config.read(asked, env);
        } catch (SessionException _) {
            return Config.DEFAULT;
        }
    }

    /// Something is missing only if none of those that the settings name works.
    private static Finding sandbox(Config config, String by, String how, boolean asked) {
        boolean wanted = asked && config.by().contains(by);
        String why = complaint(config, List.of(by));
        Finding finding = Finding.ok("guard." + by, "sandbox", (why.isEmpty() ? "works, " : "does not work, ") + how)
                .with("works", why.isEmpty())
                .with("wanted", wanted);
        if (why.isEmpty()) {
            return finding;
        }
        return wanted && !complaint(config, config.by()).isEmpty()
                ? finding.missing(why, "follow the message, or set isolation.tier to \"limits\" or \"none\"")
                : finding.note(why, "");
    }

    /// Why none of these mechanisms keeps a sandbox here; nothing if one does.
    private static String complaint(Config config, List<String> by) {
        try {
            tried(config, by);
            return "";
        } catch (SessionException | IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static Finding watch(Config config, boolean wanted) {
        try (var host = config.host(Path.of("/"))) {
            host.requireGuard(Guard.NONE.watched(true), List.of());
            return Finding.ok("guard.watch", "watch", "works: programs can be approved").with("works", true);
        } catch (SessionException e) {
            Finding finding = Finding.ok("guard.watch", "watch", "programs cannot be approved").with("works", false);
            String why = String.valueOf(e.getMessage());
            return wanted
                    ? finding.missing(why, "follow the message, or set approvals.watch to []")
                    : finding.note(why, "");
        }
    }

    private static void tried(Config config, List<String> by) throws IOException {
        Path workspace = Files.createTempDirectory("belay-doctor-");
        try {
            // The user of the sandbox may be another.
            Files.setPosixFilePermissions(workspace, PosixFilePermissions.fromString("rwxr-xr-x"));
            try (var host = config.host(workspace).sandboxedBy(by)) {
                host.requireGuard(Guard.NONE.isolation(Isolation.SANDBOX.protectedPaths(List.of())), List.of());
            }
        } finally {
            Files.delete(workspace);
        }
    }
}
