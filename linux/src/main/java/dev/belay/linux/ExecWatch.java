package dev.belay.linux;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.host.ProcessListener;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/// The watch over a session: the kernel's listener, at which every process of the session that asks to start a program
/// is held. It hangs up when the last process has ended.
///
/// Made before the session's first process, on the thread that starts it. The fields below "Loop only" belong to the
/// loop's thread.
final class ExecWatch implements Loop.Source {
    private static final int ANSWER_BYTES = 24;
    /// The kernel hangs up at once when the last process ends.
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /// Before Linux 6.11, a dead process that nobody waits for keeps a listener from hanging up.
    private static final boolean HANGS_UP_AT_DEATH = Machine.atLeast(System.getProperty("os.version"), 6, 11);

    /// Whether processes of the session are left, however they hide.
    enum Left {
        /// The kernel has said so.
        NONE,
        /// The kernel has not hung up.
        SOME,
        UNKNOWN
    }

    private final Loop loop;
    private final Path workspace;
    private final SteeringVariables variables;
    /// Completed by the hang-up, or when it can come no more.
    private final CompletableFuture<Left> over = new CompletableFuture<>();
    /// Requests that are not answered yet.
    private final Set<HeldExec> open = ConcurrentHashMap.newKeySet();
    /// By process, what was allowed and not compared with what runs yet.
    private final ConcurrentHashMap<Long, HeldExec> checking = new ConcurrentHashMap<>();
    private final StartingProcesses starting = new StartingProcesses();
    private volatile @Nullable Fd listener;
    /// Whether the hang-up was waited for in vain.
    private volatile boolean late;

    // Loop only.
    private long id = -1;
    /// The programs by which Belay itself starts the session, in order. Nobody else is there before the last of them.
    private final Queue<String> own;
    private @Nullable ProcessListener hears;
    /// What was asked before anybody could hear it.
    private final List<HeldExec> early = new ArrayList<>();

    /// @param own       the programs by which Belay starts the session, in order
    /// @param variables the variables that the session begins with
    ExecWatch(Loop loop, Path workspace, List<String> own, SteeringVariables variables) {
        this.loop = loop;
        this.workspace = workspace;
        this.own = new ArrayDeque<>(own);
        this.variables = variables;
    }

    Path workspace() {
        return workspace;
    }

    SteeringVariables variables() {
        return variables;
    }

    StartingProcesses starting() {
        return starting;
    }

    /// Has the calling thread, and all that it starts from now on, held at each `execve`. The thread must start the
    /// session's first process and end.
    void open(Libc libc, Arena arena) {
        int fd = install(libc, arena);
        Fd held = new Fd(fd);
        listener = held;
        id = loop.newId();
        int result = loop.add(libc, arena, id, fd, Abi.EPOLLIN, this);
        if (result < 0) {
            held.close(libc);
            throw Spawner.failed("watch the session", -result);
        }
    }

    /// Refuses, with the fix, if sessions cannot be watched here.
    static void require() {
        GuardThread.call(null, (libc, arena) -> libc.close(install(libc, arena)));
    }

    private static int install(Libc libc, Arena arena) {
        int fd = libc.seccomp(
                Abi.SECCOMP_SET_MODE_FILTER,
                Abi.SECCOMP_FILTER_FLAG_NEW_LISTENER | Abi.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
                ExecFilter.program().in(arena));
        if (fd < 0) {
            throw refusal(-fd);
        }
        return fd;
    }

    private static SessionException refusal(int errno) {
        String fix = switch (errno) {
            case Errno.EINVAL, Errno.ENOSYS -> "the kernel is too old. Use Linux 5.19 or newer";
            case Errno.EBUSY -> "Belay itself runs in a watched session. Run it outside";
            case Errno.EPERM, Errno.EACCES ->
                "the container forbids it. Start it with --security-opt seccomp=unconfined";
            default -> Errno.text(errno);
        };
        return new SessionException(
                ErrorCode.UNAVAILABLE,
                "Sessions cannot be watched here: " + fix + ", or switch approvals off.",
                Map.of(SessionException.REASON, "watch"));
    }

    /// From now on requests are reported.
    void start(ProcessListener listens) {
        loop.post(() -> {
            hears = listens;
            early.forEach(listens::executing);
            early.clear();
        });
    }

    // --- on the loop ---

    @Override
    public void ready(int events) {
        if ((events & Abi.EPOLLIN) != 0) {
            receive();
        } else if ((events & (Abi.EPOLLHUP | Abi.EPOLLERR)) != 0) {
            // The last process that was held at this listener has ended.
            over.complete(Left.NONE);
            release();
        }
    }

