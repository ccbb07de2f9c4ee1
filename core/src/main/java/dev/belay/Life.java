package dev.belay;

import dev.belay.host.HostProcess;
import dev.belay.host.ProcessListener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The state of one session, moved forward by its host.
///
/// The listener's methods run on the host's loop and never block. All fields that change are volatile or atomic and
/// have one writer: the loop for what the process does, the opener for the start, whoever comes first for the reason.
final class Life implements ProcessListener {
    final String id;
    final SessionSpec spec;
    final FileLog log;
    final Doorbell bell = new Doorbell();
    final Keyboard keyboard;
    /// The cursor behind [Session#drainer()].
    final Cursor drainer;
    final Clocks clocks;

    private final Registry registry;
    private final Permit permit;
    private final Instant startedAt = Instant.now();
    private final long startedNanos = System.nanoTime();
    private final AtomicReference<@Nullable EndReason> reason = new AtomicReference<>();
    /// Done when the process is heard, or never will be: who ended it before would leave the opener with what is gone.
    private final CompletableFuture<?> heard = new CompletableFuture<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicBoolean outputPosted = new AtomicBoolean();

    private final AtomicReference<SessionState> state = new AtomicReference<>(SessionState.STARTING);
    private volatile @Nullable HostProcess process;
    private volatile @Nullable Size size;
    private volatile @Nullable ExitStatus exit;
    private volatile @Nullable Instant endedAt;
    private volatile boolean sealed;
    private volatile boolean closing;
    private volatile boolean paused;
    private volatile long lastOutputNanos = startedNanos;
    private volatile @Nullable Future<?> retention;

    Life(Registry registry, String id, SessionSpec spec, Permit permit) {
        this.registry = registry;
        this.id = id;
        this.spec = spec;
        this.permit = permit;
        Duration idle = spec.idleTimeout() != null ? spec.idleTimeout() : registry.limits().idleTimeout();
        this.clocks = new Clocks(registry.timer(), spec.timeout(), idle, this::expire);
        this.log = new FileLog(registry.folder(), id, registry.limits().logBytes());
        this.keyboard = new Keyboard(id, log, bell, registry.timer());
        this.drainer = new Cursor(this, new Actor(spec.owner()), 0, spec.lossless());
        if (spec.mode() instanceof Mode.Pty pty) {
            this.size = pty.size();
            log.resized(pty.size());
        }
        if (spec.lossless()) {
            log.hold(0);
        }
    }

    // --- the start, by the opener ---

    /// The process is there, and about to be heard.
    void spawned(HostProcess started) {
        process = started;
    }

    /// The process is heard: from now on anybody may end it. It may have exited already.
    void running() {
        state.compareAndSet(SessionState.STARTING, SessionState.RUNNING);
        heard.complete(null);
    }

    private void expire(EndReason why) {
        registry.background("end " + id, () -> {
            try {
                end(why, registry.limits().closeGrace());
            } finally {
                if (!sealed) {
                    // For want of descriptors, perhaps. A session that has had its time is not let go.
                    clocks.again(why);
                }
            }
        });
    }

    // --- what the process does, on the host's loop ---

    @Override
    public boolean output(ByteBuffer bytes, Outlet outlet) {
        int count = bytes.remaining();
        long unstored = log.unstored();
        log.append(bytes, outlet);
        registry.logged(count, log.unstored() - unstored);
        long now = System.nanoTime();
        lastOutputNanos = now;
        clocks.touch(now);
        if (log.full()) {
            paused = true;
            // The drainer may have made room between the two lines above, and found nothing to wake.
            if (log.full()) {
                return false;
            }
            // Left as paused: another port may be, and to be told to go on does no harm.
        }
        return true;
    }

    @Override
    public void announce() {
        bell.ring();
        if (registry.observed() && outputPosted.compareAndSet(false, true)) {
            boolean posted = registry.post(observer -> {
                outputPosted.set(false);
                observer.output(id, log.end());
            });
            if (!posted) {
                outputPosted.set(false);
            }
        }
    }

    @Override
    public void resized(Size to) {
        size = to;
        log.resized(to);
        bell.ring();
    }

    @Override
    public void exited(ExitStatus status, boolean held) {
        // Whatever fails, for want of memory perhaps: the permit comes back, and nobody waits for the exit in vain.
        try {
            reason.compareAndSet(null, reasonOf(status));
            keyboard.retire();
            endedAt = Instant.now();
        } finally {
            publishExit(status, held);
        }
        registry.exited(this);
        if (!held) {
            registry.released(this);
        }
    }

