package dev.belay;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What the sessions of one [Sessions] may use, each and together. Start with [#DEFAULT] and refine.
///
/// @param maxSessions     sessions at once (10)
/// @param logBytes        bytes of output kept per session (8 MiB)
/// @param maxInputBytes   bytes of one write (1 MiB)
/// @param writeTimeout    how long a write waits for a child that does not read, unless the write says otherwise (10 s)
/// @param idleTimeout     how long nothing may happen in a session before it is ended, unless its spec says otherwise;
///                        null for no limit (null)
/// @param timeout         the longest wall-clock time that a session may take, even if its spec asks for more; null to
///                        leave it to the spec (null)
/// @param closeGrace      how long processes may take to end politely before they are killed (2 s)
/// @param retention       how long an exited session stays readable (10 minutes)
/// @param maxRetained     how many exited sessions stay readable; beyond that, the oldest quarter is closed (100)
public record Limits(
        int maxSessions,
        long logBytes,
        int maxInputBytes,
        Duration writeTimeout,
        @Nullable Duration idleTimeout,
        @Nullable Duration timeout,
        Duration closeGrace,
        Duration retention,
        int maxRetained) {
    /// The smallest log: two segments.
    public static final long MIN_LOG_BYTES = 128 << 10;

    public static final Limits DEFAULT = new Limits(
            10,
            8 << 20,
            1 << 20,
            Duration.ofSeconds(10),
            null,
            null,
            Duration.ofSeconds(2),
            Duration.ofMinutes(10),
            100);

    public Limits {
        require(maxSessions >= 1, "maxSessions must be at least 1");
        require(logBytes >= MIN_LOG_BYTES, "logBytes must be at least " + MIN_LOG_BYTES);
        require(maxInputBytes >= 1, "maxInputBytes must be at least 1");
        require(!writeTimeout.isNegative(), "writeTimeout cannot be negative");
        require(idleTimeout == null || idleTimeout.isPositive(), "idleTimeout must be longer than zero");
        require(timeout == null || timeout.isPositive(), "timeout must be longer than zero");
        require(!closeGrace.isNegative(), "closeGrace cannot be negative");
        require(!retention.isNegative(), "retention cannot be negative");
        require(maxRetained >= 0, "maxRetained cannot be negative");
    }

    public Limits maxSessions(int value) {
        return new Limits(
                value, logBytes, maxInputBytes, writeTimeout, idleTimeout, timeout, closeGrace, retention,
                maxRetained);
    }

    public Limits logBytes(long value) {
        return new Limits(
                maxSessions, value, maxInputBytes, writeTimeout, idleTimeout, timeout, closeGrace, retention,
                maxRetained);
    }

    public Limits maxInputBytes(int value) {
        return new Limits(
                maxSessions, logBytes, value, writeTimeout, idleTimeout, timeout, closeGrace, retention,
                maxRetained);
    }

    public Limits writeTimeout(Duration value) {
        return new Limits(
                maxSessions, logBytes, maxInputBytes, value, idleTimeout, timeout, closeGrace, retention,
                maxRetained);
    }

    public Limits idleTimeout(@Nullable Duration value) {
        return new Limits(
                maxSessions, logBytes, maxInputBytes, writeTimeout, value, timeout, closeGrace, retention,
                maxRetained);
    }

    public Limits timeout(@Nullable Duration value) {
        return new Limits(
                maxSessions, logBytes, maxInputBytes, writeTimeout, idleTimeout, value, closeGrace, retention,
                maxRetained);
    }

    public Limits closeGrace(Duration value) {
        return new Limits(
                maxSessions, logBytes, maxInputBytes, writeTimeout, idleTimeout, timeout, value, retention,
                maxRetained);
    }

    public Limits retention(Duration value) {
        return new Limits(
                maxSessions, logBytes, maxInputBytes, writeTimeout, idleTimeout, timeout, closeGrace, value,
                maxRetained);
    }

    public Limits maxRetained(int value) {
        return new Limits(
                maxSessions, logBytes, maxInputBytes, writeTimeout, idleTimeout, timeout, closeGrace, retention,
                value);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw SessionException.invalid(message + ".");
        }
    }
}
