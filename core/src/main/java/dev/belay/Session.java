package dev.belay;

import dev.belay.host.HostProcess;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A command in a terminal or on pipes, as one actor drives it.
///
/// A session may have several handles. Every method may be called from any thread. Methods that may wait say so; all
/// others return at once. Dropping a handle does not end the session; [#close()] does.
public final class Session implements AutoCloseable {
    /// Unless the machine is busy, a program that prints a prompt starts to read within this time.
    private static final long REST_NANOS = 20_000_000;

    /// Keeps the owner of all sessions alive while one of them is in use.
    private final Sessions sessions;

    private final Registry registry;
    private final LiveSession live;
    private final Actor actor;

    Session(Sessions sessions, Registry registry, LiveSession live, Actor actor) {
        this.sessions = sessions;
        this.registry = registry;
        this.live = live;
        this.actor = actor;
    }

    public String id() {
        return live.id;
    }

    /// Identifies this session and no other. Unlike an id, it is never used again, nor by another owner. The processes
    /// of the session carry it in `BELAY_SESSION`.
    public String identity() {
        return live.identity;
    }

    public SessionSpec spec() {
        return live.spec;
    }

    /// This session as another actor drives and sees it. By default that is its owner.
    public Session as(Actor other) {
        return new Session(sessions, registry, live, other);
    }

    /// Who drives and sees the session through this handle.
    public Actor actor() {
        return actor;
    }

    // --- know ---

    /// What is known about it now.
    public SessionRecord snapshot() {
        return live.record();
    }

    /// Where the session is in its life; cheaper than a [#snapshot()].
    public SessionState state() {
        return live.state();
    }

    /// How the leader ended; empty while it is alive. Once present, everything the leader wrote is in the log.
    public Optional<ExitStatus> exit() {
        return Optional.ofNullable(live.exit());
    }

    /// Whether nothing more will ever be printed.
    public boolean drained() {
        return live.sealed();
    }

    /// Whether it is waiting for input now. Looks at its processes once, and first reads what they have printed. A
    /// program that has just printed its prompt may need another moment; see [#awaitInputState].
    public InputState inputState() {
        return live.inputState();
    }

    /// Who typed last; empty if nobody has.
    public Optional<Typed> typed() {
        return Optional.ofNullable(live.typing.last());
    }

    /// Subscribes to what happens from now on. Waiting does not keep the session from being idle.
    public Activity activity() {
        return new Activity(live, null);
    }

    /// Subscribes as a viewer: while it waits, the session is not idle, unless this handle's actor only watches.
    public Activity viewing() {
        return new Activity(live, actor);
    }

    /// Subscribes on the threads where things happen; see [OutputTap]. Earlier events are not reported.
    public OutputTap.Open tap(OutputTap tap) {
        return live.tap(tap, actor);
    }

    // --- read ---

    /// Everything the session printed.
    public OutputLog output() {
        return new OutputLog(live, actor);
    }

    /// A new cursor at the oldest byte still kept.
    public Cursor cursor() {
        return cursor(live.log.start());
    }

    /// A new cursor at an offset.
    public Cursor cursor(long offset) {
        return new Cursor(live, actor, offset, false);
    }

    /// The session's own cursor: a lossless session keeps what it has not drained. It sees what the owner sees, so only
    /// the owner and admins may use it.
    public Cursor drainer() {
        if (actor.watches() || (!actor.admin() && !actor.name().equals(live.spec.owner()))) {
            throw new SessionException(
                    ErrorCode.DENIED,
                    "Only its owner may drain session " + live.id + "; use a cursor of your own.");
        }
        return live.drainer;
    }

    /// How many bytes the owner has not drained yet.
    public long undrained() {
        return live.drainer.unread();
    }

    // --- approvals ---

    /// The open questions about programs that the session wants to start.
    public List<Approval> approvals() {
        return registry.approvals().pending(live).stream().map(one -> one.seenBy(actor)).toList();
    }

    /// A question of the session that was closed recently.
    public Optional<Approval> closedApproval(String approval) {
        return registry.approvals().closed(approval).filter(one -> one.session().equals(live.id))
                .map(one -> one.seenBy(actor));
    }

    /// Marks the open questions as known: [Until#orApproval()] waits for the next one.
    public void approvalsKnown() {
        live.answers.known();
    }