    private void receive() {
        Fd from = listener;
        if (from == null) {
            return;
        }
        MemorySegment notice = loop.buffer.asSlice(0, ExecNotice.BYTES).fill((byte) 0);
        int result = loop.libc.ioctl(from.number(), Abi.SECCOMP_IOCTL_NOTIF_RECV, notice);
        if (result == -Errno.ENOENT) {
            // It was killed meanwhile.
            return;
        }
        if (result < 0) {
            Log.LOG.log(System.Logger.Level.WARNING, "cannot watch which program starts: " + Errno.text(-result));
            loop.restAfterTurn();
            return;
        }
        HeldExec request = new HeldExec(this, ExecNotice.of(notice));
        open.add(request);
        if (!own.isEmpty() && ours(ExecNotice.of(notice))) {
            try (Arena arena = Arena.ofConfined()) {
                request.answer(loop.libc, arena, 0);
            }
        } else if (hears == null) {
            early.add(request);
        } else {
            hears.executing(request);
        }
    }

    /// Whether Belay itself starts this. What cannot be read is bubblewrap's, which makes itself unreadable; nobody
    /// else is there yet.
    private boolean ours(ExecNotice notice) {
        try (Arena arena = Arena.ofConfined()) {
            String path = new ExecReader(loop.libc, arena, notice, workspace).path();
            boolean next = path == null || path.equals(own.peek());
            if (next) {
                own.remove();
                // Its bridge to the hosts is nobody's ancestor.
                if (!HostsInside.SOCAT.equals(path)) {
                    starting.add(notice.pid());
                }
            }
            return next;
        }
    }

    @Override
    public void failed(Throwable cause) {
        release();
    }

    /// Forgets the listener: from now on the kernel refuses whatever the processes want to start.
    private void release() {
        Fd held = listener;
        if (held == null || held.closed()) {
            return;
        }
        loop.remove(held.number(), id);
        held.close(loop.libc);
        over.complete(Left.UNKNOWN);
        open.forEach(HeldExec::leave);
        open.clear();
        early.clear();
    }

    // --- on any thread ---

    /// Ends the watch. Processes that are left cannot start programs.
    void close() {
        if (listener != null) {
            loop.call(() -> {
                release();
                return true;
            });
        }
    }

    /// Whether it is certain by now that no process of the session is left.
    boolean empty() {
        return over.getNow(Left.UNKNOWN) == Left.NONE;
    }

    /// Whether any process is left, when none can be found. Waits for the hang-up, which may be on its way; the next
    /// call does not wait again.
    Left left() {
        Left now = over.copy().completeOnTimeout(Left.SOME, late ? 0 : PATIENCE.toNanos(), TimeUnit.NANOSECONDS).join();
        if (now == Left.SOME) {
            late = true;
        }
        return now == Left.SOME && !HANGS_UP_AT_DEATH ? Left.UNKNOWN : now;
    }

    /// Answers a request.
    ///
    /// @return 0, or the negated error number: ENOENT or EBADF if nobody waits for the answer any more
    int send(Libc libc, Arena arena, long request, int errno, int flags) {
        MemorySegment answer = arena.allocate(ANSWER_BYTES, 8);
        answer.set(ValueLayout.JAVA_LONG, 0, request);
        answer.set(ValueLayout.JAVA_INT, 16, -errno);
        answer.set(ValueLayout.JAVA_INT, 20, flags);
        return with(libc, fd -> libc.ioctl(fd, Abi.SECCOMP_IOCTL_NOTIF_SEND, answer));
    }

    /// Whether a request is gone. Then the number of its process may be somebody else's.
    boolean gone(Libc libc, Arena arena, long request) {
        MemorySegment number = arena.allocateFrom(ValueLayout.JAVA_LONG, request);
        int result = with(libc, fd -> libc.ioctl(fd, Abi.SECCOMP_IOCTL_NOTIF_ID_VALID, number));
        if (result < 0 && result != -Errno.ENOENT && result != -Errno.EBADF) {
            throw Spawner.failed("ask whether a process still waits", -result);
        }
        return result < 0;
    }

    private int with(Libc libc, IntUnaryOperator call) {
        Fd held = listener;
        return held == null ? -Errno.EBADF : held.with(libc, -Errno.EBADF, call);
    }

    void answered(HeldExec request) {
        open.remove(request);
    }

    void checking(long process, HeldExec request) {
        checking.put(process, request);
    }

    void settled(long process, HeldExec request) {
        checking.remove(process, request);
    }

    /// A process is about to start another program: compares what it was allowed to start before.
    void settle(long process) {
        HeldExec before = checking.get(process);
        if (before != null) {
            before.settle();
            checking.remove(process, before);
        }
    }

    /// Whether anything is to be compared.
    boolean comparing() {
        return !checking.isEmpty();
    }

    Loop loop() {
        return loop;
    }
}
