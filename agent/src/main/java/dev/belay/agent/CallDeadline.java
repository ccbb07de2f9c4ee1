package dev.belay.agent;

import dev.belay.Deadline;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Until when a call waits.
///
/// @param longWait whether the call waits for something it named, or was cut to the longest allowed wait
record CallDeadline(Deadline deadline, boolean longWait) {
    /// @param askedMs the wait that the call asks for, if it does
    /// @param named   whether the call names what it waits for: then it waits as long as a call may take
    /// @param usual   the wait of a call that asks for none
    /// @param most    the longest that a call may take
    static CallDeadline of(CallClock clock, @Nullable Integer askedMs, boolean named, Duration usual, Duration most) {
        Duration wanted = askedMs != null ? Duration.ofMillis(askedMs) : named ? most : usual;
        boolean cut = wanted.compareTo(most) > 0;
        return new CallDeadline(clock.in(cut ? most : wanted), cut || named);
    }

    Duration left() {
        return Duration.ofNanos(Math.max(0, deadline.remainingNanos()));
    }
}