    private void publishExit(ExitStatus status, boolean held) {
        try {
            if (!held) {
                seal();
            }
        } finally {
            exit = status;
            state.set(SessionState.EXITED);
            bell.ring();
        }
    }

    private EndReason reasonOf(ExitStatus status) {
        HostProcess running = process;
        EndReason byTheLeader = spec.resources().reasonOf(status);
        if (byTheLeader != EndReason.EXIT || running == null || spec.resources().equals(Resources.AS_BELAY)) {
            return byTheLeader;
        }
        return running.limitHit(status).orElse(byTheLeader);
    }

    @Override
    public void released() {
        seal();
        bell.ring();
        registry.released(this);
    }

    private void seal() {
        try {
            log.seal();
        } finally {
            permit.close();
            sealed = true;
            clocks.stop();
        }
    }

    // --- the end ---

    HostProcess.Ended end(EndReason why, Duration grace) {
        HostProcess running = process();
        reason.compareAndSet(null, why);
        return running.end(grace);
    }

    /// Undoes an open that failed: as if the session had never been.
    void abandon() {
        HostProcess running = process;
        try {
            if (running != null) {
                reason.compareAndSet(null, EndReason.CLOSED);
                running.end(Duration.ZERO);
            }
        } finally {
            clocks.stop();
            permit.close();
            // Whoever is about to forget it, because its exit was heard, finds that done.
            forget();
        }
    }

    /// Somebody closes the session: nobody else needs to, unless it fails.
    void closing(boolean now) {
        closing = now;
    }

    boolean isClosing() {
        return closing;
    }

    /// Forgets the output of a session whose processes have ended.
    ///
    /// @return false if it was forgotten before
    boolean forget() {
        boolean first = closed.compareAndSet(false, true);
        if (first) {
            log.delete();
        }
        return first;
    }

    /// The session is gone. Said last: whoever sees it finds the id free and the files deleted.
    void gone() {
        state.set(SessionState.CLOSED);
        heard.complete(null);
        Clocks.cancel(retention);
        bell.ring();
    }

    /// The clock after which the exited session is forgotten.
    void retainUntil(Future<?> clock) {
        Clocks.cancel(retention);
        retention = clock;
        if (state() == SessionState.CLOSED) {
            Clocks.cancel(clock);
        }
    }

    // --- what others ask ---

    SessionState state() {
        return state.get();
    }

    @Nullable ExitStatus exit() {
        return exit;
    }

    /// Whether nothing more will ever be appended to the log.
    boolean sealed() {
        return sealed;
    }

    long lastOutputNanos() {
        return lastOutputNanos;
    }

    HostProcess process() {
        HostProcess running = process;
        if (running == null) {
            throw new SessionException(ErrorCode.UNAVAILABLE, "Session " + id + " is still starting; try again.");
        }
        heard.join();
        return running;
    }

    InputState inputState() {
        HostProcess running = process;
        if (running == null || state() == SessionState.STARTING) {
            // Not heard yet, so nobody may touch it.
            return InputState.UNKNOWN;
        }
        return exit != null ? InputState.NOBODY : running.inputState();
    }

    /// The drainer has moved: a process that waits for room may go on.
    void drained(long to) {
        log.hold(to);
        HostProcess running = process;
        if (paused && running != null && !log.full()) {
            paused = false;
            running.resume();
        }
    }

    SessionRecord record() {
        return record(state());
    }

    /// @param now the state, read before all that it says something about: the exit is set before it is "exited"
    SessionRecord record(SessionState now) {
        HostProcess running = process;
        boolean over = now == SessionState.EXITED || now == SessionState.CLOSED;
        ExitStatus ended = over ? exit : null;
        Size known = size;
        boolean held = now == SessionState.EXITED && !sealed;
        return new SessionRecord(
                id,
                spec.mode().backend(),
                spec.command().getFirst(),
                spec.command().subList(1, spec.command().size()),
                running == null ? spec.workdir() : running.workdir(),
                known == null ? null : known.cols(),
                known == null ? null : known.rows(),
                running == null ? 0 : running.pid(),
                spec.owner(),
                spec.labels(),
                startedAt,
                over ? endedAt : null,
                now,
                ended == null ? null : ended.code(),
                ended == null ? null : ended.signal().map(Signal::name).orElse(null),
                held && running != null ? running.survivors() : 0,
                log.start(),
                log.end(),
                startedAt.plusNanos(clocks.lastActivityNanos() - startedNanos),
                over ? reason.get() : null);
    }
}
