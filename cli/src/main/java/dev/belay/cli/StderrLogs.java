package dev.belay.cli;

import dev.belay.Visible;
import dev.belay.server.logs.EventLog;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/// Writes the log messages of Belay's modules to standard error, one line each; stack traces only with `BELAY_DEBUG=1`.
/// Messages may quote untrusted input, so control characters are escaped and lines are cut.
///
/// A server writes them to its event log instead, throttled ([#sendTo]).
public final class StderrLogs extends System.LoggerFinder {
    private static final boolean DEBUG = "1".equals(System.getenv("BELAY_DEBUG"));
    private static final int MAX_CHARS = 500;
    /// Messages with the same first characters are throttled together.
    private static final int KIND_CHARS = 30;

    private static volatile @Nullable EventLog events;

    /// From now on, all loggers write to this event log; to standard error if it is null.
    static void sendTo(@Nullable EventLog log) {
        events = log;
    }

    @Override
    public System.Logger getLogger(String name, Module module) {
        return new Line(name);
    }

    /// Writes one line.
    static void write(String level, String name, String message, @Nullable Throwable cause) {
        EventLog log = events;
        if (log != null) {
            Map<String, Object> facts = new LinkedHashMap<>();
            facts.put("level", level);
            facts.put("logger", name);
            facts.put("message", message);
            if (cause != null) {
                facts.put("cause", cause.toString());
            }
            if (DEBUG && cause != null) {
                facts.put("trace", trace(cause).lines().toList());
            }
            log.seldom("log", name + " " + message.substring(0, Math.min(KIND_CHARS, message.length())), facts);
            return;
        }
        // \r\n, because the terminal may be in raw mode.
        System.err.print("belay: " + plain(message + (cause == null ? "" : ": " + cause.getMessage())) + "\r\n");
        if (DEBUG && cause != null) {
            trace(cause).lines().forEach(line -> System.err.print(plain(line) + "\r\n"));
        }
    }

    private static String trace(Throwable cause) {
        StringWriter trace = new StringWriter();
        cause.printStackTrace(new PrintWriter(trace));
        return trace.toString().replace('\t', ' ');
    }

    private static String plain(String text) {
        return text.codePointCount(0, text.length()) > MAX_CHARS
                ? Visible.of(text.substring(0, text.offsetByCodePoints(0, MAX_CHARS))) + "..."
                : Visible.of(text);
    }

    /// A logger that writes lines.
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
                write(level.getName().toLowerCase(Locale.ROOT), name, String.valueOf(message), cause);
            }
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String format,
                @Nullable Object @Nullable... values) {
            if (isLoggable(level)) {
                String text = format == null || values == null || values.length == 0
                        ? String.valueOf(format)
                        : java.text.MessageFormat.format(format, values);
                log(level, bundle, text, (Throwable) null);
            }
        }
    }
}
