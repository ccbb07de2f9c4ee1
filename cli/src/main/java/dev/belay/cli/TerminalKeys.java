package dev.belay.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What is typed on this process's terminal. One thread reads it, `belay-keys`, and hands it to the reader of the
/// moment: a read cannot be given up, so two threads would take keys from each other.
///
/// Any thread may change the reader. Readers must not block for long.
final class TerminalKeys {
    private static final int BUFFER_BYTES = 16 << 10;

    /// @param typed hears what is typed
    /// @param gone  called once if nothing more can come
    private record Reader(Consumer<byte[]> typed, Runnable gone) {}

    private @Nullable Reader reader;
    private boolean ended;

    /// Hands what is typed from now on to a reader. Nothing is read before the first one is there, so that what a
    /// person types early is not lost.
    void readBy(Consumer<byte[]> typed, Runnable gone) {
        boolean over;
        synchronized (this) {
            if (reader == null) {
                Thread.ofPlatform().daemon().name("belay-keys").start(this::read);
            }
            reader = new Reader(typed, gone);
            over = ended;
        }
        if (over) {
            gone.run();
        }
    }

    private synchronized Reader reader() {
        return Objects.requireNonNull(reader);
    }

    private void read() {
        FileInputStream in = new FileInputStream(FileDescriptor.in);
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                reader().typed().accept(Arrays.copyOf(buffer, count));
            }
        } catch (IOException _) {
            // The terminal is gone.
        }
        Runnable last;
        synchronized (this) {
            ended = true;
            last = reader().gone();
        }
        last.run();
    }
}
