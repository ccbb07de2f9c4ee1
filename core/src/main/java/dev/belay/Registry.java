package dev.belay;

import dev.belay.host.Host;
import dev.belay.host.HostProcess;
import dev.belay.host.Uninterrupted;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Everything behind a [Sessions]: the table of sessions, the permits, the timer, the files.
///
/// It does not refer to its [Sessions], so that the garbage collector can find one that is dropped.
final class Registry {
    /// How long to wait before a failed end is tried again.
    static final Duration RETRY = Duration.ofSeconds(10);
    /// How often observers hear of output and of typing.
    private static final long REPORT_NANOS = 100_000_000;

    private final Host host;
    private volatile Limits limits;
    private volatile Resources resources;
    private volatile Isolation isolation;
    private final Environment environment;
    private final StateFolder state;
    private final List<Path> hidden;
    private final Observers observers;
    private final Permits permits;
    private final Time time;
    private final Timer timer;
    private final ConcurrentSkipListMap<SessionKey, LiveSession> sessions = new ConcurrentSkipListMap<>();
    private final Retention retention;
    /// Opening goes through the gate; closing shuts it, so no session can slip in after that.
    private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();
    private final Background background = new Background();
    private final CountDownLatch gone = new CountDownLatch(1);
    private final Thread hook;
    private final Counters counters = new Counters();
    private final Approvals approvals;
    private final int orphans;
    /// What is to be reported at the next turn, and whether there is one to come.
    private final ConcurrentLinkedQueue<Runnable> unreported = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean reporting = new AtomicBoolean();
    private volatile boolean shut;

