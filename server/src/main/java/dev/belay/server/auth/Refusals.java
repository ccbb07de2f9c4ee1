package dev.belay.server.auth;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.time.Duration;
import java.util.Map;

/// Refusals that more than one place gives.
public final class Refusals {
    /// The detail of `RATE_LIMITED` that says when to try again.
    public static final String RETRY_AFTER_MS = "retry_after_ms";

    private Refusals() {}

    static SessionException tooSoon(String what, long waitNanos) {
        long millis = Math.max(1, Duration.ofNanos(waitNanos).toMillis());
        return new SessionException(
                ErrorCode.RATE_LIMITED,
                what + "; try again in " + millis + " ms.",
                Map.of(RETRY_AFTER_MS, Long.toString(millis)));
    }

    static SessionException unauthenticated(String message) {
        return new SessionException(ErrorCode.UNAUTHENTICATED, message);
    }
}