    /// What an agent should know: the open questions, and the programs that were refused since the last call.
    public List<Approval> approvalNews() {
        return registry.approvals().news(live).stream().map(one -> one.seenBy(actor)).toList();
    }

    // --- wait ---

    /// Waits for the leader's exit.
    ///
    /// @return empty if the leader did not exit in time
    public Optional<ExitStatus> awaitExit(Duration timeout) throws InterruptedException {
        Deadline deadline = live.in(timeout);
        try (var _ = live.clocks.busy(actor)) {
            long seen = live.bell.rings();
            // A session that never started is closed without an exit.
            while (live.exit() == null
                    && live.state() != SessionState.CLOSED
                    && live.bell.await(seen, deadline)) {
                seen = live.bell.rings();
            }
        }
        return exit();
    }

    /// Whether it is waiting for input, once it has come to rest. Returns at once if a process is waiting, or if
    /// nothing was printed for 20 ms. Otherwise waits, at most for the timeout, until that is so or the leader has
    /// exited, and looks again.
    public InputState awaitInputState(Duration timeout) throws InterruptedException {
        Deadline deadline = live.in(timeout);
        InputState first = inputState();
        if (first.seenWaiting() || !awaitRest(deadline)) {
            return first;
        }
        return inputState();
    }

    /// @return whether anything may have changed, because it had to wait or the session has ended
    private boolean awaitRest(Deadline deadline) throws InterruptedException {
        boolean waited = false;
        try (var _ = live.clocks.busy(actor)) {
            while (true) {
                long seen = live.bell.rings();
                Deadline rest = deadline.earlier(live.at(live.lastOutputNanos() + REST_NANOS));
                if (live.exit() != null || live.state() == SessionState.CLOSED) {
                    return true;
                }
                if (rest.passed()) {
                    return waited;
                }
                waited = true;
                live.bell.await(seen, rest);
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

    /// Writes bytes and waits, at most for the timeout, until the terminal or pipe has accepted them all. Writes of
    /// several threads are not interleaved.
    ///
    /// @return how many bytes were written: fewer than given if the process did not read in time, or if somebody took
    ///         the keyboard
    public int write(byte[] bytes, Duration timeout) throws InterruptedException {
        requireMayDrive();
        return input().write(ByteBuffer.wrap(bytes), timeout);
    }

    /// Writes an input once, however often it is sent. If it was written before under the same id, this returns the
    /// same result and writes nothing. If the earlier write was interrupted, this one continues where it stopped. The
    /// last 1,024 ids of each principal are remembered. Waits as [#write(byte[])] does.
    ///
    /// @return how many bytes were written in all
    public int writeOnce(byte[] bytes, String inputId) throws InterruptedException {
        requireMayDrive();
        return input().writeOnce(bytes, inputId);
    }

    /// Begins to write bytes as [#write(byte[])] does, and as [#writeOnce] does if they have an id, without waiting.
    /// For threads that serve many: what may take its time is left to [BegunInput#finish].
    public BegunInput begin(byte[] bytes, @Nullable String inputId) {
        requireMayDrive();
        return inputId == null ? input().begin(ByteBuffer.wrap(bytes)) : input().beginOnce(bytes, inputId);
    }

    private ActorInput input() {
        return new ActorInput(registry, live, actor);
    }

    /// The process group in the foreground of the terminal, which asks what is asked; 0 if there is none.
    public long foreground() {
        return live.exit() == null ? live.process().foreground() : 0;
    }

    /// Whether the leader alone is in the foreground of the terminal, and has run other programs before: it may be a
    /// shell at its prompt, and what was asked last may have been asked by a program that has ended.
    public boolean shellReads() {
        return live.exit() == null && live.process().shellReads();
    }

    /// Answers a question that a program has asked its terminal. A reply is not typing: no lease stops it, and it is no
    /// activity. It is written whole or not at all, and without waiting.
    ///
    /// @param group who asked; see [#foreground()]
    /// @return false if nothing was written: another group is in the foreground; the terminal is in line mode, where a
    ///         reply would be typed at a prompt; or the program does not read, has exited, or runs on pipes
    public boolean reply(byte[] bytes, long group) {
        return live.exit() == null && live.process().reply(bytes, group);
    }

    /// Closes the standard input of a session on pipes. The process reads end of file.
    public void closeInput() {
        requireMayDrive();
        if (!(live.spec.mode() instanceof Mode.Pipe)) {
            throw SessionException.invalid("Session " + live.id
                    + " has a terminal, whose input cannot be closed; write Ctrl-D (\\u0004) at the start of a line.");
        }
        live.keyboard.requireMayType(actor);
        live.process().closeInput();
    }

    /// Ctrl-C: writes the character to a terminal; on pipes, sends SIGINT to the leader's process group.
    public void interrupt() throws InterruptedException {
        if (live.spec.mode() instanceof Mode.Pty) {
            write(new byte[] {3});
        } else {
            live.keyboard.requireMayType(actor);
            signal(Signal.INT);
        }
    }

    // --- end ---

    /// Resizes the terminal. Its foreground processes get SIGWINCH.
    public void resize(Size size) {
        requireMayDrive();
        if (!(live.spec.mode() instanceof Mode.Pty)) {
            throw SessionException.invalid("Session " + live.id + " runs on pipes, which have no size.");
        }
        live.clocks.touch();
        if (!live.process().resize(size)) {
            throw live.notWritable();
        }
    }

    /// Signals the foreground processes of the terminal, or the leader's process group on pipes.
    public void signal(Signal signal) {
        requireMayDrive();
        live.clocks.touch();
        if (!live.process().signal(signal)) {
            throw new SessionException(
                    ErrorCode.NOT_FOUND,
                    "Session " + live.id + " has no process left to send " + signal + " to.");
        }
    }

    /// Sends SIGTERM as [#signal] does. A shell at its prompt ignores it; [#close()] ends everything.
    public void terminate() {
        signal(Signal.TERM);
    }

    /// The living processes of the session, oldest first: what [#close()] would end. Command lines may contain secrets:
    /// show them only to actors that may drive the session. Looks at all processes of the machine.
    public List<ProcessRecord> processes() {
        requireMayDrive();
        List<ProcessRecord> all = live.state() == SessionState.CLOSED ? List.of() : live.process().processes();
        String typist = live.keyboard.startsFor();
        return typist != null && PrivateRange.hides(typist, actor)
                ? all.stream().map(ProcessRecord::withheld).toList()
                : all;
    }

    /// How many processes of the session have outlived the leader, whether or not they hold the terminal or a pipe; 0
    /// while the leader is alive. Looks at all processes of the machine.
    public int survivors() {
        return live.survivors();
    }

    /// Ends every process of the session and forgets it: SIGHUP, SIGCONT and SIGTERM, then SIGKILL after the grace.
    /// Returns when nothing is left. Waits at most for the grace and a few seconds; interrupts do not cut it short.
    @Override
    public void close() {
        close(false);
    }

    /// As [#close()]; with `force`, without the grace.
    public Closed close(boolean force) {
        requireMayDrive();
        Duration grace = force ? Duration.ZERO : registry.limits().closeGrace();
        return registry.close(live, EndReason.CLOSED, grace);
    }

    // --- the keyboard ---

    /// Takes the keyboard for this handle's actor: all other writes fail until it is given back. Writes in progress are
    /// cut short: once this returns, none of their bytes follow.
    ///
    /// @param isPrivate whether only this actor and admins may read what is printed until then; for others it is a gap
    /// @param timeout   how long the lease lasts at most, or null for no limit
    public Lease takeKeyboard(boolean isPrivate, @Nullable Duration timeout) {
        requireMayDrive();
        HostProcess process = live.process();
        Lease lease = live.keyboard.take(actor, isPrivate, timeout);
        process.recallWrites();
        return lease;
    }

    /// The current lease of the keyboard, if there is one.
    public Optional<Lease> lease() {
        return live.keyboard.lease();
    }

    /// Who has the keyboard, if somebody does.
    public Optional<String> keyboardHolder() {
        return lease().map(Lease::holder);
    }

    private void requireMayDrive() {
        if (actor.watches()) {
            throw new SessionException(
                    ErrorCode.DENIED, actor.name() + " may only watch session " + live.id + ".");
        }
    }

    @Override
    public String toString() {
        return "Session " + live.id;
    }
}
