package dev.belay.cli;

import dev.belay.SessionException;

/// The exit codes of `belay run` that are not the command's own (the same as those of `timeout`, `env` and shells), and
/// the exit codes of client commands.
final class ExitCodes {
    static final int TIMED_OUT = 124;
    static final int BELAY_FAILED = 125;
    static final int NOT_EXECUTABLE = 126;
    static final int NOT_FOUND = 127;
    /// Nobody reads the output any more; the code of a program ended by SIGPIPE.
    static final int NO_READER = 141;

    static final int CLIENT_FAILED = 1;
    static final int CLIENT_MISUSED = 2;
    private static final int CLIENT_NOT_FOUND = 3;
    private static final int CLIENT_LIMIT = 4;
    private static final int CLIENT_DENIED = 5;

    private ExitCodes() {}

    static int ofClient(SessionException refused) {
        return switch (refused.code()) {
            case NOT_FOUND -> CLIENT_NOT_FOUND;
            case LIMIT_REACHED, RATE_LIMITED -> CLIENT_LIMIT;
            case UNAUTHENTICATED, DENIED, OUTSIDE_WORKSPACE -> CLIENT_DENIED;
            case INVALID_REQUEST, ALREADY_EXISTS, NOT_WRITABLE, TOO_LARGE, SPAWN_FAILED, UNAVAILABLE, TIMEOUT,
                    INTERNAL ->
                CLIENT_FAILED;
        };
    }

    static int of(SessionException refused) {
        return switch (refused.code()) {
            case SPAWN_FAILED ->
                switch (String.valueOf(refused.details().get(SessionException.REASON))) {
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
