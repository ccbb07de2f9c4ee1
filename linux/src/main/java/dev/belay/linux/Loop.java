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

/// The one thread that owns all terminals, pipes and exits. It waits in `epoll_wait`, never blocks elsewhere and runs
/// no code of users.
///
/// Events carry an id that is never used twice, not the descriptor's number, which the kernel gives out again at once:
/// an event for something that is gone finds nothing.
final class Loop implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.belay.linux");
    private static final int MAX_EVENTS = 256;
    static final int BUFFER_BYTES = 64 << 10;
    private static final long WAKE = 0;
    private static final int FOR_EVER = -1;
    private static final long REST_NANOS = 10_000_000;
    /// How long killed leaders may take to die when the loop stops: no time, unless the kernel is stuck.
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(5);
    private static final int STOP_TURN_MILLIS = 100;

    private final Abi abi = Abi.current();
    private final Arena arena = Arena.ofShared();
    private final int epoll;
    private final Fd wake;
    private final ConcurrentHashMap<Long, Source> sources = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong(WAKE);
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
    /// Sources that want a turn although no event announces it. Loop only.
    private final ArrayDeque<Source> again = new ArrayDeque<>();
    /// Loop only.
    private boolean restNext;
    private final TurnTimes times = new TurnTimes();
    private final Thread thread;
    private volatile boolean stopping;
    /// The thread has ended: what is posted from now on runs nowhere.
    private volatile boolean stopped;

    /// For calls on the loop's thread only.
    final Libc libc = new Libc(arena);
    /// For reads on the loop's thread only.
    final MemorySegment buffer = arena.allocate(BUFFER_BYTES);
    final ByteBuffer bytes = buffer.asByteBuffer();

    /// Something that the loop waits for.
    interface Source {
        /// Does one step of work on the loop's thread, for instance one read.
        ///
        /// @param events what epoll reported; 0 for a turn that was asked for with [#again]
        void ready(int events);

        /// Something went wrong in [#ready]: the source has to let go of all it has.
        void failed(Throwable cause);

        /// The loop is about to stop, and this is still there: ends what it stands for, whatever that takes.
        ///
        /// @return whether the loop is to wait for its end
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

    /// @param opened what is given back if this failed
    private int must(String call, int result, int... opened) {
        if (result < 0) {
            for (int fd : opened) {
                libc.close(fd);
            }
            arena.close();
            throw new SessionException(
                    ErrorCode.UNAVAILABLE, "The host could not start: " + call + ": " + Errno.text(-result) + ".");
        }
        return result;
    }

    // --- for any thread ---

    /// An id for a source. The source has to know it before it is added, since its first event may come at once.
    long newId() {
        return ids.incrementAndGet();
    }

    /// Waits for events of a descriptor from now on.
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

    /// Runs a command on the loop's thread. After [#close] it runs nowhere.
    void post(Runnable command) {
        commands.add(command);
        if (!Thread.currentThread().equals(thread)) {
            ring();
        }
    }

    /// Runs a command on the loop's thread and waits for its result. An interrupt does not cut it short.
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

    /// Gives a source another turn after all others had theirs.
    void again(Source source) {
        again.add(source);
    }

    /// Something that a source needs cannot be had now. Its event comes again at once: so that this is no busy wait, the
    /// loop leaves the processor, for a moment, to those who can mend it.
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

    /// What is still there when the loop stops could not be closed, for want of memory perhaps, and nobody will come
    /// back for it: its leaders are killed and all descriptors closed.
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
            // Whatever it is, memory perhaps: the sessions need their loop.
            complain("a turn of the loop failed", e);
            // It may go on failing.
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
            complain("a session failed; the others go on", e);
            failed(source, e);
        }
    }

    private static void failed(Source source, Throwable cause) {
        try {
            source.failed(cause);
        } catch (RuntimeException | Error e) {
            complain("a session that failed could not be let go", e);
        }
    }

    private static void complain(String what, Throwable cause) {
        try {
            LOG.log(System.Logger.Level.ERROR, what, cause);
        } catch (RuntimeException | Error _) {
            // There is no memory for a complaint either, or the application's logger fails. The sessions need their loop.
        }
    }

    private void runCommands() {
        for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
            try {
                command.run();
            } catch (RuntimeException | Error e) {
                complain("a command of the loop failed", e);
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
        // What is still to be done writes to logs, which an interrupt would close.
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
