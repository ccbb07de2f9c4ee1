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

/// Copies this process's standard input into a session, on its own thread, which ends with the session or the JVM.
///
/// If the session does not read, the thread waits, and so does the program that writes to our standard input.
final class StdinToSession {
    private static final int BUFFER_BYTES = 16 << 10;
    private static final Duration FOREVER = Duration.ofDays(36_500);
    private static final Duration FIRST_QUIET = Duration.ofMillis(250);
    private static final Duration LONGEST_QUIET = Duration.ofSeconds(8);
    /// Ctrl-D. At the start of a line it means end of input to a program that reads lines from a terminal.
    private static final byte END = 4;

    private final Session session;
    private final boolean keyboard;
    private byte last = '\n';

    private StdinToSession(Session session, boolean keyboard) {
        this.session = session;
        this.keyboard = keyboard;
    }

    /// Starts copying.
    ///
    /// @param keyboard whether the standard input is a terminal whose keys go to the session's terminal
    static void copyTo(Session session, boolean keyboard) {
        Thread.ofPlatform().daemon().name("belay-input").start(new StdinToSession(session, keyboard)::copy);
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
            // The session has ended.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static int read(FileInputStream in, byte[] buffer) {
        try {
            return in.read(buffer);
        } catch (IOException _) {
            // The terminal is gone, or standard input was never open.
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

    /// Ends the input of a program that reads from a terminal. A terminal has no end of file, only a key for it.
    ///
    /// A pipe reports its end to every read. A terminal reports it once, and not at all to a program that changes the
    /// terminal's modes between the key and the read, as readline does. So we press the key again whenever the program
    /// has printed nothing for a while and still runs.
    private void endTerminalInput() throws InterruptedException {
        boolean whole = last == '\n';
        if (whole) {
            send(END);
        } else {
            // The first one submits the unfinished line.
            send(END, END);
        }
        Duration quiet = FIRST_QUIET;
        while (quiet(quiet)) {
            if (whole) {
                send(END);
            } else {
                // A program with a line editor still has the line.
                send((byte) '\n', END);
                whole = true;
            }
            quiet = quiet.multipliedBy(2).compareTo(LONGEST_QUIET) < 0 ? quiet.multipliedBy(2) : LONGEST_QUIET;
        }
    }

    /// Waits until the program has printed nothing for a while.
    ///
    /// @return false if the session has ended instead
    private boolean quiet(Duration span) throws InterruptedException {
        Waited waited = session.cursor(session.output().end()).await(Until.idle(span).orExited(), FOREVER);
        return waited.fired() == Waited.Fired.IDLE;
    }
}
