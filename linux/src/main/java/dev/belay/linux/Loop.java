package dev.belay.linux;

import dev.belay.Deadline;
import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.host.LoopStats;
import dev.belay.host.Uninterrupted;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/// The one thread that owns all terminals, pipes and exits. It waits in `epoll_wait`, never blocks elsewhere and never
/// runs users' code.
///
/// Events carry an id that is never reused, not the descriptor's number, which the kernel reuses at once. So an event
/// for a source that is gone finds nothing.
final class Loop implements AutoCloseable {
    private static final int MAX_EVENTS = 256;
    static final int BUFFER_BYTES = 64 << 10;
    private static final long WAKE = 0;
    private static final int FOR_EVER = -1;
    private static final long REST_NANOS = 10_000_000;
    /// How long killed leaders may take to die when the loop stops. They die at once unless the kernel is stuck.
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(5);
    private static final int STOP_TURN_MILLIS = 100;

    private final Abi abi = Abi.current();
    private final Arena arena = Arena.ofShared();
    private final int epoll;
    private final Fd wake;
    private final ConcurrentHashMap<Long, Source> sources = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong(WAKE);
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
    /// Sources that asked for a turn without an event. Loop only.
    private final ArrayDeque<Source> again = new ArrayDeque<>();
    /// Loop only.
    private boolean restNext;
    private final TurnTimes times = new TurnTimes();
    private final Thread thread;
    private volatile boolean stopping;
    /// The thread has ended, so commands posted from now on never run.
    private volatile boolean stopped;

    /// For calls on the loop's thread only.
    final Libc libc = new Libc(arena);
    /// For reads on the loop's thread only.
    final MemorySegment buffer = arena.allocate(BUFFER_BYTES);
    final ByteBuffer bytes = buffer.asByteBuffer();

    /// Something the loop waits for.
    interface Source {
        /// Does one step of work on the loop's thread, for example one read.
        ///
        /// @param events what epoll reported; 0 for a turn requested with [#again]
        void ready(int events);

        /// [#ready] threw an exception; the source must release everything it holds.
        void failed(Throwable cause);

        /// The loop is about to stop and this source is still here. It ends its process by force.
        ///
        /// @return whether the loop should wait for that
        default boolean stop() {
            return false;
        }
    }

    Loop() {
        epoll = must("epoll_create1", libc.epollCreate());
        wake = new Fd(must("eventfd", libc.eventfd(), epoll));
        int added = control(libc, arena, Abi.EPOLL_CTL_ADD, wake.number(), Abi.EPOLLIN, WAKE);
        must("epoll_ctl", added, epoll, wake.number());
        thread = Thread.ofPlatform().daemon().name("belay-loop").start(this::run);
    }

