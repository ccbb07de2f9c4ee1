package dev.belay;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Who types into a session: the last actor, and how many bytes have not been reported to observers yet.
///
/// The monitor guards the counts, which are bounded by the number of actors.
final class Typing {
    private volatile @Nullable Typed last;
    private Map<Actor, Long> untold = new LinkedHashMap<>();

    /// An actor has typed.
    ///
    /// @return whether the observers need a report: none is due yet
    boolean add(Actor actor, long bytes, Instant now) {
        last = new Typed(actor.name(), actor.agent(), now);
        synchronized (this) {
            boolean first = untold.isEmpty();
            untold.merge(actor, bytes, Long::sum);
            return first;
        }
    }

    @Nullable Typed last() {
        return last;
    }

    /// Reports to each observer what was unreported when the first one got it.
    Consumer<SessionObserver> report(String owner, String id) {
        return new Consumer<>() {
            private @Nullable Map<Actor, Long> told;

            @Override
            public void accept(SessionObserver observer) {
                if (told == null) {
                    told = take();
                }
                told.forEach((by, bytes) -> observer.typed(owner, id, by, bytes));
            }
        };
    }

    synchronized boolean isUntold() {
        return !untold.isEmpty();
    }

    /// What was untold until now.
    synchronized Map<Actor, Long> take() {
        Map<Actor, Long> told = untold;
        untold = new LinkedHashMap<>();
        return told;
    }
}
