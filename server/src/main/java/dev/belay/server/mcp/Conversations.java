package dev.belay.server.mcp;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.agent.AgentSettings;
import dev.belay.agent.AgentTools;
import dev.belay.mcp.Conversation;
import dev.belay.server.Server;
import dev.belay.server.ServerSettings.HttpLimits;
import dev.belay.server.auth.Door;
import dev.belay.server.auth.Login;
import dev.belay.server.auth.Principal;
import dev.belay.server.auth.TokenHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.eclipse.jetty.util.thread.Scheduler;

/// All conversations with agents. A principal has a bounded number of them: a new one takes the place of the one that was
/// not used for longest, and one that is not used at all is forgotten after a while.
///
/// The monitor guards the tables only; conversations end outside of it.
final class Conversations implements AutoCloseable {
    private final Server server;
    private final Supplier<AgentSettings> settings;
    private final String version;
    private final Map<String, McpClient> clients = new HashMap<>();
    private final Map<String, Agent> agents = new HashMap<>();
    private long begun;
    private boolean closed;

    Conversations(Server server, Supplier<AgentSettings> settings, String version) {
        this.server = server;
        // How many sessions an agent may have is a matter of its principal's quota here.
        this.settings = () -> settings.get().maxSessions(Integer.MAX_VALUE);
        this.version = version;
    }

    /// The tools of a principal, one set for all its conversations: calls on one session follow each other.
    private final class Agent {
        final AgentTools tools;
        /// As the principal has signed in last.
        volatile Login login;

        Agent(Login login) {
            this.login = login;
            this.tools = new AgentTools(
                    server.sessions(),
                    spec -> server.access().open(this.login, Door.AGENT, spec),
                    settings,
                    login.principal().actor().asAgent());
        }
    }

    /// Begins a conversation.
    McpClient.Use begin(Login login, Scheduler scheduler) {
        HttpLimits limits = server.settings().http();
        McpClient client;
        McpClient.Use use;
        McpClient old = null;
        synchronized (this) {
            if (closed) {
                throw new SessionException(ErrorCode.UNAVAILABLE, "The server is shutting down.");
            }
            List<McpClient> own = clients.values().stream().filter(one -> one.isOf(login)).toList();
            if (own.size() >= limits.conversations()) {
                old = longestIdle(own, limits.conversations());
                clients.remove(old.id());
            }
            Agent agent = agents.computeIfAbsent(key(login), _ -> new Agent(login));
            agent.login = login;
            Conversation conversation = new Conversation(agent.tools, server.sessions().workspace(), version);
            client = new McpClient(TokenHash.newToken(), login, conversation);
            clients.put(client.id(), client);
            begun++;
            use = client.use();
        }
        if (old != null) {
            old.close();
        }
        expire(client, limits.conversationIdle(), scheduler);
        return use;
    }

    private static McpClient longestIdle(List<McpClient> own, int most) {
        return own.stream()
                .filter(one -> one.idle().isPositive())
                .max(Comparator.comparing(McpClient::idle))
                .orElseThrow(() -> new SessionException(
                        ErrorCode.LIMIT_REACHED,
                        "There are " + most + " conversations of " + own.getFirst().login().name()
                                + " in use; end one of them first."));
    }

    /// Goes on with a conversation. One of another principal is not found, as if it did not exist.
    synchronized McpClient.Use take(Login login, String id) {
        McpClient client = clients.get(id);
        if (client == null || !client.isOf(login)) {
            throw new SessionException(
                    ErrorCode.NOT_FOUND, "There is no such conversation any more; begin another one with initialize.");
        }
        Agent agent = agents.get(key(login));
        if (agent != null) {
            agent.login = login;
        }
        return client.use();
    }

    /// Roles are part of it: what an agent may touch depends on them.
    private static String key(Login login) {
        Principal principal = login.principal();
        return principal.role().label() + " " + principal.name();
    }

    void end(Login login, String id) {
        try (McpClient.Use use = take(login, id)) {
            endIf(client -> client.equals(use.client()));
        }
    }

    /// There are new settings: ends what was begun with tokens that are no longer good, or has been idle for too long.
    void reloaded() {
        Duration idle = server.settings().http().conversationIdle();
        endIf(client -> server.authority().current(client.login()).isEmpty() || client.idle().compareTo(idle) >= 0);
    }

    private void endIf(Predicate<McpClient> over) {
        List<McpClient> gone = new ArrayList<>();
        synchronized (this) {
            clients.values().stream().filter(over).forEach(gone::add);
            gone.forEach(client -> clients.remove(client.id()));
            agents.keySet().removeIf(key -> clients.values().stream().noneMatch(one -> key(one.login()).equals(key)));
        }
        gone.forEach(McpClient::close);
    }

    private void expire(McpClient client, Duration after, Scheduler scheduler) {
        client.timer(scheduler.schedule(() -> {
            Duration left = server.settings().http().conversationIdle().minus(client.idle());
            if (left.isPositive()) {
                expire(client, left, scheduler);
            } else {
                endIf(one -> one.equals(client) && one.idle().isPositive());
            }
        }, Math.max(1, after.toMillis()), TimeUnit.MILLISECONDS));
    }

    synchronized int size() {
        return clients.size();
    }

    synchronized long begun() {
        return begun;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        endIf(Objects::nonNull);
    }
}
