package dev.belay;

import dev.belay.host.HostProcess;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A command in a terminal or on pipes, as one actor drives it.
///
/// Several handles may stand for one session, and every method may be called from any thread. Methods that may wait
/// say so; all others return at once. Dropping a handle does not end the session; [#close()] does.
public final class Session implements AutoCloseable {
    /// A program that prints a prompt and then reads does both within this time, unless the machine is busy.
    private static final long REST_NANOS = 20_000_000;

    /// Keeps the owner of all sessions alive while one of them is in use.
    private final Sessions sessions;

    private final Registry registry;
    private final Life life;
    private final Actor actor;

    Session(Sessions sessions, Registry registry, Life life, Actor actor) {
        this.sessions = sessions;
        this.registry = registry;
        this.life = life;
        this.actor = actor;
    }

    public String id() {
        return life.id;
    }

    public SessionSpec spec() {
        return life.spec;
    }

    /// This session as somebody else drives and sees it. Without this, its owner does.
    public Session as(Actor other) {
        return new Session(sessions, registry, life, other);
    }

    // --- know ---

    /// What is known now.
    public SessionRecord snapshot() {
        return life.record();
    }

    /// Where the session is in its life; cheaper than a [#snapshot()].
    public SessionState state() {
        return life.state();
    }

    /// How the leader ended; empty while it lives. Once present, all that the leader wrote is in the log.
    public Optional<ExitStatus> exit() {
        return Optional.ofNullable(life.exit());
    }

    /// Whether nothing more will ever be printed.
    public boolean drained() {
        return life.sealed();
    }

    /// Whether it waits for input now: one look at its processes, and what they printed is read. A program that has just printed
    /// its prompt may need a moment more; see [#awaitInputState].
    public InputState inputState() {
        return life.inputState();
    }

    /// Subscribes to what happens from now on. Waiting for it does not keep the session from being idle.
    public Activity activity() {
        return new Activity(life, false);
    }

    /// Subscribes as a viewer: while somebody waits for what happens next, the session is not idle.
    public Activity viewing() {
        return new Activity(life, true);
    }

    // --- read ---

    /// Everything the session printed.
    public OutputLog output() {
        return new OutputLog(life, actor);
    }

    /// A new cursor at the oldest byte still kept.
    public Cursor cursor() {
        return cursor(life.log.start());
    }

    /// A new cursor at an offset.
    public Cursor cursor(long offset) {
        return new Cursor(life, actor, offset, false);
    }

    /// The one cursor that the session's owner drains: what it has not drained, a lossless session keeps. It sees what
    /// the owner sees, so it is the owner's and admins' alone.
    public Cursor drainer() {
        if (!actor.admin() && !actor.name().equals(life.spec.owner())) {
            throw new SessionException(
                    ErrorCode.DENIED, "Session " + life.id + " is drained by its owner; use a cursor of your own.");
        }
        return life.drainer;
    }

    // --- wait ---

    /// Waits for the leader's exit.
    ///
    /// @return empty if it did not come in time
    public Optional<ExitStatus> awaitExit(Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.in(timeout);
        try (var _ = life.clocks.busy()) {
            long seen = life.bell.rings();
            // One that never started is closed without an exit.
            while (life.exit() == null
                    && life.state() != SessionState.CLOSED
                    && life.bell.await(seen, deadline)) {
                seen = life.bell.rings();
            }
        }
        return exit();
    }

    /// Whether it waits for input, once it has come to rest: if nobody is seen to wait, this waits, at most for the
    /// timeout, until nothing was printed for 20 ms or the leader has exited, and looks once more. A session that is
    /// seen to wait, or has been quiet for that long, is answered for at once.
    public InputState awaitInputState(Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.in(timeout);
        InputState first = inputState();
        if (first.seenWaiting() || !awaitRest(deadline)) {
            return first;
        }
        return inputState();
    }

    /// @return whether anything may have changed: it had to wait, or the session has ended
    private boolean awaitRest(Deadline deadline) throws InterruptedException {
        boolean waited = false;
        try (var _ = life.clocks.busy()) {
            while (true) {
                long seen = life.bell.rings();
                Deadline rest = deadline.earlier(Deadline.atNanos(life.lastOutputNanos() + REST_NANOS));
                if (life.exit() != null || life.state() == SessionState.CLOSED) {
                    return true;
                }
                if (rest.passed()) {
                    return waited;
                }
                waited = true;
                life.bell.await(seen, rest);
            }
        }
    }

    // --- write ---

    /// Writes text; see [#write(byte[], Duration)].
    public int write(String text) throws InterruptedException {
        return write(text.getBytes(StandardCharsets.UTF_8));
    }

    /// Writes text and a line feed; see [#write(byte[], Duration)].
    public int writeLine(String text) throws InterruptedException {
        return write(text + "\n");
    }

