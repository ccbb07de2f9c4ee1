package dev.belay.cli.config;

/// docs/settings.md, made of the table of settings.
final class SettingsPage {
    private static final String HEAD =
            """
                    # Settings

                    All settings of `belay.toml`. `belay serve --print-config > belay.toml` writes a file with all of
                    them, and `--config belay.toml` uses it. Without `--config`, Belay reads
                    `~/.config/belay/belay.toml` if it exists. A name that is not in these tables is an error.

                    `belay reload` and SIGHUP make a server read its settings again, without touching sessions. A change
                    to a setting marked "restart" takes effect when the server is restarted; until then the server
                    keeps the old value, and the event `restart_needed` in the log names the setting.

                    <!-- Generated from the table in Settings.java: BELAY_WRITE_DOCS=1 scripts/test SettingsTest -->
                    """;

    private SettingsPage() {}

    static String text() {
        StringBuilder text = new StringBuilder(HEAD);
        for (Group group : Settings.GROUPS) {
            text.append("\n## ").append(group.list() ? "[[" + group.name() + "]]" : "[" + group.name() + "]")
                    .append("\n").append(group.help()).append("\n\n")
                    .append("| setting | default | accepts | |\n|---|---|---|---|\n");
            for (Setting<?> setting : group.settings()) {
                String standard = setting.unset().isEmpty() ? "`" + setting.shown() + "`" : setting.unset();
                text.append("| `").append(setting.key()).append("` | ").append(standard).append(" | ")
                        .append(setting.kind().expected()).append(" | ").append(setting.help())
                        .append(setting.restart() ? " *Restart.*" : "").append(" |\n");
            }
        }
        return text.toString();
    }
}
