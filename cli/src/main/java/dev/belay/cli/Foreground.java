package dev.belay.cli;

import dev.belay.cli.config.TimeSpan;
import dev.belay.Cursor;
import dev.belay.EndReason;
import dev.belay.ErrorCode;
import dev.belay.ExitStatus;
import dev.belay.Mode;
import dev.belay.ReadResult;
import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.End;
import dev.belay.ReadResult.Gap;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.linux.Terminal;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Runs one session in the foreground: joined to this process's standard streams, until the command ends.
///
/// The caller's thread writes the output. [Input] copies the input on a thread of its own, signals come on theirs.
/// However this process ends, short of SIGKILL, the terminal is given back as it was: by [#run], or by a shutdown hook
/// if the JVM is told to end before.
final class Foreground {
    private static final int READ_BYTES = 64 << 10;
    private static final Duration FOREVER = Duration.ofDays(36_500);
    private static final Duration SECOND_INTERRUPT = Duration.ofSeconds(2);
    /// How long the output may take to stop after the session has been closed by the shutdown.
    private static final Duration LAST_WRITE = Duration.ofSeconds(1);

    private final Scratch scratch;
    private final Stdio stdio;
    private final SessionSpec spec;
    private final Display display;
    private final CountDownLatch givenBack = new CountDownLatch(1);
    private final AtomicInteger resizes = new AtomicInteger();
    private final AtomicLong interruptedAt = new AtomicLong(System.nanoTime() - SECOND_INTERRUPT.toNanos());
    private volatile Terminal.@Nullable Raw raw;
    private long lostBytes;

    Foreground(Scratch scratch, Stdio stdio, SessionSpec spec) {
        this.scratch = scratch;
        this.stdio = stdio;
        this.spec = spec;
        this.display = new Display(stdio.out());
    }

    /// Opens the session and returns when the command has ended.
    ///
    /// @return the exit code of `belay run`
    int run() throws InterruptedException {
        int code;
        boolean orderly = false;
        try {
            Session session = scratch.sessions().open(spec);
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().name("belay-restore").unstarted(this::shutDown));
            join(session);
            try {
                show(session);
                ExitStatus exit = session.exit().orElseThrow();
                EndReason reason = session.snapshot().endReason();
                orderly = exit instanceof ExitStatus.Exited && reason == EndReason.EXIT;
                code = reason == EndReason.TIMEOUT ? ExitCodes.TIMED_OUT : exit.code();
            } catch (IOException e) {
                code = unwritable(e);
            }
        } finally {
            giveBack(orderly);
            givenBack.countDown();
            close();
        }
        report(code);
        return code;
    }

    // --- the start ---

    private void join(Session session) {
        boolean terminal = spec.mode() instanceof Mode.Pty;
        boolean keyboard = terminal && stdio.in() != null;
        if (terminal && stdio.any()) {
            Signals.onWindowChange(() -> follow(session));
        }
        if (keyboard && stdio.in() != null) {
            raw = stdio.in().raw(stdio.out() != null);
            Signals.onContinue(() -> comeBack(session));
        } else {
            Signals.onInterrupt(() -> interrupt(session));
        }
        if (terminal && stdio.any()) {
            follow(session); // the size may have changed before anybody listened
        }
        // A shell's background job may not read from the terminal: it would be stopped.
        if (keyboard || stdio.in() == null || !stdio.in().inBackground()) {
            Input.copyTo(session, keyboard);
        }
    }

    // --- the output ---

    /// Shows all that the leader prints. Returns when it is dead.
    private void show(Session session) throws IOException, InterruptedException {
        Cursor drainer = session.drainer();
        var activity = session.activity();
        long end = Long.MAX_VALUE;
        while (drainer.position() < end) {
            if (end == Long.MAX_VALUE && session.exit().isPresent()) {
                // What survivors of the leader print from here on is not waited for: they are ended.
                end = session.output().end();
                continue;
            }
            switch (next(session, drainer)) {
                case Chunk chunk when chunk.bytes().length == 0 -> activity.next(FOREVER);
                case Chunk chunk -> display.show(chunk);
                case Gap gap -> lostBytes += gap.reason() == Gap.Reason.DISK_FULL ? gap.lostBytes() : 0;
                case End _ -> {
                    return;
                }
            }
        }
    }

    private static ReadResult next(Session session, Cursor drainer) {
        try {
            return drainer.drain(READ_BYTES);
        } catch (SessionException e) {
            if (e.code() == ErrorCode.NOT_FOUND && session.exit().isPresent()) {
                // Closed under our hands: by a second Ctrl-C, or because this process ends.
                return new End(drainer.position(), session.exit().get());
            }
            throw e;
        }
    }

    private static int unwritable(IOException e) {
        if (Display.noReader()) {
            return ExitCodes.NO_READER;
        }
        System.err.println("belay: the output could not be written: " + e.getMessage());
        return ExitCodes.BELAY_FAILED;
    }

    // --- what signals ask for ---

    /// Gives the session's terminal the size of ours. Several threads may come here: one of them does the work, and
    /// looks once more for each that came meanwhile, so that the last size is what remains.
    private void follow(Session session) {
        if (resizes.getAndIncrement() > 0) {
            return;
        }
        int seen = 1;
        while (seen > 0) {
            ignoringTheEnd(() -> session.resize(stdio.size()));
            seen = resizes.addAndGet(-seen);
        }
    }

    /// After a stop the shell has left the terminal in its own modes, with its own text on the screen.
    private void comeBack(Session session) {
        Terminal.Raw modes = raw;
        if (modes != null) {
            modes.enter();
        }
        ignoringTheEnd(() -> session.signal(dev.belay.Signal.WINCH));
    }

    /// Ctrl-C where the keyboard is not the session's: passed on, and the second one within two seconds ends it all.
    private void interrupt(Session session) {
        long now = System.nanoTime();
        if (now - interruptedAt.getAndSet(now) >= SECOND_INTERRUPT.toNanos()) {
            ignoringTheEnd(() -> session.signal(dev.belay.Signal.INT));
            return;
        }
        ignoringTheEnd(session::close);
        session.exit().ifPresent(exit -> System.exit(exit.code()));
    }

    /// Does something to a session that may have ended.
    private static void ignoringTheEnd(Runnable step) {
        try {
            step.run();
        } catch (SessionException _) {
            // It has ended, and how is found out elsewhere.
        }
    }

    // --- the end ---

    private void giveBack(boolean orderly) {
        Terminal.Raw modes = raw;
        if (modes != null) {
            modes.close();
        }
        if (!orderly) {
            display.restore();
        }
    }

    private void close() {
        try {
            scratch.close();
        } catch (SessionException e) {
            System.err.println("belay: " + e.getMessage());
        }
    }

    private void report(int code) {
        if (code == ExitCodes.TIMED_OUT && spec.timeout() != null) {
            System.err.println("belay: timed out after " + TimeSpan.text(spec.timeout()));
        }
        if (lostBytes > 0) {
            System.err.println("belay: " + lostBytes + " bytes of output were lost: the state folder takes no more");
        }
    }

    /// The JVM ends. Its hooks run side by side, so this one waits until the session is closed, whichever hook does
    /// it, and until [#run] has written the last output and given the terminal back. A terminal that is stuck would
    /// keep us here for ever: then its modes are all that can be restored.
    private void shutDown() {
        ignoringTheEnd(scratch::close);
        try {
            if (givenBack.await(LAST_WRITE.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        Terminal.Raw modes = raw;
        if (modes != null) {
            modes.close();
        }
    }
}
