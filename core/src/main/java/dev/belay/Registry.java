package dev.belay;

import dev.belay.host.Host;
import dev.belay.host.HostProcess;
import dev.belay.host.Launch;
import dev.belay.host.Uninterrupted;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What stands behind a [Sessions]: the table of sessions, the permits, the timer, the files.
///
/// It does not know its [Sessions], so that one which is dropped can be found by the garbage collector.
final class Registry {
    /// When an end that failed is tried again.
    static final Duration RETRY = Duration.ofSeconds(10);

    private final Host host;
    private volatile Limits limits;
    private volatile Resources resources;
    private final Environment environment;
    private final StateFolder state;
    private final Observers observers;
    private final Permits permits;
    private final ScheduledThreadPoolExecutor timer;
    private final ConcurrentSkipListMap<String, Life> lives = new ConcurrentSkipListMap<>();
    private final Retention retention;
    /// Opening goes through the gate; closing shuts it, so that no session can slip in behind.
    private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();
    /// What runs away from the timer and the loop now; closing waits for it.
    private final Set<Thread> background = ConcurrentHashMap.newKeySet();
    private final CountDownLatch gone = new CountDownLatch(1);
    private final Thread hook;
    private final LongAdder opened = new LongAdder();
    private final LongAdder closed = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder leaked = new LongAdder();
    private final LongAdder bytesLogged = new LongAdder();
    private final LongAdder bytesTaken = new LongAdder();
    private final LongAdder bytesUnstored = new LongAdder();
    private final int orphans;
    private volatile boolean shut;

    Registry(
            Host host,
            Limits limits,
            Resources resources,
            Environment environment,
            Path stateFolder,
            List<SessionObserver> observers) {
        this.host = host;
        this.limits = limits;
        this.resources = resources;
        this.environment = environment;
        AtomicInteger ended = new AtomicInteger();
        this.state = StateFolder.open(stateFolder, killed -> ended.set(host.endOrphans(killed)));
        this.orphans = ended.get();
        this.observers = new Observers(observers);
        this.permits = new Permits(limits.maxSessions(), this::leaked);
        this.timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("belay-timer").factory());
        timer.setRemoveOnCancelPolicy(true);
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        this.retention = new Retention(this, timer);
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

    Path folder() {
        return state.folder();
    }

    String instance() {
        return state.instance();
    }

    ScheduledThreadPoolExecutor timer() {
        return timer;
    }

    // --- open ---

    Life open(SessionSpec asked) {
        SessionSpec spec = asked.resources(asked.resources().within(resources))
                .timeout(Resources.least(asked.timeout(), limits.timeout()));
        try {
            gate.readLock().lock();
            try {
                return admit(spec);
            } finally {
                gate.readLock().unlock();
            }
        } catch (SessionException e) {
            rejected.increment();
            post(observer -> observer.rejected(spec, e.code(), String.valueOf(e.getMessage())));
            throw e;
        }
    }

    private Life admit(SessionSpec spec) {
        if (shut) {
            throw new SessionException(ErrorCode.UNAVAILABLE, "Belay is shutting down; no session can be opened.");
        }
        String id = spec.id() != null ? spec.id() : UUID.randomUUID().toString();
        requireFree(id);
        Permit permit = permits.acquire();
        Life life = null;
        boolean listed = false;
        boolean announced = false;
        boolean done = false;
        try {
            life = new Life(this, id, spec, permit);
            if (lives.putIfAbsent(id, life) != null) {
                throw taken(id);
            }
            listed = true;
            HostProcess process = host.spawn(launch(id, spec));
            life.spawned(process);
            SessionRecord record = life.record(SessionState.RUNNING);
            opened.increment();
            post(observer -> observer.opened(record));
            announced = true;
            process.start(life);
            life.running();
            // After the process is heard: its exit may have come already.
            life.clocks.start();
            done = true;
            return life;
        } finally {
            if (!done) {
                undo(life, permit, listed, announced);
            }
        }
    }

    /// Said before a permit is taken: a request that cannot succeed costs nobody else theirs.
    private void requireFree(String id) {
        if (lives.containsKey(id)) {
            throw taken(id);
        }
    }

    private static SessionException taken(String id) {
        return new SessionException(
                ErrorCode.ALREADY_EXISTS, "Session " + id + " exists already; close it, or choose another id.");
    }

    private void undo(@Nullable Life life, Permit permit, boolean listed, boolean announced) {
        try {
            if (life != null) {
                // Its exit may be heard now: it is not to be kept.
                life.closing(true);
                life.abandon();
            }
        } finally {
            permit.close();
            if (listed && life != null) {
                lives.remove(life.id, life);
            }
            if (life != null && announced) {
                gone(life);
            } else if (life != null) {
                life.gone();
            }
        }
    }

    private Launch launch(String id, SessionSpec spec) {
        String mark = instance() + "/" + id;
        Map<String, String> env = new HashMap<>(environment.variables());
        if (spec.mode() instanceof Mode.Pty) {
            env.put("TERM", "xterm-256color");
        }
        env.putAll(spec.env());
        env.put("BELAY_SESSION", mark);
        return new Launch(mark, spec.command(), spec.workdir(), env, spec.mode(), spec.resources());
    }

    // --- know ---

    @Nullable Life find(String id) {
        return lives.get(id);
    }

    Collection<Life> all() {
        return lives.values();
    }

