package dev.belay.cli;

import dev.belay.Outlet;
import dev.belay.ReadResult.Chunk;
import dev.belay.linux.OwnTerminal;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Where a session's output goes: this process's standard output and error, unbuffered.
///
/// One thread writes. Another may call [#restore] once the first has stopped writing.
final class Display {
    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private final FileOutputStream err = new FileOutputStream(FileDescriptor.err);
    private final @Nullable OwnTerminal screen;
    private final ScreenModes modes = new ScreenModes();
    private byte last = '\n';

    /// @param screen the terminal behind standard output, if it is one
    Display(@Nullable OwnTerminal screen) {
        this.screen = screen;
    }

    /// Writes all bytes. Waits for a slow reader.
    void show(Chunk chunk) throws IOException {
        byte[] bytes = chunk.bytes();
        if (chunk.outlet() == Outlet.STDERR) {
            err.write(bytes);
            return;
        }
        if (screen != null) {
            modes.feed(bytes);
            last = bytes[bytes.length - 1];
        }
        out.write(bytes);
    }

    /// Switches off the modes that a killed program left on, and starts a new line if the program stopped within one.
    /// Does nothing without a screen.
    void restore() {
        if (screen == null || screen.inBackground()) {
            return;
        }
        try {
            out.write(modes.undo());
            if (last != '\n') {
                out.write("\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                last = '\n';
            }
        } catch (IOException _) {
            // The terminal is gone; nothing to restore.
        }
    }

    /// Whether a write failed because nobody reads any more. The system's message depends on the language, but on a
    /// pipe or socket there is no other reason.
    static boolean noReader() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return target.startsWith("pipe:") || target.startsWith("socket:");
        } catch (IOException _) {
            return false;
        }
    }
}
