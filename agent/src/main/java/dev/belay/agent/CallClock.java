package dev.belay.agent;

import dev.belay.Deadline;
import dev.belay.Time;
import java.time.Duration;

/// How long a call has taken so far.
record CallClock(Time time, long beganNanos) {
    /// Of a call that begins now.
    static CallClock start(Time time) {
        return new CallClock(time, time.nanos());
    }

    long millis() {
        return (time.nanos() - beganNanos) / 1_000_000;
    }

    /// The moment at which a duration from now is over.
    Deadline in(Duration duration) {
        return Deadline.in(time, duration);
    }
}
