package dev.belay.screens;

import dev.belay.Actor;
import dev.belay.OutputLog.Resize;
import dev.belay.SessionException;
import dev.belay.Time;
import dev.belay.screen.Sight;
import dev.belay.screen.Snapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The thumbnails that dashboards wait for. The belay-screen thread makes them, so that all dashboards together take no
/// more than that thread's time.
///
/// The monitor guards what is watched and what was made. Nothing is parsed in it.
final class Thumbnails {
    private final ScreensLimits limits;
    private final Time time;
    private final Runnable wake;
    /// By how many each is watched.
    private final Map<SessionScreen, Integer> watched = new HashMap<>();
    private volatile boolean isWatched;

    /// The thumbnail of one session: as those see it who may see everything, and as everybody does.
    static final class Made {
        private @Nullable Snapshot all;
        private @Nullable Snapshot open;
        private @Nullable Resize sized;
        private long madeNanos;
    }

    /// What a dashboard knows of a session.
    record Asked(Since since, SessionScreen kept) {
        Actor actor() {
            return since.session().actor();
        }
    }

    /// @param wake wakes the belay-screen thread
    Thumbnails(ScreensLimits limits, Time time, Runnable wake) {
        this.limits = limits;
        this.time = time;
        this.wake = wake;
    }

    /// Those that have changed, as soon as there is one, or none if that takes longer than until a time.
    List<Thumbnail> await(List<Asked> asked, long atNanos) throws InterruptedException {
        watch(asked, 1);
        try {
            wake.run();
            synchronized (this) {
                while (true) {
                    List<Thumbnail> changed = changed(asked);
                    long left = atNanos - time.nanos();
                    if (!changed.isEmpty() || left <= 0) {
                        return changed;
                    }
                    wait(left / 1_000_000, (int) (left % 1_000_000));
                }
            }
        } finally {
            watch(asked, -1);
        }
    }

    /// Whether somebody waits. Any thread may ask; the answer may be late, but then the thread is woken.
    boolean watched() {
        return isWatched;
    }

    private synchronized void watch(List<Asked> asked, int more) {
        for (Asked one : asked) {
            watched.merge(one.kept(), more, (before, by) -> before + by == 0 ? null : before + by);
        }
        isWatched = !watched.isEmpty();
    }

    private List<Thumbnail> changed(List<Asked> asked) {
        List<Thumbnail> changed = new ArrayList<>();
        for (Asked one : asked) {
            Made made = one.kept().thumbnail;
            Snapshot snapshot = one.kept().sight(one.actor()) == Sight.ALL ? made.all : made.open;
            long known = one.since().offset();
            boolean fresh = !stale(one.kept()) || time.nanos() - made.madeNanos < limits.thumbnailEvery().toNanos();
            if (snapshot != null && fresh && (known == 0 || snapshot.offset() > known)) {
                changed.add(Thumbnail.of(one.since(), snapshot));
            }
        }
        return changed;
    }

    private static boolean stale(SessionScreen kept) {
        Made made = kept.thumbnail;
        return made.all == null
                || made.all.offset() != kept.log.end()
                || !kept.log.resizes().getLast().equals(made.sized);
    }

    // --- on the belay-screen thread ---

    /// Makes what is watched and due.
    ///
    /// @return when the next one is due, `Long.MAX_VALUE` if none is
    long make() {
        List<SessionScreen> due = new ArrayList<>();
        long next = Long.MAX_VALUE;
        long now = time.nanos();
        synchronized (this) {
            for (SessionScreen kept : watched.keySet()) {
                long at = kept.thumbnail.madeNanos + limits.thumbnailEvery().toNanos();
                if (kept.closed() || !stale(kept)) {
                    continue;
                }
                if (kept.thumbnail.all == null || at - now <= 0) {
                    due.add(kept);
                } else {
                    next = Math.min(next, at);
                }
            }
        }
        due.forEach(this::make);
        return next;
    }

    private void make(SessionScreen kept) {
        try {
            Resize sized = kept.log.resizes().getLast();
            Snapshot[] both = kept.look(OptionalLong.empty(), 0, screen -> {
                Snapshot all = screen.snapshot(Sight.ALL, 0);
                return new Snapshot[] {all, kept.allPublic() ? all : screen.snapshot(Sight.PUBLIC, 0)};
            });
            synchronized (this) {
                kept.thumbnail.all = both[0];
                kept.thumbnail.open = both[1];
                kept.thumbnail.sized = sized;
                kept.thumbnail.madeNanos = time.nanos();
                notifyAll();
            }
        } catch (SessionException e) {
            if (!kept.closed()) {
                throw e;
            }
        }
    }
}
