package dev.belay.server.auth;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import java.time.Duration;

/// What one principal may use.
///
/// @param sessions         sessions at once, however they were opened (1,000: in effect what the server has room for)
/// @param agentSessions    of these, opened by agents (10)
/// @param terminalSessions of these, opened as terminals (5)
/// @param creations        sessions opened within `per`, whether they still run or not (120)
/// @param per              see `creations` (1 min)
/// @param keptBytes        output kept of all their sessions (1 GiB)
public record Quota(
        int sessions, int agentSessions, int terminalSessions, int creations, Duration per, long keptBytes) {
    public static final Quota DEFAULT = new Quota(1000, 10, 5, 120, Duration.ofMinutes(1), 1L << 30);

    public Quota {
        require(sessions >= 0 && agentSessions >= 0 && terminalSessions >= 0, "numbers of sessions are not negative");
        require(creations >= 1, "creations is at least 1");
        require(per.isPositive(), "per is longer than zero");
        require(keptBytes >= 0, "keptBytes is not negative");
    }

    int sessions(Door door) {
        return switch (door) {
            case AGENT -> Math.min(sessions, agentSessions);
            case TERMINAL -> Math.min(sessions, terminalSessions);
            case API -> sessions;
        };
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new SessionException(ErrorCode.INVALID_REQUEST, "A quota is not valid: " + message + ".");
        }
    }
}
