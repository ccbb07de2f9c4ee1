package dev.belay.server.mcp;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionException;
import dev.belay.agent.AgentSettings;
import dev.belay.mcp.Conversation;
import dev.belay.server.Json;
import dev.belay.server.Server;
import dev.belay.server.ServerSettings.HttpLimits;
import dev.belay.server.auth.Login;
import dev.belay.server.rest.Exchange;
import dev.belay.server.rest.Replies;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/// The agent tools over MCP's streamable HTTP: the same [Conversation] as over standard input and output, with the
/// sessions of the server, for each principal their own.
///
/// A POST brings messages and gets their answers; a GET is a stream of what the server asks by itself; a DELETE ends the
/// conversation. Its id is worth nothing without the token of the principal that began it.
public final class McpDoor extends Handler.Abstract {
    /// Where it is mounted.
    public static final String PATH = "/mcp";

    static final String CONVERSATION = "Mcp-Session-Id";
    private static final String VERSION = "MCP-Protocol-Version";

    private final Server server;
    private final Conversations conversations;

    /// @param settings asked for by every call of a tool: they may change
    /// @param version  the version of Belay
    public McpDoor(Server server, Supplier<AgentSettings> settings, String version) {
        this.server = server;
        this.conversations = new Conversations(server, settings, version);
        server.onReload(conversations::reloaded);
        server.onClose(conversations::close);
        server.metrics().gauge("belay_mcp_conversations", "Conversations with agents", conversations::size);
        server.metrics().count("belay_mcp_conversations_begun", "Conversations that agents began",
                conversations::begun);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Exchange exchange = new Exchange(request, response, callback, limits(), Map.of());
        try {
            answer(exchange, request, response, callback);
        } catch (SessionException e) {
            Replies.error(request, response, callback, e);
        } catch (IOException e) {
            // The client has gone; what it was not told is in the logs of its sessions.
            callback.failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            callback.failed(e);
        }
        return true;
    }

    private void answer(Exchange exchange, Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        String path = Request.getPathInContext(request);
        if (!path.equals(PATH)) {
            throw new SessionException(ErrorCode.NOT_FOUND, "There is nothing at " + Quoted.of(path) + ".");
        }
        Login login = Exchange.login(server.authority(), request);
        requireVersion(request);
        switch (request.getMethod()) {
            case "POST" -> post(login, exchange, request, response, callback);
            case "GET" -> stream(login, exchange, request, response, callback);
            case "DELETE" -> {
                conversations.end(login, id(request));
                response.setStatus(204);
                callback.succeeded();
            }
            default -> {
                response.getHeaders().put(HttpHeader.ALLOW, "DELETE, GET, POST");
                Replies.error(request, response, callback, 405,
                        new SessionException(ErrorCode.INVALID_REQUEST, PATH + " takes POST, GET and DELETE."));
            }
        }
    }

    private void post(Login login, Exchange exchange, Request request, Response response, Callback callback)
            throws IOException {
        byte[] body = exchange.bytes(Conversation.MAX_MESSAGE_BYTES);
        JsonNode message;
        try {
            message = Json.reader(limits().jsonDepth(), Conversation.MAX_MESSAGE_BYTES).readTree(body);
        } catch (JacksonException e) {
            Replies.json(response, callback, 400, Conversation.unreadable(e));
            return;
        }
        boolean begins = message.path("method").asString("").equals("initialize");
        exchange.mayTakeLong();
        try (McpClient.Use use = begins
                ? conversations.begin(login, request.getComponents().getScheduler())
                : conversations.take(login, id(request))) {
            PostReply reply = new PostReply(use.client(), response, accepts(request, "text/event-stream"));
            if (begins) {
                response.getHeaders().put(CONVERSATION, use.client().id());
            }
            reply.begin(message);
            use.client().conversation().converse(message, reply);
            reply.finish(message, callback);
        }
    }

    private void stream(Login login, Exchange exchange, Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        if (!accepts(request, "text/event-stream")) {
            Replies.error(request, response, callback, 406, new SessionException(
                    ErrorCode.INVALID_REQUEST, "A GET is a stream of events: accept text/event-stream."));
            return;
        }
        exchange.mayTakeLong();
        try (McpClient.Use use = conversations.take(login, id(request))) {
            Events events = new Events(response);
            use.client().stream(events);
            events.end(callback);
        }
    }

    private static void requireVersion(Request request) {
        String version = request.getHeaders().get(VERSION);
        if (version != null && !Conversation.VERSIONS.contains(version)) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    VERSION + " " + Quoted.of(version) + " is not spoken here; "
                            + String.join(", ", Conversation.VERSIONS) + " are.");
        }
    }

    private static String id(Request request) {
        List<String> ids = request.getHeaders().getValuesList(CONVERSATION);
        if (ids.size() != 1) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "Send initialize first, and then its answer's header " + CONVERSATION + " with every request.");
        }
        return ids.getFirst();
    }

    private static boolean accepts(Request request, String type) {
        return request.getHeaders().getCSV(HttpHeader.ACCEPT, false).stream()
                .anyMatch(one -> mediaType(one).equalsIgnoreCase(type));
    }

    private static String mediaType(@Nullable String range) {
        String text = range == null ? "" : range;
        int parameters = text.indexOf(';');
        return (parameters < 0 ? text : text.substring(0, parameters)).strip();
    }

    private HttpLimits limits() {
        return server.settings().http();
    }
}
