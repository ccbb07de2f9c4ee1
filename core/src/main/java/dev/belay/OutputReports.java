package dev.belay;

import java.util.concurrent.atomic.AtomicBoolean;

/// Tells observers of one session's output: of the first at once, of the rest now and then. One event at most is on its
/// way, however slow the observers are. The monitor keeps the timer's report from passing the exit; posting never
/// blocks.
final class OutputReports {
    private final LiveSession live;
    /// Whether an event is on its way. It reports all output up to its delivery.
    private final AtomicBoolean posted = new AtomicBoolean();
    /// Whether there is output that no event was posted for.
    private boolean due;
    private boolean begun;

    OutputReports(LiveSession live) {
        this.live = live;
    }

    /// There is output. Loop only.
    synchronized void output() {
        if (!begun) {
            begun = true;
            post();
        } else if (!due) {
            due = true;
            live.registry().reportSoon(this::flush);
        }
    }

    /// Reports what is due.
    synchronized void flush() {
        if (due) {
            due = false;
            post();
        }
    }

    private void post() {
        if (posted.compareAndSet(false, true) && !live.postOutput(() -> posted.set(false))) {
            posted.set(false);
        }
    }
}
