package dev.belay.access;

import dev.belay.ErrorCode;
import dev.belay.Origin;
import dev.belay.SessionException;
import java.time.Duration;

/// What one principal may use.
///
/// @param sessions         sessions at once, of any origin (1,000: in practice the server's capacity)
/// @param agentSessions    of these, sessions that agents opened (10)
/// @param terminalSessions of these, terminals (5)
/// @param creations        sessions opened within `per`, including those that have ended (120)
/// @param per              see `creations` (1 min)
/// @param keptBytes        output kept for all their sessions together (1 GiB)
public record Quota(
        int sessions, int agentSessions, int terminalSessions, int creations, Duration per, long keptBytes) {
    public static final Quota DEFAULT = new Quota(1000, 10, 5, 120, Duration.ofMinutes(1), 1L << 30);

    /// A quota that limits only how many sessions agents have at once.
    public static Quota ofAgents(int agentSessions) {
        int all = Integer.MAX_VALUE;
        return new Quota(all, agentSessions, all, all, Duration.ofMinutes(1), Long.MAX_VALUE);
    }

    public Quota {
        require(sessions >= 0 && agentSessions >= 0 && terminalSessions >= 0,
                "numbers of sessions must not be negative");
        require(creations >= 1, "creations must be at least 1");
        require(per.isPositive(), "per must be longer than zero");
        require(keptBytes >= 0, "keptBytes must not be negative");
    }

    int sessions(Origin origin) {
        return switch (origin) {
            case AGENT -> Math.min(sessions, agentSessions);
            case TERMINAL -> Math.min(sessions, terminalSessions);
            case API, LIBRARY -> sessions;
        };
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new SessionException(ErrorCode.INVALID_REQUEST, "Invalid quota: " + message + ".");
        }
    }
}
