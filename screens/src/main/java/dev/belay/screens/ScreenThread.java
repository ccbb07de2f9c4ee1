package dev.belay.screens;

import dev.belay.SessionException;
import dev.belay.Time;
import dev.belay.screen.Scanner;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/// The thread `belay-screen`: scans new output, answers questions, makes checkpoints and thumbnails, and folds screens
/// that nobody uses.
///
/// Whatever is printed within two milliseconds is scanned at once, so a session that echoes keys or floods does not
/// wake it for each piece.
final class ScreenThread implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.belay.screens");
    private static final long PACE_NANOS = 2_000_000;
    /// After so much in one pass, the pace is slower: while programs flood, most of their output need not be scanned.
    private static final long FLOOD_BYTES = 128 << 10;
    private static final long FLOOD_PACE_NANOS = 20_000_000;
    private static final long RETRY_NANOS = 5_000_000;
    /// Checkpoints take a twentieth of a core, or more if the machine is so busy that a step takes long.
    private static final int REST_PER_STEP = 19;
    private static final long MAX_REST_NANOS = 250_000_000;

    private final ScreensLimits limits;
    private final Time time;
    private final Thumbnails thumbnails;
    private final Runnable tidy;
    private final Thread thread;
    private final ConcurrentLinkedQueue<SessionScreen> queue = new ConcurrentLinkedQueue<>();
    private volatile boolean asleep;
    /// Whether there is something to do. Set before `asleep` is read, and read after that is set: no wake is lost.
    private volatile boolean woken;
    private volatile boolean stopped;

    // Of the thread.
    private Scanner spare;
    private final Set<SessionScreen> replying = new LinkedHashSet<>();
    private final Deque<SessionScreen> behind = new ArrayDeque<>();
    private long passBytes;
    private long stepAt;
    private long tidyAt;

    /// @param tidy folds what nobody uses, and forgets closed sessions
    ScreenThread(ScreensLimits limits, Time time, Runnable tidy) {
        this.limits = limits;
        this.time = time;
        this.tidy = tidy;
        this.thumbnails = new Thumbnails(limits, time, this::wake);
        this.spare = new Scanner(limits.screen());
        this.stepAt = time.nanos();
        this.tidyAt = time.nanos() + tidyEvery();
        this.thread = Thread.ofPlatform().daemon().name("belay-screen").start(this::run);
    }

    Thumbnails thumbnails() {
        return thumbnails;
    }

    /// There is new output of a session. Any thread may call it.
    void output(SessionScreen kept) {
        if (kept.queued.compareAndSet(false, true)) {
            kept.queuedNanos = time.nanos();
            queue.add(kept);
            wake();
        }
    }

    private void wake() {
        woken = true;
        if (asleep) {
            LockSupport.unpark(thread);
        }
    }

    private long tidyEvery() {
        return Math.clamp(limits.warmFor().toNanos() / 4, 1_000_000, 5_000_000_000L);
    }

    // --- the thread ---

    private void run() {
        while (!stopped) {
            long passed = time.nanos();
            woken = false;
            passBytes = 0;
            sleepUntil(pass());
            // Others do not wake it meanwhile.
            long again = passed + (passBytes > FLOOD_BYTES ? FLOOD_PACE_NANOS : PACE_NANOS);
            while (!stopped && time.nanos() - again < 0) {
                time.parkUntil(this, again);
            }
        }
    }

    private void sleepUntil(long nanos) {
        asleep = true;
        if (!woken && !stopped) {
            time.parkUntil(this, nanos);
        }
        asleep = false;
    }

    /// @return when there is something to do again, even without output
    private long pass() {
        for (SessionScreen kept = queue.poll(); kept != null; kept = queue.poll()) {
            scan(kept);
        }
        replying.removeIf(kept -> !attempt(kept, kept.answers::reply));
        long now = time.nanos();
        if (!behind.isEmpty() && stepAt - now <= 0) {
            step(behind.removeFirst());
        }
        long nextThumbnail = makeThumbnails();
        if (tidyAt - time.nanos() <= 0) {
            tidy.run();
            tidyAt = time.nanos() + tidyEvery();
        }
        long next = Math.min(tidyAt, nextThumbnail);
        next = behind.isEmpty() ? next : Math.min(next, stepAt);
        return replying.isEmpty() ? next : Math.min(next, time.nanos() + RETRY_NANOS);
    }

    private void scan(SessionScreen kept) {
        kept.queued.set(false);
        attempt(kept, () -> {
            long before = kept.answers.scanned();
            long end = kept.answers.scan(spare, kept.queuedNanos);
            passBytes += end - before;
            if (kept.answers.holds(spare)) {
                spare = new Scanner(limits.screen());
            }
            if (kept.answers.reply()) {
                replying.add(kept);
            }
            boolean owes = kept.owesCheckpoint(end);
            if (owes || kept.stream.isMarked()) {
                kept.stream.follow();
            }
            if (owes && !behind.contains(kept)) {
                behind.add(kept);
            }
            return true;
        });
    }

    private void step(SessionScreen kept) {
        long began = time.nanos();
        boolean done = attempt(kept, () -> {
            kept.step(kept.log.end());
            return true;
        });
        long now = time.nanos();
        stepAt = now + Math.min(REST_PER_STEP * (now - began), MAX_REST_NANOS);
        // Until less than a segment is left, which the next look parses.
        if (done && kept.log.end() - kept.known() >= kept.checkpointAfter / 4) {
            behind.add(kept);
        }
    }

    private long makeThumbnails() {
        try {
            return thumbnails.make();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "could not make a thumbnail", e);
            return time.nanos() + limits.thumbnailEvery().toNanos();
        }
    }

    private interface Work {
        boolean run();
    }

    /// @return false if the work failed: the session is gone, or something is broken
    private boolean attempt(SessionScreen kept, Work work) {
        try {
            return work.run();
        } catch (SessionException e) {
            if (!kept.closed()) {
                LOG.log(System.Logger.Level.WARNING, "could not follow the output of " + kept.session, e);
            }
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.WARNING, "could not follow the output of " + kept.session, e);
        }
        return false;
    }

    /// Ends the thread. Not called by the thread itself.
    @Override
    public void close() {
        stopped = true;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
