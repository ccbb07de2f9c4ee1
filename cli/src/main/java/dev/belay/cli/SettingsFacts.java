package dev.belay.cli;

import dev.belay.SessionException;
import dev.belay.cli.config.Config;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The settings file that `belay serve` and `belay mcp` would read, and whether this machine can keep what it says.
final class SettingsFacts {
    private SettingsFacts() {}

    /// @param asked the file to look at; null for the user's own
    static List<Finding> look(@Nullable Path asked, Map<String, String> env) {
        List<Finding> findings = new ArrayList<>();
        Path file = Config.file(asked, env).orElse(null);
        String path = file == null ? "" : file.toString();
        try {
            Config config = Config.read(asked, env);
            findings.add(Finding.ok("settings.file", "file", file == null ? "none; the defaults hold" : path)
                    .with("path", path));
            findings.add(limits(config));
        } catch (SessionException e) {
            findings.add(Finding.missing(
                    "settings.file",
                    "file",
                    path + " cannot be used",
                    String.valueOf(e.getMessage()),
                    "mend it; belay serve --print-config shows every setting")
                    .with("path", path));
        }
        return findings;
    }

    private static Finding limits(Config config) {
        boolean together = config.resources().together() != null;
        Finding finding;
        try {
            config.requireKept();
            finding = Finding.ok(
                    "settings.limits", "limits", together ? "of sessions as a whole; they can be kept" : "can be kept");
        } catch (SessionException e) {
            finding = Finding.missing(
                    "settings.limits",
                    "limits",
                    "cannot be kept",
                    String.valueOf(e.getMessage()),
                    "delegate control groups to Belay (docs/operations.md), or take [resources.together] out");
        }
        return finding.with("together", together);
    }
}