    Stats stats() {
        return new Stats(
                permits.used(),
                permits.limit(),
                lives.size(),
                opened.sum(),
                closed.sum(),
                rejected.sum(),
                leaked.sum(),
                bytesLogged.sum(),
                bytesTaken.sum(),
                bytesUnstored.sum(),
                observers.dropped(),
                orphans,
                host.loop());
    }

    /// A session took input; on the writer's thread.
    void taken(int bytes) {
        bytesTaken.add(bytes);
    }

    // --- what lives report, on the host's loop ---

    void logged(long bytes, long unstored) {
        bytesLogged.add(bytes);
        if (unstored > 0) {
            bytesUnstored.add(unstored);
        }
    }

    boolean observed() {
        return !observers.none();
    }

    /// Tells the observers, without waiting for them.
    ///
    /// @return false if the event was dropped
    boolean post(Consumer<SessionObserver> event) {
        return observers.post(event);
    }

    void exited(Life life) {
        post(observer -> observer.exited(life.record()));
    }

    /// A session has ended for good; it stays readable for a while.
    void released(Life life) {
        retention.keep(life);
    }

    /// Closes exited sessions that were kept as long as they may be.
    void forget(List<Life> exited) {
        if (!shut) {
            background("forget exited sessions", () -> closeEach(exited, EndReason.CLOSED));
        }
    }

    private void leaked(String what) {
        leaked.increment();
        post(observer -> observer.leaked(what));
    }

    /// Runs something that may take a while away from the timer and the loop.
    void background(String what, Runnable task) {
        Thread thread = thread(what, () -> {
            try {
                task.run();
            } finally {
                background.remove(Thread.currentThread());
            }
        });
        background.add(thread);
        thread.start();
    }

    private static Thread thread(String what, Runnable task) {
        return Thread.ofVirtual().name("belay " + what).unstarted(() -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                Log.LOG.log(System.Logger.Level.WARNING, "could not " + what, e);
            }
        });
    }

    // --- close ---

    Closed close(Life life, EndReason why, Duration grace) {
        boolean released = life.sealed();
        life.closing(true);
        try {
            return finish(life, why, grace);
        } finally {
            if (life.state() != SessionState.CLOSED) {
                life.closing(false);
                if (released) {
                    retention.keepOn(life);
                } else if (life.sealed()) {
                    retention.keep(life);
                }
            }
        }
    }

    private Closed finish(Life life, EndReason why, Duration grace) {
        HostProcess.Ended ended = life.end(why, grace);
        if (life.exit() == null) {
            throw new SessionException(
                    ErrorCode.INTERNAL,
                    "Session " + life.id + " could not be ended, it is kept: " + String.join("; ", ended.left()));
        }
        if (life.forget()) {
            lives.remove(life.id, life);
            gone(life);
        }
        if (!ended.left().isEmpty()) {
            throw new SessionException(
                    ErrorCode.INTERNAL,
                    "Session " + life.id + " is closed, but some of its processes could not be ended: "
                            + String.join("; ", ended.left()));
        }
        return new Closed(life.exit(), ended.killed());
    }

    private void gone(Life life) {
        life.gone();
        closed.increment();
        post(observer -> observer.closed(life.record()));
    }

    /// Closes every session and gives everything back. The second caller waits for the first.
    void closeAll() {
        if (!shutGate()) {
            Uninterrupted.run(gone::await);
            return;
        }
        Failures failures = new Failures();
        try {
            closeEach(List.copyOf(lives.values()), EndReason.SHUTDOWN, failures);
            failures.attempt(timer::close);
            // Whoever ends a session whose time was up has not heard yet that it is over, and needs the host to see it.
            join(background);
            failures.attempt(host::close);
            failures.attempt(this::closeState);
            failures.attempt(this::unhook);
        } finally {
            gone.countDown();
        }
        failures.report();
    }

    /// Waits for opens that are under way and lets no more through.
    ///
    /// @return false if the gate was shut before
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

    /// Closes sessions side by side; one that fails does not stop the rest. One that is still starting is not yet
    /// anybody's session: its opener finishes it.
    private void closeEach(Collection<Life> targets, EndReason why, Failures failures) {
        List<Thread> closers = new ArrayList<>();
        for (Life life : targets) {
            if (life.state() == SessionState.STARTING) {
                continue;
            }
            closers.add(Thread.ofVirtual().name("belay close " + life.id).start(
                    () -> failures.attempt(() -> close(life, why, limits.closeGrace()))));
        }
        join(closers);
    }

    private static void join(Collection<Thread> threads) {
        threads.forEach(thread -> Uninterrupted.run(thread::join));
    }

    /// Closes sessions side by side and reports every failure as one.
    void closeEach(Collection<Life> targets, EndReason why) {
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
            // The JVM is shutting down: the hook runs, and waits for this close to be done.
        }
    }

    private void shutDown() {
        try {
            closeAll();
        } catch (RuntimeException e) {
            Log.LOG.log(System.Logger.Level.WARNING, "sessions were left at shutdown", e);
        }
    }

    /// The [Sessions] of this registry was dropped without being closed.
    void dropped() {
        if (!shut) {
            leaked("a Sessions was dropped without being closed; its sessions are closed now");
            // Not one of those that closing waits for.
            thread("close a dropped Sessions", this::closeAll).start();
        }
    }
}
