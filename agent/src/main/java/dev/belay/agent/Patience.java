package dev.belay.agent;

import dev.belay.Deadline;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// How long a call waits.
///
/// @param longWait whether it waits for something named, or was cut to what a call may take
record Patience(Deadline deadline, boolean longWait) {
    /// @param asked  milliseconds that the call asks for, if it does
    /// @param named  whether it names what it waits for: then it waits as long as a call may
    /// @param usual  how long it waits otherwise
    /// @param most   how long a call may take
    static Patience of(@Nullable Integer asked, boolean named, Duration usual, Duration most) {
        Duration wanted = asked != null ? Duration.ofMillis(asked) : named ? most : usual;
        boolean cut = wanted.compareTo(most) > 0;
        return new Patience(Deadline.in(cut ? most : wanted), cut || named);
    }

    Duration left() {
        return Duration.ofNanos(Math.max(0, deadline.remainingNanos()));
    }
}
