package dev.belay.server.attach;

import dev.belay.Activity;
import dev.belay.ErrorCode;
import dev.belay.ExitStatus;
import dev.belay.OutputLog;
import dev.belay.OutputLog.Resize;
import dev.belay.ReadResult;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionState;
import dev.belay.Signal;
import dev.belay.Size;
import dev.belay.server.auth.Login;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// One connection's view of one session: a reader of its log with its own offset and window, and, in write mode, its
/// hands on the session.
///
/// Its sender is one virtual thread: it reads the log where it is, sends what it finds and waits until the connection has
/// taken it. When the line is quiet a byte goes out as it comes; under flood more has gathered by the time a message is
/// taken, and the next one is larger. Nothing is queued: what is not sent yet is in the log, and what the log has dropped
/// by then is a gap. All other methods may be called from any thread.
public final class Viewer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");
    private static final long NEVER_ACKED = -1;
    /// After so many bytes without a pause the sender makes one: a virtual thread that never waits, because its connection
    /// takes everything at once, keeps a core from all others, and yielding alone does not give it up.
    private static final long BREATH_BYTES = 4 << 20;

    /// What a viewer may do.
    public enum Mode {
        /// Type, resize, signal, take the keyboard.
        WRITE,
        /// Look.
        WATCH;

        /// The mode that a client asks for by name; null: the most that it may.
        public static Mode of(@Nullable String label, boolean mayDrive) {
            if (label == null) {
                return mayDrive ? WRITE : WATCH;
            }
            return switch (label) {
                case "write" -> WRITE;
                case "watch" -> WATCH;
                default -> throw invalid("mode is write or watch.");
            };
        }

        /// The name on the wire.
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Viewers viewers;
    private final Session session;
    private final Login login;
    private final Mode mode;
    private final Line line;
    private final OutputLog log;
    private final Activity activity;
    private final Thread sender;
    private final AtomicReference<@Nullable Parting> parting = new AtomicReference<>();
    private final Object acks = new Object();

    /// The offset of the next byte to send. Moved by the sender.
    private volatile long at;
    /// How far the viewer has got; guarded by `acks`. [#NEVER_ACKED]: it does not tell, and has no window but the connection's.
    private volatile long acked = NEVER_ACKED;
    private volatile @Nullable Size wanted;
    private volatile long typedNanos;

    private @Nullable Resize told;
    private @Nullable String holder;
    private long exitAt = -1;
    private boolean exitTold;
    private long sentInOneBreath;

    Viewer(Viewers viewers, Session session, Login login, Mode mode, long from, Line line) {
        this.viewers = viewers;
        this.session = session;
        this.login = login;
        this.mode = mode;
        this.line = line;
        this.log = session.output();
        this.activity = session.viewing();
        this.at = from;
        this.sender = Thread.ofVirtual().name("belay-viewer " + session.id()).unstarted(this::run);
    }

    void start() {
        sender.start();
    }

    public Session session() {
        return session;
    }

    public Login login() {
        return login;
    }

    public Mode mode() {
        return mode;
    }

    /// Bytes that the session has printed and the viewer was not sent.
    public long lag() {
        return Math.max(0, log.end() - at);
    }

    // --- what the other side says ---

    /// The viewer has dealt with everything before this offset. From the first time on, output runs ahead of it by no more
    /// than the window.
    public void ack(long offset) {
        if (offset < 0 || offset > at) {
            throw invalid(
                    "An acknowledgement names an offset that was sent, from 0 to " + at + "; not " + offset + ".");
        }
        synchronized (acks) {
            acked = Math.max(acked, offset);
        }
        activity.wake();
    }

    /// Types; see [Inputs#write]. The terminal gets the size of whoever typed last.
    public int write(byte[] input, @Nullable String inputId) throws InterruptedException {
        Session driven = driven();
        Size size = wanted;
        if (size != null && !isSize(size)) {
            apply(driven, size);
        }
        typedNanos = System.nanoTime();
        return viewers.inputs().write(driven, input, inputId);
    }

    /// Says how large the viewer's window is; the terminal follows, unless somebody else has the keyboard.
    public void resize(Size size) {
        Session driven = driven();
        wanted = size;
        apply(driven, size);
    }

    private void apply(Session driven, Size size) {
        Optional<String> holding = driven.keyboardHolder();
        if (holding.isEmpty() || holding.get().equals(login.name())) {
            driven.resize(size);
        }
    }

    private boolean isSize(Size size) {
        List<Resize> sizes = log.resizes();
        return sizes.isEmpty() || sizes.getLast().size().equals(size);
    }

    public void signal(Signal signal) {
        driven().signal(signal);
    }

    public void takeKeyboard(boolean isPrivate) {
        viewers.leases().take(driven(), login, isPrivate, null);
    }

    public void giveBackKeyboard() {
        viewers.leases().giveBack(driven(), login);
    }

    /// The session, if this viewer may still drive it.
    private Session driven() {
        if (mode != Mode.WRITE) {
            throw new SessionException(
                    ErrorCode.DENIED, "You watch session " + session.id() + "; attach in write mode to drive it.");
        }
        return viewers.access().drive(login, session.id());
    }

    // --- the end ---

    /// Lets go of the session, which lives on.
    @Override
    public void close() {
        part(Parting.DETACHED);
    }

    /// Ends the view for a reason. The first reason counts.
    public void part(Parting why) {
        parting.compareAndSet(null, why);
        activity.wake();
        if (why != Parting.SHUTDOWN) {
            // One that is in the middle of a message to somebody who does not read would never look.
            sender.interrupt();
        }
    }

    // --- the sender ---

    private void run() {
        Parting end = Parting.FAILED;
        try {
            told = sizeAt(at);
            holder = session.keyboardHolder().orElse(null);
            line.attached(session.snapshot(), at, told == null ? null : told.size());
            if (holder != null) {
                line.lease(holder);
            }
            while (parting.get() == null && session.state() != SessionState.CLOSED) {
                step();
            }
            tellExit(true);
            end = Parting.CLOSED;
        } catch (SessionException e) {
            // The log of a session that was closed in the meantime cannot be read.
            end = e.code() == ErrorCode.NOT_FOUND ? Parting.CLOSED : Parting.FAILED;
            if (end == Parting.FAILED && parting.get() == null) {
                LOG.log(System.Logger.Level.WARNING, "a viewer of session " + session.id() + " failed", e);
            }
        } catch (InterruptedIOException _) {
            end = Parting.SLOW;
        } catch (IOException | InterruptedException _) {
            end = Parting.DETACHED;
        } finally {
            parting.compareAndSet(null, end);
            Parting why = parting.get();
            viewers.gone(this, why == null ? end : why);
            line.closed(why == null ? end : why);
        }
    }

    /// Sends the next thing there is, or waits for one.
    private void step() throws IOException, InterruptedException {
        if (tellKeyboard() || tellExit(false)) {
            return;
        }
        Resize next = nextResize();
        if (next != null && next.offset() <= at) {
            told = next;
            line.resized(next.size());
            return;
        }
        long room = next == null ? Long.MAX_VALUE : next.offset() - at;
        if (acked != NEVER_ACKED) {
            room = Math.min(room, acked + viewers.limits().windowBytes() - at);
        }
        if (room <= 0) {
            await();
            return;
        }
        switch (log.read(at, (int) Math.min(room, viewers.limits().frameBytes()))) {
            case ReadResult.Chunk chunk when chunk.bytes().length == 0 -> await();
            case ReadResult.Chunk chunk -> {
                // Moved first: whoever gets the bytes may acknowledge them before the call returns.
                at = chunk.next();
                line.output(chunk.offset(), chunk.bytes());
                viewers.sent(chunk.bytes().length, typedNanos);
                typedNanos = 0;
                breathe(chunk.bytes().length);
            }
            case ReadResult.Gap gap -> {
                synchronized (acks) {
                    at = gap.next();
                    acked = acked == NEVER_ACKED ? NEVER_ACKED : acked + gap.lostBytes();
                }
                viewers.gap(gap.lostBytes());
                line.gap(gap);
            }
            case ReadResult.End _ -> await();
        }
    }

    private void breathe(int sent) {
        sentInOneBreath += sent;
        if (sentInOneBreath >= BREATH_BYTES) {
            sentInOneBreath = 0;
            LockSupport.parkNanos(1);
        }
    }

    private void await() throws IOException, InterruptedException {
        sentInOneBreath = 0;
        if (!activity.next(viewers.limits().stall().dividedBy(3))) {
            line.quiet();
        }
    }

    private boolean tellKeyboard() throws IOException, InterruptedException {
        String now = session.keyboardHolder().orElse(null);
        if (Objects.equals(now, holder)) {
            return false;
        }
        holder = now;
        line.lease(now);
        return true;
    }

    /// Tells the exit once, after everything that was printed before it.
    private boolean tellExit(boolean last) throws IOException, InterruptedException {
        ExitStatus exit = exitTold ? null : session.exit().orElse(null);
        if (exit == null) {
            return false;
        }
        if (exitAt < 0) {
            exitAt = log.end();
        }
        if (at < exitAt && !last) {
            return false;
        }
        exitTold = true;
        line.exit(exit, at);
        return true;
    }

    private @Nullable Resize sizeAt(long offset) {
        Resize found = null;
        for (Resize resize : log.resizes()) {
            if (found == null || resize.offset() <= offset) {
                found = resize;
            }
        }
        return found;
    }

    private @Nullable Resize nextResize() {
        Resize last = told;
        if (last == null) {
            return null;
        }
        List<Resize> all = log.resizes();
        int index = all.lastIndexOf(last);
        if (index >= 0) {
            return index + 1 < all.size() ? all.get(index + 1) : null;
        }
        // So many that the one told last is forgotten.
        return all.stream().filter(resize -> resize.offset() >= last.offset()).findFirst().orElse(null);
    }

    private static SessionException invalid(String message) {
        return new SessionException(ErrorCode.INVALID_REQUEST, message);
    }
}
