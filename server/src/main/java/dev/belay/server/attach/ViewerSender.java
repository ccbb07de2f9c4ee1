package dev.belay.server.attach;

import dev.belay.ErrorCode;
import dev.belay.ExitStatus;
import dev.belay.OutputLog;
import dev.belay.OutputLog.Resize;
import dev.belay.OutputTap;
import dev.belay.ReadResult;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionState;
import dev.belay.Size;
import dev.belay.Time;
import dev.belay.screens.QuestionMask;
import dev.belay.screens.Repaint;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Sends a session's output to one viewer: a reader of the log with its own offset and window.
///
/// It is one virtual thread, which reads the log where it is, sends what it finds and waits until the connection has
/// taken it. While the connection keeps up, each byte is sent at once; in a flood, more has gathered by the time a
/// message is taken, and the next one is larger. Nothing is queued: what is not sent yet is in the log, and what the
/// log has dropped by then is a gap. What a program asks its terminal is masked ([QuestionMask]). A viewer that takes
/// repaints gets one after each gap, and instead of more output than it wants.
///
/// **The express lane**: while the sender waits with nothing to send, the host's loop offers a little output to the
/// connection itself, right after logging it. That saves waking the sender, which costs more than the send. The loop
/// does so only if the sender would send just these bytes next; in every other case the sender does it as always. What
/// a connection does not take at once, the sender waits for.
final class ViewerSender {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");
    private static final long NEVER_ACKED = -1;
    /// After this many bytes without a pause, the sender pauses: a virtual thread that never waits, because its
    /// connection takes everything at once, keeps a core from all others, and yielding alone does not give it up.
    private static final long BREATH_BYTES = 4 << 20;
    /// The shortest time between two repaints instead of output: nobody can see more pictures than that.
    private static final Duration SKIP_EVERY = Duration.ofMillis(50);

    private final Viewers viewers;
    private final Time time;
    private final Session session;
    private final ViewOptions options;
    private final ViewerConnection connection;
    private final ApprovalsTold approvals;
    private final OutputLog log;
    private final SizesTold sizes;
    private final Handover handover = new Handover();
    private final Consumer<DetachReason> ended;
    private final Thread thread;
    private final AtomicReference<@Nullable DetachReason> detached = new AtomicReference<>();
    private final Object acks = new Object();

    /// The offset of the next byte to send. Moved by the sender.
    private volatile long at;
    /// The offset of the next byte to read, after those that are held back. The sender's.
    private long reading;
    /// How far the viewer has got; guarded by `acks`. [#NEVER_ACKED]: it sends no acks, and only the connection
    /// itself limits what it is sent.
    private volatile long acked = NEVER_ACKED;
    private volatile long typedNanos;
    private volatile OutputTap.@Nullable Open tap;
    /// Whether the sender waits for an acknowledgement.
    private volatile boolean windowFull;
    /// Whether something has happened since the last tick, and whether the sender is to look after the other side.
    private volatile boolean stirred;
    private volatile boolean quiet;

    // From here on: of the thread that has the handover's turn.
    private @Nullable QuestionMask mask;
    private final ExpressLaneRest lane = new ExpressLaneRest();
    /// The keyboard as it was last sent to the viewer.
    private KeyboardHold keyboard = KeyboardHold.FREE;
    private long skippedNanos;
    private long exitAt = -1;
    private boolean exitTold;
    private long sentInOneBreath;

    /// @param ended hears once why the view has ended, before the connection does
    ViewerSender(
            Viewers viewers,
            Session session,
            ViewOptions options,
            ViewerConnection connection,
            Consumer<DetachReason> ended) {
        this.viewers = viewers;
        this.time = viewers.time();
        this.skippedNanos = time.nanos() - SKIP_EVERY.toNanos();
        this.session = session;
        this.options = options;
        this.connection = connection;
        this.ended = ended;
        this.approvals = new ApprovalsTold(session, connection);
        this.log = session.output();
        this.sizes = new SizesTold(log);
        moveTo(options.from().orElse(log.start()));
        this.thread = Thread.ofVirtual().name("belay-viewer " + session.id()).unstarted(this::run);
    }

    // --- what any thread may call ---

    void start() {
        tap = session.tap(new Tap());
        thread.start();
    }

    /// Bytes that the session has printed and the viewer was not sent.
    long lag() {
        return Math.max(0, log.end() - at);
    }