    /// @param opened the descriptors to close if the call failed
    private int must(String call, int result, int... opened) {
        if (result < 0) {
            for (int fd : opened) {
                libc.close(fd);
            }
            arena.close();
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "The host cannot start: " + call + ": " + Errno.text(-result) + ".");
        }
        return result;
    }

    // --- for any thread ---

    /// A new id for a source. The source must know it before it is added, since its first event may come at once.
    long newId() {
        return ids.incrementAndGet();
    }

    /// Starts to wait for events of a descriptor.
    ///
    /// @return 0, or the negated error number
    int add(Libc caller, Arena callers, long id, int fd, int events, Source source) {
        sources.put(id, source);
        int result = control(caller, callers, Abi.EPOLL_CTL_ADD, fd, events, id);
        if (result < 0) {
            sources.remove(id);
        }
        return result;
    }

    /// Runs a command on the loop's thread; after [#close] it never runs.
    void post(Runnable command) {
        commands.add(command);
        if (!Thread.currentThread().equals(thread)) {
            ring();
        }
    }

    /// Runs a command on the loop's thread and waits for its result. Interrupts do not cut the wait short.
    <T> T call(Supplier<T> command) {
        if (Thread.currentThread().equals(thread)) {
            return command.get();
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        post(() -> {
            try {
                result.complete(command.get());
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        if (stopped) {
            result.completeExceptionally(new SessionException(ErrorCode.UNAVAILABLE, "The host is closed."));
        }
        try {
            return result.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private void ring() {
        try (Arena once = Arena.ofConfined()) {
            Libc caller = new Libc(once);
            if (wake.acquire()) {
                try {
                    caller.write(wake.number(), once.allocateFrom(ValueLayout.JAVA_LONG, 1), Long.BYTES);
                } finally {
                    wake.release(caller);
                }
            }
        }
    }

    // --- for the loop's thread ---

    int add(long id, int fd, int events, Source source) {
        return add(libc, arena, id, fd, events, source);
    }

    int modify(int fd, int events, long id) {
        return control(libc, arena, Abi.EPOLL_CTL_MOD, fd, events, id);
    }

    void remove(int fd, long id) {
        sources.remove(id);
        control(libc, arena, Abi.EPOLL_CTL_DEL, fd, 0, id);
    }

    /// Gives a source another turn after all others have had theirs.
    void again(Source source) {
        again.add(source);
    }

    /// A source lacks something that it needs, such as memory, and its event will come again at once. The loop pauses
    /// for a moment so that this does not become a busy wait.
    void restAfterTurn() {
        restNext = true;
    }

    private static void rest() {
        LockSupport.parkNanos(REST_NANOS);
    }

    private MemorySegment ownEvent = MemorySegment.NULL;

    private int control(Libc caller, Arena callers, int operation, int fd, int events, long id) {
        MemorySegment event;
        if (callers.equals(arena)) {
            if (ownEvent.address() == 0) {
                ownEvent = arena.allocate(abi.epollEventBytes());
            }
            event = ownEvent;
        } else {
            event = callers.allocate(abi.epollEventBytes());
        }
        event.set(ValueLayout.JAVA_INT_UNALIGNED, 0, events);
        event.set(ValueLayout.JAVA_LONG_UNALIGNED, abi.epollDataOffset(), id);
        return caller.epollCtl(epoll, operation, fd, event);
    }

    private void run() {
        MemorySegment events = arena.allocate((long) MAX_EVENTS * abi.epollEventBytes());
        while (!stopping) {
            guardedTurns(events, FOR_EVER);
        }
        letGo(events);
        runCommands();
    }

    /// Kills the leaders that are still there when the loop stops and closes all descriptors. These sessions could not
    /// be closed, perhaps for lack of memory, and nothing else will clean them up.
    private void letGo(MemorySegment events) {
        Deadline last = Deadline.in(STOP_PATIENCE);
        while (stopEach() && !last.passed()) {
            guardedTurns(events, STOP_TURN_MILLIS);
        }
        IllegalStateException cause = new IllegalStateException("the host is closed");
        sources.values().forEach(source -> failed(source, cause));
    }

    private boolean stopEach() {
        boolean wait = false;
        for (Source source : sources.values()) {
            wait |= source.stop();
        }
        return wait;
    }

    private void guardedTurns(MemorySegment events, int timeoutMillis) {
        try {
            turns(events, timeoutMillis);
        } catch (RuntimeException | Error e) {
            // Whatever it is, the sessions need their loop. Pause, because the next turn may fail too.
            complain("turn of the loop failed", e);
            rest();
        }
    }

    /// Waits for events and gives each source that is ready one turn.
    private void turns(MemorySegment events, int timeoutMillis) {
        int count = libc.epollWait(epoll, events, MAX_EVENTS, again.isEmpty() ? timeoutMillis : 0);
        if (count < 0) {
            throw new IllegalStateException("epoll_wait: " + Errno.text(-count));
        }
        long began = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long at = (long) i * abi.epollEventBytes();
            long id = events.get(ValueLayout.JAVA_LONG_UNALIGNED, at + abi.epollDataOffset());
            if (id == WAKE) {
                libc.read(wake.number(), buffer, Long.BYTES);
            } else {
                Source source = sources.get(id);
                if (source != null) {
                    turn(source, events.get(ValueLayout.JAVA_INT_UNALIGNED, at));
                }
            }
        }
        for (int left = again.size(); left > 0; left--) {
            turn(again.remove(), 0);
        }
        runCommands();
        times.add(began, System.nanoTime());
        if (restNext) {
            restNext = false;
            rest();
        }
    }

    LoopStats stats() {
        return times.stats();
    }

    private void turn(Source source, int events) {
        try {
            source.ready(events);
        } catch (RuntimeException | Error e) {
            complain("session failed; the others continue", e);
            failed(source, e);
        }
    }

    private static void failed(Source source, Throwable cause) {
        try {
            source.failed(cause);
        } catch (RuntimeException | Error e) {
            complain("cannot release a failed session", e);
        }
    }

    private static void complain(String what, Throwable cause) {
        try {
            Log.LOG.log(System.Logger.Level.ERROR, what, cause);
        } catch (RuntimeException | Error _) {
            // No memory to log either, or the application's logger fails. The sessions need their loop.
        }
    }

    private void runCommands() {
        for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
            try {
                command.run();
            } catch (RuntimeException | Error e) {
                complain("command on the loop failed", e);
            }
        }
    }

    @Override
    public void close() {
        if (stopping) {
            return;
        }
        stopping = true;
        ring();
        // The remaining work writes to logs, and an interrupt would close them.
        Uninterrupted.run(() -> {
            thread.join();
            giveBack();
        });
    }

    private void giveBack() {
        stopped = true;
        runCommands();
        wake.close(libc);
        libc.close(epoll);
        arena.close();
    }
}
