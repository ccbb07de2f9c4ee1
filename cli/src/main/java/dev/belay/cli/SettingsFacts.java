package dev.belay.cli;

import dev.belay.SessionException;
import dev.belay.cli.config.Config;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The settings file that `belay serve` and `belay mcp` would read, and whether this machine can enforce its limits.
final class SettingsFacts {
    private SettingsFacts() {}

    /// @param asked the file to check; null for the user's own
    static List<Finding> look(@Nullable Path asked, Map<String, String> env) {
        String path = Config.file(asked, env).map(Path::toString).orElse("");
        String value = path.isEmpty() ? "none; defaults apply" : path;
        try {
            Config config = Config.read(asked, env);
            return List.of(Finding.ok("settings.file", "file", value).with("path", path), limits(config));
        } catch (SessionException e) {
            return List.of(Finding.ok("settings.file", "file", path + " cannot be used").with("path", path)
                    .missing(
                            String.valueOf(e.getMessage()),
                            "correct it; belay serve --print-config lists every setting"));
        }
    }

    private static Finding limits(Config config) {
        boolean together = config.resources().together() != null;
        try {
            config.requireKept();
            return limits(together ? "on whole sessions; can be enforced" : "can be enforced", together);
        } catch (SessionException e) {
            return limits("cannot be enforced", together).missing(
                    String.valueOf(e.getMessage()),
                    "delegate cgroups to Belay (docs/operations.md), or remove [resources.together]");
        }
    }

    private static Finding limits(String value, boolean together) {
        return Finding.ok("settings.limits", "limits", value).with("together", together);
    }
}
