package dev.belay.cli;

import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/// Sends what Belay's modules log to standard error, one line each; stack traces only with `BELAY_DEBUG=1`.
public final class StderrLogs extends System.LoggerFinder {
    private static final boolean DEBUG = "1".equals(System.getenv("BELAY_DEBUG"));

    @Override
    public System.Logger getLogger(String name, Module module) {
        return new Line(name);
    }

    /// A logger that writes lines. They end as they do on a terminal in raw mode, which does any terminal good.
    private record Line(String name) implements System.Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            return level.getSeverity() >= Level.WARNING.getSeverity() && level != Level.OFF;
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String message, @Nullable Throwable cause) {
            if (isLoggable(level)) {
                System.err.print("belay: " + message + (cause == null ? "" : ": " + cause.getMessage()) + "\r\n");
                if (DEBUG && cause != null) {
                    cause.printStackTrace();
                }
            }
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String format, @Nullable Object... values) {
            if (isLoggable(level)) {
                String text = format == null || values.length == 0
                        ? String.valueOf(format)
                        : java.text.MessageFormat.format(format, values);
                log(level, bundle, text, (Throwable) null);
            }
        }
    }
}
