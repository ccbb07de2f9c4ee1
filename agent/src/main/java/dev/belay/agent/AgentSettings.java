package dev.belay.agent;

import dev.belay.SessionException;
import java.time.Duration;
import java.util.Map;

/// How the agent tools behave. Start with [#DEFAULT] and refine.
///
/// @param maxSessions      sessions at once (10)
/// @param idleTimeout      how long nothing may happen in a session before it is ended; zero: never (300 s)
/// @param maxCall          the longest time that a call may take; less than clients wait (55 s)
/// @param yield            how long a call waits at most by default (10 s)
/// @param toolchainYield   the same for commands of development tools, which take longer (55 s)
/// @param poll             the same for a call that types nothing (5 s)
/// @param env              variables of every session (no colours, pagers, editors or questions)
/// @param shell            the shell that runs commands, unless a call names another
/// @param tokens           measures output
/// @param policy           which commands may be started (all)
public record AgentSettings(
        int maxSessions,
        Duration idleTimeout,
        Duration maxCall,
        Duration yield,
        Duration toolchainYield,
        Duration poll,
        Map<String, String> env,
        String shell,
        Tokens tokens,
        Policy policy) {
    /// Variables that keep programs from waiting for somebody who is not there.
    public static final Map<String, String> PROFILE = Map.of(
            "NO_COLOR", "1",
            "PAGER", "cat",
            "GIT_PAGER", "cat",
            "MANPAGER", "cat",
            "GIT_TERMINAL_PROMPT", "0",
            "GIT_EDITOR", "true",
            "DEBIAN_FRONTEND", "noninteractive");

    public static final AgentSettings DEFAULT = new AgentSettings(
            10,
            Duration.ofSeconds(300),
            Duration.ofSeconds(55),
            Duration.ofSeconds(10),
            Duration.ofSeconds(55),
            Duration.ofSeconds(5),
            PROFILE,
            Shells.standard(System.getenv()),
            Tokens.estimated(),
            Policy.ALLOW_ALL);

    public AgentSettings {
        env = Map.copyOf(env);
        if (maxSessions < 1 || idleTimeout.isNegative() || !maxCall.isPositive() || yield.isNegative()
                || toolchainYield.isNegative() || poll.isNegative()) {
            throw SessionException.invalid(
                    "The agent tools need at least 1 session, a call time longer than zero, and no negative times.");
        }
    }

    public AgentSettings maxSessions(int value) {
        return new AgentSettings(value, idleTimeout, maxCall, yield, toolchainYield, poll, env, shell, tokens, policy);
    }

    public AgentSettings idleTimeout(Duration value) {
        return new AgentSettings(maxSessions, value, maxCall, yield, toolchainYield, poll, env, shell, tokens, policy);
    }

    public AgentSettings maxCall(Duration value) {
        return new AgentSettings(maxSessions, idleTimeout, value, yield, toolchainYield, poll, env, shell, tokens,
                policy);
    }

    public AgentSettings yields(Duration usual, Duration toolchain, Duration whenPolling) {
        return new AgentSettings(maxSessions, idleTimeout, maxCall, usual, toolchain, whenPolling, env, shell, tokens,
                policy);
    }

    public AgentSettings env(Map<String, String> value) {
        return new AgentSettings(maxSessions, idleTimeout, maxCall, yield, toolchainYield, poll, value, shell, tokens,
                policy);
    }

    public AgentSettings shell(String value) {
        return new AgentSettings(maxSessions, idleTimeout, maxCall, yield, toolchainYield, poll, env, value, tokens,
                policy);
    }

    public AgentSettings tokens(Tokens value) {
        return new AgentSettings(maxSessions, idleTimeout, maxCall, yield, toolchainYield, poll, env, shell, value,
                policy);
    }

    public AgentSettings policy(Policy value) {
        return new AgentSettings(maxSessions, idleTimeout, maxCall, yield, toolchainYield, poll, env, shell, tokens,
                value);
    }
}
