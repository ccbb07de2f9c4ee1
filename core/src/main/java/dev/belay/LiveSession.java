package dev.belay;

import dev.belay.host.ExecRequest;
import dev.belay.host.HostProcess;
import dev.belay.host.Launch;
import dev.belay.host.ProcessListener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// One session from open to close: its log, keyboard and clocks, and its [Lifecycle], which the host moves forward.
///
/// The listener's methods run on the host's loop and never block.
final class LiveSession implements ProcessListener {
    final String id;
    /// `instance/id/life`: unlike the id, it is never used again. All processes of the session carry it as their mark.
    final String identity;
    final SessionSpec spec;
    final FileLog log;
    final Doorbell bell = new Doorbell();
    final Keyboard keyboard;
    final Inputs inputs;
    final Typing typing = new Typing();
    final SessionAnswers answers = new SessionAnswers();
    /// The cursor behind [Session#drainer()].
    final Cursor drainer;
    final Clocks clocks;

    private final Registry registry;
    /// Its restrictions; null if there are none.
    private final @Nullable Guarded guarded;
    private final String guardedBy;
    private final Permit permit;
    private final Time time;
    private final Instant startedAt;
    private final long startedNanos;
    private final Lifecycle lifecycle = new Lifecycle();
    /// Completes when the opener is done with the process. Until then nobody else may end it, or the opener would hand
    /// closed descriptors to the loop.
    private final CompletableFuture<?> heard = new CompletableFuture<>();
    private final UnannouncedOutput unannounced;
    private final OutputReports reports = new OutputReports(this);

    private volatile @Nullable HostProcess process;
    private volatile @Nullable Size size;
    private volatile boolean paused;
    private volatile long lastOutputNanos;
    private volatile @Nullable Future<?> retention;

