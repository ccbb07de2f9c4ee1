package dev.belay.server.mcp;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.access.ActorSessions;
import dev.belay.agent.AgentSettings;
import dev.belay.agent.AgentTools;
import dev.belay.agent.CallTurns;
import dev.belay.mcp.Conversation;
import dev.belay.mcp.Results;
import dev.belay.mcp.Workplace;
import dev.belay.server.Server;
import dev.belay.server.auth.Login;
import dev.belay.server.settings.ServerSettings.HttpLimits;
import dev.belay.server.settings.TokenHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.eclipse.jetty.util.thread.Scheduler;

/// All conversations with agents. A principal has a bounded number of them: a new one takes the place of the one that
/// was not used for longest, and one that is not used at all is forgotten after a while.
///
/// The monitor guards the tables only; conversations end outside of it.
final class Conversations implements AutoCloseable {
    private final Server server;
    private final Supplier<AgentSettings> settings;
    private final Supplier<Results> results;
    private final String version;
    private final Map<String, McpClient> clients = new HashMap<>();
    private final Set<Single> singles = new HashSet<>();
    private final CallTurns turns = new CallTurns();
    private long begun;
    private boolean closed;

    Conversations(Server server, Supplier<AgentSettings> settings, Supplier<Results> results, String version) {
        this.server = server;
        this.settings = settings;
        this.results = results;
        this.version = version;
    }

    /// What the address of a request asks for.
    ///
    /// @param results what answers carry, if not as in the settings
    /// @param folder  the folder that relative folders start at
    /// @param name    what a `belay mcp` that passes messages on calls its conversation, which is as long as its life
    record Wish(Optional<Results> results, String folder, Optional<String> name) {}

    /// A conversation of one request, which is complete in itself. Nothing of it is kept.
    record Single(Login login, Conversation conversation, Conversations all) implements AutoCloseable {
        @Override
        public void close() {
            synchronized (all) {
                all.singles.remove(this);
            }
            conversation.close();
        }
    }

    synchronized Single single(Login login, Wish wish) {
        requireOpen();
        ActorSessions view = server.access().ofAgent(login).in(wish.name().orElse(null));
        Single single = new Single(login, conversation(login, view, wish), this);
        singles.add(single);
        return single;
    }

    private void requireOpen() {
        if (closed) {
            throw new SessionException(ErrorCode.UNAVAILABLE, "The server is shutting down.");
        }
    }

    private Conversation conversation(Login login, ActorSessions view, Wish wish) {
        AgentTools tools = new AgentTools(view, server.screens(), settings, turns);
        return new Conversation(
                Workplace.of(
                        tools, wish.folder(), (tool, session) -> server.feed().history().called(
                                login.name(), tool, session)),
                () -> wish.results().orElseGet(results), version);
    }

    /// Begins a conversation.
    McpClient.Use begin(Login login, Wish wish, Scheduler scheduler) {
        HttpLimits limits = server.settings().http();
        McpClient client;
        McpClient.Use use;
        McpClient old = null;
        synchronized (this) {
            requireOpen();
            List<McpClient> own = clients.values().stream().filter(one -> one.isOf(login)).toList();
            if (own.size() >= limits.conversations()) {
                old = longestIdle(own, limits.conversations());
                clients.remove(old.id());
            }
            // Not the id of the conversation, which is a secret.
            ActorSessions view = server.access().ofAgent(login).in(wish.name().orElseGet(AgentTools::newSessionId));
            client = new McpClient(TokenHash.newToken(), login, conversation(login, view, wish),
                    view::endConversation, server.sessions().time());
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
                        own.getFirst().login().name() + " has " + most
                                + " conversations in use; end one of them first."));
    }

    /// Continues a conversation. One of another principal is not found, as if it did not exist.
    synchronized McpClient.Use take(Login login, String id) {
        McpClient client = clients.get(id);
        if (client == null || !client.isOf(login)) {
            throw new SessionException(
                    ErrorCode.NOT_FOUND, "This conversation no longer exists; start a new one with initialize.");
        }
        return client.use();
    }

    void end(Login login, String id) {
        try (McpClient.Use use = take(login, id)) {
            endIf(client -> client.equals(use.client()));
        }
    }

    /// There are new settings: ends what was begun with tokens that are no longer valid, or has been idle too long.
    void reloaded() {
        Duration idle = server.settings().http().conversationIdle();
        endSingles(single -> server.authority().current(single.login()).isEmpty());
        endIf(client -> server.authority().current(client.login()).isEmpty() || client.idle().compareTo(idle) >= 0);
    }

    private void endIf(Predicate<McpClient> over) {
        List<McpClient> gone = new ArrayList<>();
        synchronized (this) {
            clients.values().stream().filter(over).forEach(gone::add);
            gone.forEach(client -> clients.remove(client.id()));
        }
        gone.forEach(McpClient::close);
    }

    private void endSingles(Predicate<Single> over) {
        List<Single> gone;
        synchronized (this) {
            gone = singles.stream().filter(over).toList();
        }
        gone.forEach(single -> single.conversation().close());
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

    /// Requests in progress that belong to no conversation.
    synchronized int singles() {
        return singles.size();
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
        endSingles(Objects::nonNull);
    }
}