    Registry(
            Host host,
            Limits limits,
            Resources resources,
            Isolation isolation,
            Environment environment,
            Path stateFolder,
            Time time,
            List<SessionObserver> observers) {
        this.host = host;
        this.limits = limits;
        this.resources = resources;
        this.isolation = isolation;
        this.environment = environment;
        this.hidden = List.of(stateFolder);
        AtomicInteger ended = new AtomicInteger();
        this.state = StateFolder.open(stateFolder, killed -> ended.set(host.endOrphans(killed)));
        this.orphans = ended.get();
        this.observers = new Observers(observers);
        this.permits = new Permits(limits.maxSessions(), this::leaked);
        this.time = time;
        this.timer = time.timer();
        this.retention = new Retention(this, timer);
        this.approvals = new Approvals(time, timer, new AnswerFile(stateFolder, host.workspace()));
        this.hook = Thread.ofPlatform().name("belay-shutdown").unstarted(this::shutDown);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    Host host() {
        return host;
    }

    Limits limits() {
        return limits;
    }

    void limits(Limits value) {
        limits = value;
        permits.limit(value.maxSessions());
    }

    void resources(Resources value) {
        resources = value;
    }

    void isolation(Isolation value) {
        isolation = value;
    }

    Approvals approvals() {
        return approvals;
    }

    Path folder() {
        return state.folder();
    }

    /// What no sandbox may show.
    List<Path> hidden() {
        return hidden;
    }

    String instance() {
        return state.instance();
    }

    Time time() {
        return time;
    }

    Timer timer() {
        return timer;
    }

    // --- open ---

    LiveSession open(SessionSpec asked) {
        SessionSpec spec = asked.resources(asked.resources().within(resources))
                .timeout(Resources.least(asked.timeout(), limits.timeout()))
                .guard(asked.guard()
                        .isolation(asked.guard().isolation().within(isolation))
                        .watched(asked.guard().watched() || approvals.settings().watch().contains(asked.origin())));
        try {
            gate.readLock().lock();
            try {
                return admit(spec);
            } finally {
                gate.readLock().unlock();
            }
        } catch (SessionException e) {
            counters.rejected.increment();
            post(observer -> observer.rejected(spec, e.code(), String.valueOf(e.getMessage())));
            throw e;
        }
    }

    private LiveSession admit(SessionSpec spec) {
        if (shut) {
            throw new SessionException(ErrorCode.UNAVAILABLE, "Belay is shutting down; no session can be opened.");
        }
        String id = spec.id() != null ? spec.id() : UUID.randomUUID().toString();
        SessionKey key = new SessionKey(id, spec.owner());
        requireFree(key);
        String guardedBy = spec.guard().none() ? "" : host.requireGuard(spec.guard(), hidden);
        Permit permit = permits.acquire();
        LiveSession live = null;
        boolean listed = false;
        boolean announced = false;
        boolean done = false;
        try {
            live = new LiveSession(this, id, spec, guardedBy, permit);
            if (sessions.putIfAbsent(key, live) != null) {
                throw alreadyExists(id);
            }
            listed = true;
            HostProcess process = host.spawn(live.launch(environment));
            live.spawned(process);
            SessionRecord record = live.record(SessionState.RUNNING);
            counters.opened.increment();
            post(observer -> observer.opened(record));
            announced = true;
            process.start(live);
            live.running();
            // After the process is heard. It may have exited already.
            live.clocks.start();
            done = true;
            return live;
        } finally {
            if (!done) {
                undo(live, permit, listed, announced);
            }
        }
    }

    /// Checked before a permit is acquired, so a request that cannot succeed does not keep others out.
    private void requireFree(SessionKey key) {
        if (sessions.containsKey(key)) {
            throw alreadyExists(key.id());
        }
    }

    private static SessionException alreadyExists(String id) {
        return new SessionException(
                ErrorCode.ALREADY_EXISTS, "Session " + id + " already exists; close it, or choose another id.");
    }

    private void undo(@Nullable LiveSession live, Permit permit, boolean listed, boolean announced) {
        try {
            if (live != null) {
                // Its exit may be reported now, but it must not be retained.
                live.closing(true);
                live.abandon();
            }
        } finally {
            permit.close();
            if (listed && live != null) {
                sessions.remove(new SessionKey(live), live);
            }
            if (live != null && announced) {
                gone(live);
            } else if (live != null) {
                live.gone();
            }
        }
    }

    // --- know ---

    @Nullable LiveSession find(String id, String owner) {
        return sessions.get(new SessionKey(id, owner));
    }

    /// The sessions with an id, one per owner.
    Collection<LiveSession> named(String id) {
        return sessions.subMap(new SessionKey(id, ""), new SessionKey(id + "\0", "")).values();
    }

    Collection<LiveSession> all() {
        return sessions.values();
    }

    Stats stats() {
        return counters.stats(permits, sessions.size(), observers.dropped(), orphans, host.loop());
    }

    Counters counters() {
        return counters;
    }

    // --- what sessions report, on the host's loop ---

    void addObserver(SessionObserver observer) {
        observers.add(observer);
    }

    void removeObserver(SessionObserver observer) {
        observers.remove(observer);
    }

    boolean observed() {
        return !observers.none();
    }

    /// Tells the observers without waiting for them.
    ///
    /// @return false if the event was dropped
    boolean post(Consumer<SessionObserver> event) {
        return observers.post(event);
    }

    /// Has something be reported to the observers soon, together with what others report.
    void reportSoon(Runnable report) {
        unreported.add(report);
        if (reporting.compareAndSet(false, true)) {
            boolean scheduled = false;
            try {
                var _ = timer.in(REPORT_NANOS, this::reportAll);
                scheduled = true;
            } finally {
                if (!scheduled) {
                    // The next session tries again.
                    reporting.set(false);
                }
            }
        }
    }

    private void reportAll() {
        // First: what is added from here on asks for another turn.
        reporting.set(false);
        for (Runnable next = unreported.poll(); next != null; next = unreported.poll()) {
            next.run();
        }
    }

    void exited(LiveSession live) {
        post(observer -> observer.exited(live.record()));
    }

    /// Nothing more will be printed. The session stays readable for a while.
    void released(LiveSession live) {
        retention.keep(live);
    }

    /// Closes exited sessions whose retention is over.
    void forget(List<LiveSession> exited) {
        if (!shut) {
            background.run("forget exited sessions", () -> closeEach(exited, EndReason.CLOSED));
        }
    }

    private void leaked(String what) {
        counters.leaked.increment();
        post(observer -> observer.leaked(what));
    }

    Background background() {
        return background;
    }

    // --- close ---

    Closed close(LiveSession live, EndReason why, Duration grace) {
        boolean released = live.sealed();
        live.closing(true);
        try {
            return finish(live, why, grace);
        } finally {
            if (live.state() != SessionState.CLOSED) {
                live.closing(false);
                if (released) {
                    retention.keepOn(live);
                } else if (live.sealed()) {
                    retention.keep(live);
                }
            }
        }
    }

    private Closed finish(LiveSession live, EndReason why, Duration grace) {
        HostProcess.Ended ended = live.end(why, grace);
        if (live.exit() == null) {
            throw new SessionException(
                    ErrorCode.INTERNAL,
                    "Session " + live.id + " could not be ended and is kept: " + String.join("; ", ended.left()));
        }
        if (live.forget()) {
            sessions.remove(new SessionKey(live), live);
            gone(live);
        }
        if (!ended.left().isEmpty()) {
            throw new SessionException(
                    ErrorCode.INTERNAL,
                    "Session " + live.id + " is closed, but some of its processes could not be ended: "
                            + String.join("; ", ended.left()));
        }
        return new Closed(live.exit(), ended.ended(), ended.killed(), ended.proven());
    }

    private void gone(LiveSession live) {
        live.gone();
        counters.closed.increment();
        post(observer -> observer.closed(live.record()));
    }

    /// Closes every session and releases everything. A second caller waits for the first.
    void closeAll() {
        if (!shutGate()) {
            Uninterrupted.run(gone::await);
            return;
        }
        Failures failures = new Failures();
        try {
            closeEach(List.copyOf(sessions.values()), EndReason.SHUTDOWN, failures);
            failures.attempt(timer::close);
            // A thread that ends a session whose time was up may not have seen its end yet, and needs the host for it.
            background.join();
            failures.attempt(host::close);
            failures.attempt(this::closeState);
            failures.attempt(this::unhook);
        } finally {
            gone.countDown();
        }
        failures.report();
    }

    /// Waits for opens in progress and lets no more through.
    ///
    /// @return false if the gate was already shut
    private boolean shutGate() {
        gate.writeLock().lock();
        try {
            boolean first = !shut;
            shut = true;
            return first;
        } finally {
            gate.writeLock().unlock();
        }
    }

    /// Closes sessions in parallel. One that fails does not stop the rest. One that is still starting is left to its
    /// opener.
    private void closeEach(Collection<LiveSession> targets, EndReason why, Failures failures) {
        List<Thread> closers = new ArrayList<>();
        for (LiveSession live : targets) {
            if (live.state() == SessionState.STARTING) {
                continue;
            }
            closers.add(Thread.ofVirtual().name("belay close " + live.id).start(
                    () -> failures.attempt(() -> close(live, why, limits.closeGrace()))));
        }
        Background.join(closers);
    }

    /// Closes sessions in parallel and reports all failures as one.
    void closeEach(Collection<LiveSession> targets, EndReason why) {
        Failures failures = new Failures();
        closeEach(targets, why, failures);
        failures.report();
    }

    private void closeState() {
        try {
            state.close();
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.INTERNAL, "The state folder could not be cleaned up: " + e, Map.of(), e);
        }
    }

    private void unhook() {
        if (Thread.currentThread().equals(hook)) {
            return;
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // The JVM is shutting down: the hook runs and waits for this close.
        }
    }

    private void shutDown() {
        try {
            closeAll();
        } catch (RuntimeException e) {
            Log.LOG.log(System.Logger.Level.WARNING, "could not close all sessions at shutdown", e);
        }
    }

    /// The [Sessions] of this registry was dropped without being closed.
    void dropped() {
        if (!shut) {
            leaked("a Sessions was dropped without being closed; its sessions are closed now");
            // Not in the background set, because closing waits for that.
            Background.thread("close a dropped Sessions", this::closeAll).start();
        }
    }
}
