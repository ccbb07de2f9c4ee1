package dev.belay;

import java.io.Serial;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The one exception of Belay: a code for programs, a message for people that says what to do next, and details.
///
/// A command that exits with a code other than zero is a result, never an exception.
public final class SessionException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    /// The key in [#details()] that says what kind of spawn failure it was: `not_found` or `not_executable`.
    public static final String REASON = "reason";

    private final ErrorCode code;
    private final transient Map<String, String> details;

    public SessionException(ErrorCode code, String message) {
        this(code, message, Map.of(), null);
    }

    public SessionException(ErrorCode code, String message, Map<String, String> details) {
        this(code, message, details, null);
    }

    public SessionException(
            ErrorCode code, String message, Map<String, String> details, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.details = Map.copyOf(details);
    }

    public ErrorCode code() {
        return code;
    }

    /// Facts for programs that go with the code; empty where the code says it all.
    public Map<String, String> details() {
        return details;
    }

    /// A refusal of a request that is wrong in itself.
    public static SessionException invalid(String message) {
        return new SessionException(ErrorCode.INVALID_REQUEST, message);
    }
}
