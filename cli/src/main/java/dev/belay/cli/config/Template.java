package dev.belay.cli.config;

/// The settings file with every setting at its default, commented out and explained.
final class Template {
    private static final String HEAD = """
            # Settings of Belay, each at its default. Remove the '#' before one to change it.
            # Times look like "500ms", "30s" or "1h30m"; sizes are numbers of bytes, or look like "64 KiB" or "8 MiB".
            # A server reads this file when it starts, and again on SIGHUP or 'belay reload'. Changes to settings marked
            # (restart) take effect when the server is restarted; the log names them.
            """;

    private Template() {}

    static String text() {
        StringBuilder text = new StringBuilder(HEAD);
        for (Group group : Settings.GROUPS) {
            text.append("\n# ").append(group.help()).append('\n');
            // Without the #, the header of a list would be an entry.
            text.append(group.list() ? "#[[" + group.name() + "]]" : "[" + group.name() + "]").append('\n');
            for (Setting<?> setting : group.settings()) {
                text.append("# ").append(setting.help())
                        .append(setting.unset().isEmpty() ? "" : " Default: " + setting.unset() + ".")
                        .append(setting.restart() ? " (restart)" : "").append('\n')
                        .append('#').append(setting.key()).append(" = ").append(setting.shown()).append('\n');
            }
        }
        return text.toString();
    }
}
