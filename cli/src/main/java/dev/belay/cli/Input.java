package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.Mode;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.Until;
import dev.belay.Waited;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;

/// Copies this process's standard input into a session, on a thread of its own that ends with the session or the JVM.
///
/// A session that does not read makes it wait, and with it whoever writes to the standard input.
final class Input {
    private static final int BUFFER_BYTES = 16 << 10;
    private static final Duration FOREVER = Duration.ofDays(36_500);
    private static final Duration FIRST_QUIET = Duration.ofMillis(250);
    private static final Duration LONGEST_QUIET = Duration.ofSeconds(8);
    /// Ctrl-D at the start of a line: the end of the input to a program that reads lines from a terminal.
    private static final byte END = 4;

    private final Session session;
    private final boolean keyboard;
    private byte last = '\n';

    private Input(Session session, boolean keyboard) {
        this.session = session;
        this.keyboard = keyboard;
    }

    /// Begins to copy.
    ///
    /// @param keyboard whether the standard input is a terminal whose keys go to the session's terminal
    static void copyTo(Session session, boolean keyboard) {
        Thread.ofPlatform().daemon().name("belay-input").start(new Input(session, keyboard)::copy);
    }

    private void copy() {
        try {
            FileInputStream in = new FileInputStream(FileDescriptor.in);
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int count = read(in, buffer); count >= 0; count = read(in, buffer)) {
                send(Arrays.copyOf(buffer, count));
            }
            if (session.spec().mode() instanceof Mode.Pipe) {
                session.closeInput();
            } else if (!keyboard) {
                endTerminalInput();
            }
        } catch (SessionException e) {
            if (e.code() != ErrorCode.NOT_WRITABLE && e.code() != ErrorCode.UNAVAILABLE
                    && e.code() != ErrorCode.NOT_FOUND) {
                throw e;
            }
            // The session has ended: nobody is left to read.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static int read(FileInputStream in, byte[] buffer) {
        try {
            return in.read(buffer);
        } catch (IOException _) {
            // A terminal that was taken away, or a standard input that was never open.
            return -1;
        }
    }

    private void send(byte... bytes) throws InterruptedException {
        int sent = 0;
        while (sent < bytes.length) {
            sent += session.write(Arrays.copyOfRange(bytes, sent, bytes.length), FOREVER);
        }
        last = bytes.length == 0 ? last : bytes[bytes.length - 1];
    }

    /// Ends the input of a program that reads from a terminal, which has no end: there are only keys that mean it.
    ///
    /// A pipe would tell the end to everyone who reads, as often as they do. A terminal tells it once, and not at all
    /// to a program that changes the terminal's modes between the key and its reading (as readline does). So the key
    /// comes again whenever the program has been quiet for a while and lives on.
    private void endTerminalInput() throws InterruptedException {
        boolean whole = last == '\n';
        if (whole) {
            send(END);
        } else {
            // The first one passes on the line that was begun.
            send(END, END);
        }
        Duration quiet = FIRST_QUIET;
        while (quiet(quiet)) {
            if (whole) {
                send(END);
            } else {
                // A program with a line editor still holds the line.
                send((byte) '\n', END);
                whole = true;
            }
            quiet = quiet.multipliedBy(2).compareTo(LONGEST_QUIET) < 0 ? quiet.multipliedBy(2) : LONGEST_QUIET;
        }
    }

    /// Waits until nothing was printed for a while.
    ///
    /// @return false if the session has ended instead
    private boolean quiet(Duration span) throws InterruptedException {
        Waited waited = session.cursor(session.output().end()).await(Until.idle(span).orExited(), FOREVER);
        return waited.fired() == Waited.Fired.IDLE;
    }
}