    /// @param guardedBy what keeps its guard; empty if it has none
    LiveSession(Registry registry, String id, SessionSpec spec, String guardedBy, Permit permit) {
        this.registry = registry;
        this.time = registry.time();
        this.startedAt = time.now();
        this.startedNanos = time.nanos();
        this.lastOutputNanos = startedNanos;
        this.id = id;
        // Random, because the id is free again after a close while processes and clients may still know it.
        String life = Long.toString(ThreadLocalRandom.current().nextLong(1L << 50), Character.MAX_RADIX);
        this.identity = registry.instance() + "/" + id + "/" + life;
        this.spec = spec;
        this.guarded = spec.guard().none() ? null : Guarded.of(spec.guard(), guardedBy);
        this.guardedBy = guardedBy;
        this.permit = permit;
        Duration idle = spec.idleTimeout() != null ? spec.idleTimeout() : registry.limits().idleTimeout();
        this.clocks = new Clocks(time, registry.timer(), spec.timeout(), idle, this::expire);
        this.log = new FileLog(registry.folder(), id + "." + life, registry.limits().logBytes());
        this.unannounced = new UnannouncedOutput(log, bell);
        this.inputs = new Inputs(id);
        this.keyboard = new Keyboard(id, log, bell, registry.timer(), this::keyboardChanged);
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

    /// What the host has to start.
    Launch launch(Environment base) {
        Environment given = spec.guard().isolation().sandboxed() ? base.inSandbox() : base;
        Map<String, String> env = new HashMap<>(given.variables());
        if (spec.mode() instanceof Mode.Pty) {
            env.put("TERM", "xterm-256color");
        }
        env.putAll(spec.env());
        env.put("BELAY_SESSION", identity);
        return new Launch(identity, spec.command(), spec.workdir(), env, spec.mode(), spec.resources(), spec.guard(),
                guardedBy, registry.hidden(), spec.startUp());
    }

    /// The process exists, but nobody listens to it yet.
    void spawned(HostProcess started) {
        process = started;
    }

    /// The opener is done: from now on anybody may end the process. It may have exited already.
    void running() {
        lifecycle.running();
        heard.complete(null);
    }

    private void keyboardChanged(@Nullable String holder, boolean isPrivate) {
        registry.post(observer -> observer.keyboard(spec.owner(), id, holder, isPrivate));
    }

    /// An actor has typed, on its own thread.
    void typed(Actor actor, long bytes) {
        if (!typing.add(actor, bytes, time.now())) {
            return;
        }
        if (exit() == null) {
            registry.reportSoon(this::reportTyping);
        } else {
            // The program took its last input and exited before this thread came to count it.
            reportTyping();
        }
    }

    private void reportTyping() {
        if (!(registry.observed() && registry.post(typing.report(spec.owner(), id)))) {
            typing.take();
        }
    }

    private void expire(EndReason why) {
        registry.background().run("end " + id, () -> {
            if (why == EndReason.IDLE_TIMEOUT && serves()) {
                clocks.goOn();
                return;
            }
            try {
                end(why, registry.limits().closeGrace());
            } finally {
                if (!sealed()) {
                    // Perhaps there were no descriptors left. A session whose time is up does not get away with that.
                    clocks.again(why);
                }
            }
        });
    }

    /// Whether it is an agent's session that listens on a port: a server that nobody asks is in use all the same.
    private boolean serves() {
        HostProcess running = process;
        return spec.origin() == Origin.AGENT && running != null && exit() == null && running.listens();
    }

    // --- what the process does, on the host's loop ---

    @Override
    public boolean output(ByteBuffer bytes, Outlet outlet) {
        int count = bytes.remaining();
        registry.counters().logged(count, unannounced.append(bytes, outlet));
        long now = time.nanos();
        lastOutputNanos = now;
        clocks.touch(now);
        if (log.full()) {
            paused = true;
            // The drainer may have made room just before that line, and seen nothing to resume.
            if (log.full()) {
                return false;
            }
            // It stays marked as paused: another port may be, and resuming needlessly does no harm.
        }
        return true;
    }

    @Override
    public void announce() {
        unannounced.announce();
        if (registry.observed()) {
            reports.output();
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
        // Whatever fails here, perhaps because memory has run out, the permit comes back and the exit is published.
        try {
            lifecycle.because(reasonOf(status));
            keyboard.retire();
            lifecycle.endedAt(time.now());
        } finally {
            publishExit(status, held);
        }
        // Before the exit, so that no observer hears of it later.
        reports.flush();
        if (typing.isUntold()) {
            reportTyping();
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
            lifecycle.exited(status, held);
            bell.ring();
        }
    }

    @Override
    public void executing(ExecRequest request) {
        Thread.ofVirtual().name("belay-exec " + id).start(() -> registry.approvals().handle(this, request));
    }

    private EndReason reasonOf(ExitStatus status) {
        HostProcess running = process;
        EndReason byTheLeader = spec.resources().reasonOf(status);
        if (byTheLeader != EndReason.EXIT || running == null || spec.resources().asBelay()) {
            return byTheLeader;
        }
        return running.limitHit(status).orElse(byTheLeader);
    }

    @Override
    public void released() {
        if (sealed()) {
            return;
        }
        try {
            seal();
        } finally {
            lifecycle.sealed();
        }
        bell.ring();
        reports.flush();
        registry.released(this);
    }

    /// Tells the observers of output.
    ///
    /// @param heard called before the first of them is told
    /// @return false if the event was dropped
    boolean postOutput(Runnable heard) {
        return registry.post(observer -> {
            heard.run();
            observer.output(spec.owner(), id, log.end());
        });
    }

    Registry registry() {
        return registry;
    }

    private void seal() {
        try {
            log.seal();
        } finally {
            permit.close();
            clocks.stop();
        }
    }

    // --- the end ---

    HostProcess.Ended end(EndReason why, Duration grace) {
        HostProcess running = process();
        lifecycle.because(why);
        registry.approvals().withdraw(this);
        return running.end(grace);
    }

    /// Undoes an open that failed, as if the session had never existed.
    void abandon() {
        HostProcess running = process;
        try {
            if (running != null) {
                lifecycle.because(EndReason.CLOSED);
                running.end(Duration.ZERO);
            }
        } finally {
            clocks.stop();
            permit.close();
            // If its exit was reported, another thread may be about to forget it. Only the first one does.
            forget();
        }
    }

    /// Says whether somebody is closing the session, so that nobody else needs to.
    void closing(boolean now) {
        lifecycle.closing(now);
    }

    boolean isClosing() {
        return lifecycle.isClosing();
    }

    /// Deletes the output of a session whose processes have ended.
    ///
    /// @return false if another thread has done that, or is doing it
    boolean forget() {
        boolean first = lifecycle.leaving();
        if (first) {
            log.delete();
        }
        return first;
    }

    /// The session is gone. This comes last: by now the id is free and the files are deleted.
    void gone() {
        lifecycle.closed();
        heard.complete(null);
        Timer.cancel(retention);
        bell.ring();
    }

    /// Sets the timer after which the exited session is forgotten.
    void retainUntil(Future<?> clock) {
        Timer.cancel(retention);
        retention = clock;
        if (state() == SessionState.CLOSED) {
            Timer.cancel(clock);
        }
    }

    // --- approvals ---

    /// Somebody is asked about one of its programs.
    void asked() {
        answers.asked();
        clocks.touch();
        bell.ring();
    }

    /// A question is closed.
    void answered() {
        clocks.touch();
        bell.ring();
    }

    // --- what others ask ---

    OutputTap.Open tap(OutputTap tap, Actor actor) {
        Clocks.Busy busy = clocks.busy(actor);
        bell.add(tap);
        AtomicBoolean closed = new AtomicBoolean();
        return () -> {
            if (closed.compareAndSet(false, true)) {
                bell.remove(tap);
                busy.close();
            }
        };
    }

    SessionState state() {
        return lifecycle.state();
    }

    @Nullable ExitStatus exit() {
        return lifecycle.exit();
    }

    long nanos() {
        return time.nanos();
    }

    Deadline in(Duration duration) {
        return Deadline.in(time, duration);
    }

    Deadline at(long nanos) {
        return Deadline.at(time, nanos);
    }

    /// Whether the leader has exited and nothing more will be appended to the log.
    boolean sealed() {
        return lifecycle.isSealed();
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

    /// Why nothing can be typed into it.
    SessionException notWritable() {
        return new SessionException(
                ErrorCode.NOT_WRITABLE,
                "Session " + id + " is no longer writable: "
                        + (exit() == null
                                ? "its input is closed."
                                : "it has exited. Read the rest of its output."));
    }

    /// Whether [#process()] returns without waiting.
    boolean isHeard() {
        return process != null && heard.isDone();
    }

    InputState inputState() {
        HostProcess running = process;
        if (running == null || state() == SessionState.STARTING) {
            // Its opener is not done with it.
            return InputState.UNKNOWN;
        }
        return exit() != null ? InputState.NOBODY : running.inputState();
    }

    /// The drainer has moved: a process that waits for room may continue.
    void drainerMoved(long to) {
        log.hold(to);
        HostProcess running = process;
        if (paused && running != null && !log.full()) {
            paused = false;
            running.resume();
        }
    }

    int survivors() {
        HostProcess running = process;
        return running == null || state() != SessionState.EXITED ? 0 : running.survivors();
    }

    SessionRecord record() {
        return record(state());
    }

    /// @param now the state, which is read before everything that depends on it
    SessionRecord record(SessionState now) {
        HostProcess running = process;
        boolean over = now == SessionState.EXITED || now == SessionState.CLOSED;
        ExitStatus ended = over ? exit() : null;
        Size known = size;
        boolean held = now == SessionState.EXITED && !sealed();
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
                spec.origin(),
                spec.keep(),
                startedAt,
                over ? lifecycle.endedAt() : null,
                now,
                ended == null ? null : ended.code(),
                ended == null ? null : ended.signal().map(Signal::name).orElse(null),
                held && running != null ? running.survivors() : 0,
                log.start(),
                log.end(),
                startedAt.plusNanos(clocks.lastActivityNanos() - startedNanos),
                over ? lifecycle.reason() : null,
                guarded == null
                        ? null
                        : guarded.now(
                                guarded.watched() ? registry.approvals().pending(this).size() : 0,
                                over && running != null ? running.changed() : List.of()));
    }
}
