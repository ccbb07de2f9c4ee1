package dev.belay.server.attach;

import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Makes viewers look whether the other side is still there, if their sessions are quiet. One virtual thread for all of
/// them, which lives while there are any: a time-out for each wait would cost more than sending a key.
final class QuietTick {
    private final Set<Viewer> viewers;
    private final Supplier<Duration> every;
    private @Nullable Thread thread;

    /// @param viewers changed by the caller, before [#came] and [#left]
    QuietTick(Set<Viewer> viewers, Supplier<Duration> every) {
        this.viewers = viewers;
        this.every = every;
    }

    synchronized void came() {
        if (thread == null) {
            thread = Thread.ofVirtual().name("belay-quiet").start(this::run);
        }
    }

    synchronized void left() {
        if (thread != null && viewers.isEmpty()) {
            thread.interrupt();
            thread = null;
        }
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(every.get());
                viewers.forEach(Viewer::tick);
            }
        } catch (InterruptedException _) {
            // The last viewer has left.
        }
    }
}