    /// Writes bytes and waits as long as [Limits#writeTimeout()] says; see [#write(byte[], Duration)].
    public int write(byte[] bytes) throws InterruptedException {
        return write(bytes, registry.limits().writeTimeout());
    }

    /// Writes bytes and waits, at most for the timeout, until the terminal or pipe has taken them all. Writes of
    /// several threads follow each other whole.
    ///
    /// @return how many bytes were taken: fewer than given if the child did not read in time, or if somebody took the keyboard
    public int write(byte[] bytes, Duration timeout) throws InterruptedException {
        int most = registry.limits().maxInputBytes();
        if (bytes.length > most) {
            throw new SessionException(
                    ErrorCode.TOO_LARGE,
                    "One write takes at most " + most + " bytes; write these " + bytes.length + " in parts.");
        }
        life.keyboard.requireMayType(actor);
        life.clocks.touch();
        int taken = life.exit() == null
                ? life.process().write(ByteBuffer.wrap(bytes), timeout, () -> life.keyboard.mayType(actor))
                : -1;
        if (taken < 0) {
            throw notWritable();
        }
        if (taken == 0) {
            life.keyboard.requireMayType(actor);
        }
        registry.taken(taken);
        return taken;
    }

    /// Closes the standard input of a session on pipes: its reader sees the end of the input.
    public void closeInput() {
        if (!(life.spec.mode() instanceof Mode.Pipe)) {
            throw SessionException.invalid("Session " + life.id
                    + " has a terminal, whose input cannot be closed; write Ctrl-D (\\u0004) at the start of a line.");
        }
        life.keyboard.requireMayType(actor);
        life.process().closeInput();
    }

    /// Ctrl-C: the character on a terminal, SIGINT to the leader's group on pipes.
    public void interrupt() throws InterruptedException {
        if (life.spec.mode() instanceof Mode.Pty) {
            write(new byte[] {3});
        } else {
            life.keyboard.requireMayType(actor);
            signal(Signal.INT);
        }
    }

    // --- end ---

    /// Gives the terminal a new size; its foreground processes get SIGWINCH.
    public void resize(Size size) {
        if (!(life.spec.mode() instanceof Mode.Pty)) {
            throw SessionException.invalid("Session " + life.id + " runs on pipes, which have no size.");
        }
        life.clocks.touch();
        if (!life.process().resize(size)) {
            throw notWritable();
        }
    }

    /// Signals the foreground processes of the terminal, or the leader's process group on pipes.
    public void signal(Signal signal) {
        life.clocks.touch();
        if (!life.process().signal(signal)) {
            throw new SessionException(
                    ErrorCode.NOT_FOUND,
                    "Session " + life.id + " has no process left that " + signal + " could be sent to.");
        }
    }

    /// Asks politely: SIGTERM as by [#signal]. A shell at its prompt ignores it; [#close()] does not take no for an
    /// answer.
    public void terminate() {
        signal(Signal.TERM);
    }

    /// Ends every process of the session and forgets it: SIGHUP, SIGCONT and SIGTERM, then SIGKILL after the grace.
    /// Returns when nothing is left. Waits at most for the grace and a few seconds; an interrupt does not cut it short.
    @Override
    public void close() {
        close(false);
    }

    /// As [#close()]; with `force`, without the grace.
    public Closed close(boolean force) {
        Duration grace = force ? Duration.ZERO : registry.limits().closeGrace();
        return registry.close(life, EndReason.CLOSED, grace);
    }

    // --- the keyboard ---

    /// Takes the keyboard for this handle's actor: the writes of all others fail until it is given back. Those that are
    /// under way end: when this returns, nothing of theirs will follow.
    ///
    /// @param isPrivate what is printed meanwhile is a gap to all others but admins
    /// @param timeout   when the lease ends by itself, or null
    public Lease takeKeyboard(boolean isPrivate, @Nullable Duration timeout) {
        HostProcess process = life.process();
        Lease lease = life.keyboard.take(actor, isPrivate, timeout);
        process.recallWrites();
        return lease;
    }

    /// The lease of whoever has the keyboard, if somebody does.
    public Optional<Lease> lease() {
        return life.keyboard.lease();
    }

    /// Who has the keyboard, if somebody does.
    public Optional<String> keyboardHolder() {
        return lease().map(Lease::holder);
    }

    private SessionException notWritable() {
        return new SessionException(
                ErrorCode.NOT_WRITABLE,
                "Session " + life.id + " is no longer writable: "
                        + (life.exit() == null
                                ? "its input is closed."
                                : "it has exited. Read the rest of its output."));
    }

    @Override
    public String toString() {
        return "Session " + life.id;
    }
}
