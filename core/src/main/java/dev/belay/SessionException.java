package dev.belay;

import java.io.Serial;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The one exception of Belay: a code for programs, a message for people that says what to do next, and details.
///
/// A command that exits with a nonzero code is a result, never an exception.
public final class SessionException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    /// The key in [#details()] that says what kind of spawn failure it was: `not_found` or `not_executable`.
    public static final String REASON = "reason";
    /// The detail of `RATE_LIMITED` that says when to try again.
    public static final String RETRY_AFTER_MS = "retry_after_ms";

    private final ErrorCode code;
    private final transient Map<String, Object> details;

    public SessionException(ErrorCode code, String message) {
        this(code, message, Map.of(), null);
    }

    public SessionException(ErrorCode code, String message, Map<String, ?> details) {
        this(code, message, details, null);
    }

    public SessionException(
            ErrorCode code, String message, Map<String, ?> details, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.details = Map.copyOf(details);
    }

    public ErrorCode code() {
        return code;
    }

    /// Facts for programs that go with the code, as strings and numbers. Often empty.
    public Map<String, Object> details() {
        return details;
    }

    /// An exception for a request that is invalid in itself.
    public static SessionException invalid(String message) {
        return new SessionException(ErrorCode.INVALID_REQUEST, message);
    }
}
