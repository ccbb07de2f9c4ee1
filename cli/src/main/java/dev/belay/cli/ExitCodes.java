package dev.belay.cli;

import dev.belay.SessionException;

/// The exit codes of `belay run` that are not the command's own: those that `timeout`, `env` and shells use.
final class ExitCodes {
    static final int TIMED_OUT = 124;
    static final int BELAY_FAILED = 125;
    static final int NOT_EXECUTABLE = 126;
    static final int NOT_FOUND = 127;
    /// Nobody reads the output any more: as if ended by SIGPIPE.
    static final int NO_READER = 141;

    private ExitCodes() {}

    static int of(SessionException refused) {
        return switch (refused.code()) {
            case SPAWN_FAILED ->
                switch (refused.details().getOrDefault(SessionException.REASON, "")) {
                    case "not_found" -> NOT_FOUND;
                    case "not_executable" -> NOT_EXECUTABLE;
                    default -> BELAY_FAILED;
                };
            case INVALID_REQUEST,
                    UNAUTHENTICATED,
                    DENIED,
                    OUTSIDE_WORKSPACE,
                    NOT_FOUND,
                    ALREADY_EXISTS,
                    NOT_WRITABLE,
                    TOO_LARGE,
                    LIMIT_REACHED,
                    RATE_LIMITED,
                    UNAVAILABLE,
                    TIMEOUT,
                    INTERNAL ->
                BELAY_FAILED;
        };
    }
}
