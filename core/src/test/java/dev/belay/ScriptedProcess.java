package dev.belay;

import dev.belay.host.HostProcess;
import dev.belay.host.Launch;
import dev.belay.host.ProcessListener;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// A process of a [ScriptedHost]. It calls its listener from one thread at a time, as a host's loop does.
final class ScriptedProcess implements HostProcess {
    private static final AtomicLong PIDS = new AtomicLong(1000);

    final Launch launch;
    private final ScriptedHost host;
    private final long pid = PIDS.incrementAndGet();
    private final ByteArrayOutputStream input = new ByteArrayOutputStream();
    private final List<Signal> signals = new ArrayList<>();
    private final AtomicInteger resumes = new AtomicInteger();
    private ProcessListener listener;
    private boolean exited;
    private boolean held;
    private boolean ended;
    private boolean inputClosed;
    private volatile int accepts = Integer.MAX_VALUE;
    private volatile int breaksOffAfter = -1;
    private volatile RuntimeException endFailure;
    private volatile List<String> left = List.of();
    private volatile Runnable onEnd = () -> {};
    private volatile Runnable afterEnd = () -> {};
    private volatile Runnable afterInput = () -> {};
    private volatile Supplier<InputState> look = () -> InputState.NOBODY;
    private volatile EndReason limitHit;
    private final AtomicInteger looks = new AtomicInteger();

    ScriptedProcess(ScriptedHost host, Launch launch) {
        this.host = host;
        this.launch = launch;
    }

    // --- what the test lets it do ---

    /// Prints. Returns false if the listener asks for a pause.
    boolean emit(String text) {
        return emit(text.getBytes(StandardCharsets.UTF_8), Outlet.STDOUT);
    }

    boolean emit(byte[] bytes) {
        return emit(bytes, Outlet.STDOUT);
    }

    synchronized boolean emit(byte[] bytes, Outlet outlet) {
        if (listener == null || (exited && !held)) {
            throw new AssertionError(this + " cannot print: it is not started, or has ended");
        }
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        boolean more = listener.output(buffer, outlet);
        listener.announce();
        if (buffer.hasRemaining()) {
            throw host.misuse("output was not taken whole");
        }
        // The buffer is valid only during the call: overwrite it, in case somebody keeps it.
        for (int i = 0; i < bytes.length; i++) {
            buffer.put(i, (byte) '?');
        }
        return more;
    }

    /// From now on the kernel reports that the session reached this limit.
    void hits(EndReason limit) {
        limitHit = limit;
    }

    @Override
    public Optional<EndReason> limitHit(ExitStatus exit) {
        return Optional.ofNullable(limitHit);
    }

    void exit(int code) {
        exit(new ExitStatus.Exited(code));
    }

    void exit(ExitStatus status) {
        exit(status, false);
    }

    /// The leader dies, while other processes hold the terminal.
    void exitHeld(int code) {
        exit(new ExitStatus.Exited(code), true);
    }

    private synchronized void exit(ExitStatus status, boolean stillHeld) {
        if (exited) {
            throw new AssertionError(this + " has exited before");
        }
        exited = true;
        held = stillHeld;
        listener.exited(status, stillHeld);
    }

    /// The last of the other processes closes the terminal.
    synchronized void release() {
        if (!held) {
            throw new AssertionError(this + " is held by nobody");
        }
        held = false;
        listener.released();
    }

    /// From now on each write accepts at most this many bytes.
    void accepts(int bytes) {
        accepts = bytes;
    }

    /// The next write is interrupted after this many bytes.
    void breaksOffAfter(int bytes) {
        breaksOffAfter = bytes;
    }

    /// Every end fails from now on.
    void refuseToEnd(RuntimeException failure) {
        endFailure = failure;
    }

    /// Every end leaves these behind from now on.
    void leave(String... processes) {
        left = List.of(processes);
    }

    /// Runs at the start of every end from now on; it may wait.
    void onEnd(Runnable step) {
        onEnd = step;
    }

    /// Runs within every end from now on, after the listener has been told.
    void afterEnd(Runnable step) {
        afterEnd = step;
    }

    /// Runs within every write from now on, after the process has the bytes.
    void afterInput(Runnable step) {
        afterInput = step;
    }

    /// From now on this answers whether the process waits for input.
    void looksLike(Supplier<InputState> seen) {
        look = seen;
    }

    // --- what the test asks ---

    /// How often its input state was asked for.
    int looks() {
        return looks.get();
    }

    boolean refusesToEnd() {
        return endFailure != null;
    }

    synchronized boolean lives() {
        return !ended && (!exited || held);
    }

    synchronized String input() {
        return input.toString(StandardCharsets.UTF_8);
    }

    synchronized boolean inputClosed() {
        return inputClosed;
    }

    synchronized List<Signal> signals() {
        return List.copyOf(signals);
    }

    int resumes() {
        return resumes.get();
    }

    // --- what the core asks ---

    @Override
    public long pid() {
        return pid;
    }

    @Override
    public String workdir() {
        return launch.workdir();
    }

    @Override
    public void start(ProcessListener to) {
        synchronized (this) {
            if (listener != null) {
                throw host.misuse("started twice");
            }
            listener = to;
            if (ended) {
                die();
            }
        }
        host.started(this);
    }

    @Override
    public synchronized int write(ByteBuffer bytes, Duration timeout, BooleanSupplier allowed)
            throws InterruptedException {
        if (exited || inputClosed) {
            return -1;
        }
        if (!allowed.getAsBoolean()) {
            return 0;
        }
        int breaks = breaksOffAfter;
        int count = Math.min(breaks < 0 ? accepts : breaks, bytes.remaining());
        byte[] taken = new byte[count];
        bytes.get(taken);
        input.writeBytes(taken);
        afterInput.run();
        if (breaks >= 0) {
            breaksOffAfter = -1;
            throw new InterruptedException();
        }
        return count;
    }

    @Override
    public void recallWrites() {}

    @Override
    public synchronized void closeInput() {
        if (!(launch.mode() instanceof Mode.Pipe)) {
            throw host.misuse("the input of a terminal was closed");
        }
        inputClosed = true;
    }

    @Override
    public synchronized boolean resize(Size size) {
        if (!(launch.mode() instanceof Mode.Pty)) {
            throw host.misuse("pipes were resized");
        }
        if (exited) {
            return false;
        }
        listener.resized(size);
        return true;
    }

    @Override
    public synchronized boolean signal(Signal signal) {
        if (exited) {
            return false;
        }
        signals.add(signal);
        return true;
    }

    @Override
    public InputState inputState() {
        looks.incrementAndGet();
        return look.get();
    }

    @Override
    public void resume() {
        resumes.incrementAndGet();
    }

    @Override
    public synchronized int survivors() {
        return held ? 1 : 0;
    }

    @Override
    public Ended end(Duration grace) {
        onEnd.run();
        return endNow(grace);
    }

    private synchronized Ended endNow(Duration grace) {
        RuntimeException failure = endFailure;
        if (failure != null) {
            throw failure;
        }
        boolean lived = lives();
        ended = true;
        if (listener != null) {
            die();
        }
        afterEnd.run();
        return new Ended(lived ? 1 : 0, lived && grace.isZero() ? 1 : 0, left, false);
    }

    private void die() {
        if (!exited) {
            exit(new ExitStatus.Signaled(Signal.HUP), false);
        } else if (held) {
            release();
        }
    }

    @Override
    public String toString() {
        return "process " + pid + " " + Arrays.toString(launch.command().toArray());
    }
}