    /// Whether the terminal has this size, or none.
    boolean isSize(Size size) {
        return sizes.isNow(size);
    }

    /// The viewer types now: the time until the next output is measured.
    void typed() {
        typedNanos = time.nanos();
    }

    /// The viewer has dealt with everything before this offset.
    void ack(long offset) {
        if (offset < 0 || offset > at) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "ack must name an offset that was sent, from 0 to " + at + "; not " + offset + ".");
        }
        synchronized (acks) {
            acked = Math.max(acked, offset);
        }
        if (windowFull) {
            handover.signal();
        }
    }

    /// Ends the view for a reason. The first reason counts.
    void detach(DetachReason why) {
        detached.compareAndSet(null, why);
        handover.signal();
        if (why != DetachReason.SHUTDOWN) {
            // One that is in the middle of a message to somebody who does not read would never look.
            thread.interrupt();
        }
    }

    /// A while has passed.
    void tick() {
        if (!stirred) {
            quiet = true;
            handover.signal();
        }
        stirred = false;
    }

    // --- the thread ---

    private void run() {
        DetachReason end = DetachReason.FAILED;
        try {
            begin();
            while (detached.get() == null && session.state() != SessionState.CLOSED) {
                step();
            }
            tellExit(true);
            end = DetachReason.CLOSED;
        } catch (SessionException e) {
            // The log of a session that was closed in the meantime cannot be read.
            end = e.code() == ErrorCode.NOT_FOUND ? DetachReason.CLOSED : DetachReason.FAILED;
            if (end == DetachReason.FAILED && detached.get() == null) {
                LOG.log(System.Logger.Level.WARNING, "a viewer of session " + session.id() + " failed", e);
            }
        } catch (InterruptedIOException _) {
            end = DetachReason.SLOW;
        } catch (IOException | InterruptedException _) {
            end = DetachReason.DETACHED;
        } finally {
            detached.compareAndSet(null, end);
            DetachReason why = detached.get();
            OutputTap.Open open = tap;
            if (open != null) {
                open.close();
            }
            if (mask != null) {
                mask.close();
            }
            ended.accept(why == null ? end : why);
            connection.closed(why == null ? end : why);
        }
    }

    private void begin() throws IOException, InterruptedException {
        boolean painted = takesRepaints() && options.from().isEmpty();
        Repaint first = painted ? viewers.screens().repaint(session, options.history()) : null;
        if (first != null) {
            moveTo(first.offset());
        }
        // After the repaint: a viewer that answers gets every question from here on, and none before is lost.
        mask = viewers.screens().mask(session, options.answers());
        Size size = sizes.begin(at);
        keyboard = KeyboardHold.of(session);
        connection.attached(session.snapshot(), at, size);
        if (first != null) {
            send(first, RepaintReason.ATTACH);
        }
        if (keyboard.holder() != null) {
            connection.lease(keyboard.holder(), keyboard.isPrivate());
        }
    }

    private boolean takesRepaints() {
        return options.screen() && session.spec().mode() instanceof dev.belay.Mode.Pty;
    }

    /// Sends the next thing there is, or waits for one.
    private void step() throws IOException, InterruptedException {
        Optional<QuestionMask.Part> left = lane.finish(viewers.limits().stall());
        if (left.isPresent()) {
            send(left.get());
        }
        if (tellKeyboard() || approvals.tell() || tellExit(false)) {
            return;
        }
        Resize next = sizes.next();
        if (next != null && next.offset() <= reading) {
            sizes.told(next);
            connection.resized(next.size());
            return;
        }
        long room = next == null ? Long.MAX_VALUE : next.offset() - reading;
        if (acked != NEVER_ACKED) {
            room = Math.min(room, acked + viewers.limits().windowBytes() - reading);
        }
        if (room <= 0) {
            if (windowFull) {
                await();
            }
            // An acknowledgement signals from here on; it may have come just before.
            windowFull = true;
            return;
        }
        windowFull = false;
        if (options.skip() > 0 && log.end() - reading > options.skip() && takesRepaints()) {
            skip();
            return;
        }
        switch (log.read(reading, (int) Math.min(room, viewers.limits().frameBytes()))) {
            case ReadResult.Chunk chunk when chunk.bytes().length == 0 -> await();
            case ReadResult.Chunk chunk -> {
                reading = chunk.next();
                send(mask().feed(chunk.offset(), chunk.bytes()));
            }
            case ReadResult.Gap gap -> {
                send(mask().rest());
                synchronized (acks) {
                    moveTo(gap.next());
                    acked = acked == NEVER_ACKED ? NEVER_ACKED : acked + gap.lostBytes();
                }
                viewers.gap(gap.lostBytes());
                connection.gap(gap);
                if (takesRepaints()) {
                    repaint(RepaintReason.GAP);
                }
            }
            case ReadResult.End _ -> await();
        }
    }

    private QuestionMask mask() {
        return Objects.requireNonNull(mask);
    }

    private void moveTo(long offset) {
        at = offset;
        reading = offset;
    }

    private void send(QuestionMask.Part part) throws IOException, InterruptedException {
        if (part.bytes().length > 0) {
            // Moved first: the client may acknowledge the bytes before the call returns.
            at = part.next();
            connection.output(part.offset(), part.bytes());
            sent(part.bytes().length);
            breathe(part.bytes().length);
        }
    }

    private void sent(int bytes) {
        viewers.sent(bytes, typedNanos);
        typedNanos = 0;
    }

    /// Sends the picture at the end instead of what led to it; once in a while, so that the viewer sees it.
    private void skip() throws IOException, InterruptedException {
        long wait = skippedNanos + SKIP_EVERY.toNanos() - time.nanos();
        if (wait > 0) {
            time.sleep(Duration.ofNanos(wait));
        }
        repaint(RepaintReason.SKIP);
        skippedNanos = time.nanos();
    }

    /// From here on, a viewer that acknowledges has to acknowledge the repaint before it is sent more than a window.
    private void repaint(RepaintReason why) throws IOException, InterruptedException {
        Repaint paint = viewers.screens().repaint(session, options.history());
        moveTo(paint.offset());
        send(paint, why);
    }

    private void send(Repaint paint, RepaintReason why) throws IOException, InterruptedException {
        sizes.repainted(paint.offset(), paint.size());
        connection.screen(paint, why);
        viewers.repainted(why, paint.bytes().length);
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
        handover.await();
        if (quiet) {
            quiet = false;
            connection.quiet();
        }
    }

    private boolean tellKeyboard() throws IOException, InterruptedException {
        KeyboardHold now = KeyboardHold.of(session);
        if (now.equals(keyboard)) {
            return false;
        }
        keyboard = now;
        connection.lease(now.holder(), now.isPrivate());
        return true;
    }

    /// Sends the exit once, after everything that was printed before it.
    private boolean tellExit(boolean last) throws IOException, InterruptedException {
        ExitStatus exit = exitTold ? null : session.exit().orElse(null);
        if (exit == null) {
            return false;
        }
        if (exitAt < 0) {
            exitAt = log.end();
        }
        if (reading < exitAt && !last) {
            return false;
        }
        exitTold = true;
        send(mask().rest());
        connection.exit(exit, at);
        return true;
    }

    // --- the express lane ---

    /// Called by the session, on its own threads.
    private final class Tap implements OutputTap {
        @Override
        public boolean output(long from, byte[] bytes) {
            stirred = true;
            if (!handover.take()) {
                return false;
            }
            try {
                return isNext(from, bytes.length) && express(from, bytes);
            } catch (RuntimeException | Error e) {
                lane.failed(e);
                return false;
            } finally {
                handover.giveBack();
            }
        }

        @Override
        public void rang() {
            stirred = true;
            handover.signal();
        }
    }

    /// Whether the sender would send exactly this next.
    private boolean isNext(long from, int length) {
        return from == reading
                && detached.get() == null
                && (exitTold || session.exit().isEmpty())
                && sizes.next() == null
                && (acked == NEVER_ACKED || acked + viewers.limits().windowBytes() - from >= length)
                && log.shows(from, from + length)
                && KeyboardHold.of(session).equals(keyboard);
    }

    /// @return whether nothing is left for the sender to do
    private boolean express(long from, byte[] bytes) {
        reading = from + bytes.length;
        QuestionMask.Part part = mask().feed(from, bytes);
        if (part.bytes().length == 0) {
            return true;
        }
        // Moved first, as the sender does.
        at = part.next();
        Future<?> taken = connection.offer(part.offset(), part.bytes());
        if (taken == null) {
            at = part.offset();
            lane.unsent(part);
            return false;
        }
        sent(part.bytes().length);
        if (taken.state() == Future.State.SUCCESS) {
            return true;
        }
        lane.inFlight(taken);
        return false;
    }
}
