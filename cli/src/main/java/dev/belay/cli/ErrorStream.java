package dev.belay.cli;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Standard error of a server. Text that libraries print there, and uncaught exceptions, become events in the log.
///
/// It collects whole lines and cuts long ones. Its monitor keeps lines of different threads apart.
final class ErrorStream extends OutputStream {
    private static final int MAX_BYTES = 4 << 10;

    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    private final PrintStream before = System.err;
    private final Thread.@Nullable UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();

    private ErrorStream() {}

    /// Takes over until it is closed.
    static ErrorStream takeOver() {
        ErrorStream stream = new ErrorStream();
        System.setErr(new PrintStream(stream, true, StandardCharsets.UTF_8));
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> StderrLogs.write(
                "error", "uncaught", "thread " + thread.getName() + " died", e));
        return stream;
    }

    @Override
    public void close() {
        System.setErr(before);
        Thread.setDefaultUncaughtExceptionHandler(handler);
    }

    @Override
    public synchronized void write(int b) {
        if (b == '\n') {
            String text = line.toString(StandardCharsets.UTF_8).strip();
            line.reset();
            if (!text.isEmpty()) {
                StderrLogs.write("warning", "stderr", text, null);
            }
        } else if (line.size() < MAX_BYTES) {
            line.write(b);
        }
    }
}
