package dev.belay.cli;

import dev.belay.Outlet;
import dev.belay.ReadResult.Chunk;
import dev.belay.linux.Terminal;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Where a session's output goes: this process's standard output and error, unbuffered.
///
/// One thread writes. [#restore] may be called from another one, once the first writes no more.
final class Display {
    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private final FileOutputStream err = new FileOutputStream(FileDescriptor.err);
    private final @Nullable Terminal screen;
    private final ScreenModes modes = new ScreenModes();
    private byte last = '\n';

    /// @param screen the terminal behind standard output, if it is one
    Display(@Nullable Terminal screen) {
        this.screen = screen;
    }

    /// Writes all bytes; waits for a slow reader.
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

    /// Switches off what a program that was ended has left switched on, and begins a new line where it stopped
    /// within one. Does nothing where there is no screen.
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
            // The terminal is gone, and with it what there was to restore.
        }
    }

    /// Whether a write failed because nobody reads any more. What the system says about it depends on the
    /// language; on a pipe or socket it can be nothing else.
    static boolean noReader() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return target.startsWith("pipe:") || target.startsWith("socket:");
        } catch (IOException _) {
            return false;
        }
    }
}
