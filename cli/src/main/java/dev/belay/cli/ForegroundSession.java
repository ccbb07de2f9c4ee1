package dev.belay.cli;

import dev.belay.Cursor;
import dev.belay.EndReason;
import dev.belay.ErrorCode;
import dev.belay.ExitStatus;
import dev.belay.Mode;
import dev.belay.Quoted;
import dev.belay.ReadResult;
import dev.belay.ReadResult.Chunk;
import dev.belay.ReadResult.End;
import dev.belay.ReadResult.Gap;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.cli.config.TimeSpan;
import dev.belay.linux.OwnTerminal;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Runs one session in the foreground, connected to this process's standard streams, until the command exits.
///
/// The caller's thread writes the output. [StdinToSession] copies the input on its own thread; signals have theirs.
/// Unless this process is killed by SIGKILL, the terminal is restored: by [#run], or by a shutdown hook if the JVM ends
/// first.
final class ForegroundSession {
    private static final int READ_BYTES = 64 << 10;
    private static final Duration FOREVER = Duration.ofDays(36_500);
    private static final Duration SECOND_INTERRUPT = Duration.ofSeconds(2);
    /// How long the last output may take after a shutdown has closed the session.
    private static final Duration LAST_WRITE = Duration.ofSeconds(1);

    private final TemporarySessions scratch;
    private final Stdio stdio;
    private final SessionSpec spec;
    private final Display display;
    private final CountDownLatch givenBack = new CountDownLatch(1);
    private final AtomicInteger resizes = new AtomicInteger();
    private final AtomicLong interruptedAt = new AtomicLong(System.nanoTime() - SECOND_INTERRUPT.toNanos());
    private volatile OwnTerminal.@Nullable Raw raw;
    private long lostBytes;

    ForegroundSession(TemporarySessions scratch, Stdio stdio, SessionSpec spec) {
        this.scratch = scratch;
        this.stdio = stdio;
        this.spec = spec;
        this.display = new Display(stdio.out());
    }

    /// Opens the session and returns when the command has exited.
    ///
    /// @return the exit code of `belay run`
    int run() throws InterruptedException {
        int code;
        boolean orderly = false;
        Session session;
        try {
            session = scratch.sessions().open(spec);
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
        reportChanges(session);
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
            follow(session); // the size may have changed before the handler was installed
        }
        // A background job of a shell would be stopped if it read from the terminal.
        if (keyboard || stdio.in() == null || !stdio.in().inBackground()) {
            StdinToSession.copyTo(session, keyboard);
        }
    }

    // --- the output ---

    /// Shows everything that the leader prints. Returns when the leader is dead.
    private void show(Session session) throws IOException, InterruptedException {
        Cursor drainer = session.drainer();
        var activity = session.activity();
        long end = Long.MAX_VALUE;
        while (drainer.position() < end) {
            if (end == Long.MAX_VALUE && session.exit().isPresent()) {
                // Do not wait for what survivors print from now on: they are about to be ended.
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
                // Closed meanwhile: by a second Ctrl-C, or because this process ends.
                return new End(drainer.position(), session.exit().get());
            }
            throw e;
        }
    }

    private static int unwritable(IOException e) {
        if (Display.noReader()) {
            return ExitCodes.NO_READER;
        }
        System.err.println("belay: cannot write the output: " + e.getMessage());
        return ExitCodes.BELAY_FAILED;
    }

    // --- what signals ask for ---

    /// Gives the session's terminal the size of ours. If several threads come here, one of them does the work, and
    /// looks again if others came meanwhile, so that the last size wins.
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

    /// After a stop, the shell has left its own modes and its own text on the terminal: enter raw mode, repaint.
    private void comeBack(Session session) {
        OwnTerminal.Raw modes = raw;
        if (modes != null) {
            modes.enter();
        }
        ignoringTheEnd(() -> session.signal(dev.belay.Signal.WINCH));
    }

    /// Ctrl-C when standard input is not a terminal: passed on; a second one within two seconds ends the session.
    private void interrupt(Session session) {
        long now = System.nanoTime();
        if (now - interruptedAt.getAndSet(now) >= SECOND_INTERRUPT.toNanos()) {
            ignoringTheEnd(() -> session.signal(dev.belay.Signal.INT));
            return;
        }
        ignoringTheEnd(session::close);
        session.exit().ifPresent(exit -> System.exit(exit.code()));
    }

    /// Runs a step on a session that may have ended.
    private static void ignoringTheEnd(Runnable step) {
        try {
            step.run();
        } catch (SessionException _) {
            // It has ended; show() finds out how.
        }
    }

    // --- the end ---

    private void giveBack(boolean orderly) {
        OwnTerminal.Raw modes = raw;
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
            System.err.println("belay: lost " + lostBytes + " bytes of output: the disk of the state folder is full");
        }
    }

    private static void reportChanges(Session session) {
        var guard = session.snapshot().guard();
        if (guard != null && !guard.changed().isEmpty()) {
            System.err.println("belay: the command changed files that are run outside of the sandbox later;"
                    + " review them"
                    + " first: " + guard.changed().stream().map(Quoted::of).collect(Collectors.joining(", ")));
        }
    }

    /// Runs when the JVM shuts down. Shutdown hooks run in parallel, so this one waits until the session is closed, by
    /// any hook, and until [#run] has written the last output and restored the terminal. If the terminal is stuck, it
    /// gives up after a moment and restores only the modes.
    private void shutDown() {
        ignoringTheEnd(scratch::close);
        try {
            if (givenBack.await(LAST_WRITE.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        OwnTerminal.Raw modes = raw;
        if (modes != null) {
            modes.close();
        }
    }
}
