package dev.belay.server.mcp;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionException;
import dev.belay.agent.AgentSettings;
import dev.belay.mcp.Conversation;
import dev.belay.mcp.Results;
import dev.belay.server.Server;
import dev.belay.server.auth.Login;
import dev.belay.server.auth.SignIn;
import dev.belay.server.settings.ServerSettings.HttpLimits;
import dev.belay.server.wire.HttpReplies;
import dev.belay.server.wire.Json;
import dev.belay.server.wire.Requests;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
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
/// A POST brings messages and gets their answers. Since revision 2026-07-28 that is all: a request is complete in
/// itself. Before, it belongs to a conversation: a GET is a stream of the server's own requests, and a DELETE ends the
/// conversation. Its id is worth nothing without the token of the principal that began it.
public final class McpDoor extends Handler.Abstract {
    /// Where it is mounted.
    public static final String PATH = "/mcp";

    static final String CONVERSATION = "Mcp-Session-Id";
    private static final String RESULTS = "results";
    private static final String WORKDIR = "workdir";
    private static final String NAME = "conversation";
    private static final Pattern NAMES = Pattern.compile("[A-Za-z0-9_-]{16,64}");

    private final Server server;
    private final Conversations conversations;

    /// @param settings asked for by every call of a tool: they may change
    /// @param results  what answers carry, unless the address says otherwise (`?results=both`)
    /// @param version  the version of Belay
    public McpDoor(
            Server server, Supplier<AgentSettings> settings, Supplier<Results> results, String version) {
        this.server = server;
        this.conversations = new Conversations(server, settings, results, version);
        server.onReload(conversations::reloaded);
        server.onClose(conversations::close);
        server.metrics().gauge("belay_mcp_conversations", "Conversations with agents", conversations::size);
        server.metrics().count("belay_mcp_conversations_begun", "Conversations that agents have begun",
                conversations::begun);
        server.metrics().gauge("belay_mcp_requests", "Agents' requests in progress, outside conversations",
                conversations::singles);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        try {
            answer(request, response, callback);
        } catch (SessionException e) {
            HttpReplies.error(request, response, callback, e);
        } catch (IOException e) {
            // The client has gone; what it was not told is in the logs of its sessions.
            callback.failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            callback.failed(e);
        }
        return true;
    }

    private void answer(Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        String path = Request.getPathInContext(request);
        if (!path.equals(PATH)) {
            throw new SessionException(ErrorCode.NOT_FOUND, "There is nothing at " + Quoted.of(path) + ".");
        }
        Login login = SignIn.byToken(server.authority(), request);
        Requests.requireQuery(request, List.of(RESULTS, WORKDIR, NAME));
        switch (request.getMethod()) {
            case "POST" -> post(login, request, response, callback);
            case "GET" -> {
                requireVersion(request);
                stream(login, request, response, callback);
            }
            case "DELETE" -> {
                requireVersion(request);
                conversations.end(login, id(request));
                response.setStatus(204);
                callback.succeeded();
            }
            default -> HttpReplies.notAllowed(request, response, callback, PATH, List.of("DELETE", "GET", "POST"));
        }
    }

    private void post(Login login, Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        byte[] body = Requests.body(request, Conversation.MAX_MESSAGE_BYTES, limits().bodyTimeout());
        JsonNode message;
        try {
            message = Json.reader(limits().jsonDepth(), Conversation.MAX_MESSAGE_BYTES).readTree(Json.text(body));
        } catch (CharacterCodingException _) {
            HttpReplies.json(response, callback, 400, Conversation.notUtf8());
            return;
        } catch (JacksonException e) {
            HttpReplies.json(response, callback, 400, Conversation.unreadable(e));
            return;
        }
        boolean streams = accepts(request, "text/event-stream");
        String spoken = request.getHeaders().get(StatelessPost.VERSION);
        if (Conversation.isStateless(message) || (spoken != null && !Conversation.LEGACY.contains(spoken))) {
            Requests.mayTakeLong(request);
            try (Conversations.Single single = conversations.single(login, wish(request))) {
                new StatelessPost(message, request.getHeaders(), new PostReply(null, response, streams))
                        .answer(single.conversation(), callback);
            }
            return;
        }
        boolean begins = message.path("method").asString("").equals("initialize");
        Requests.mayTakeLong(request);
        try (McpClient.Use use = begins
                ? conversations.begin(login, wish(request), request.getComponents().getScheduler())
                : conversations.take(login, id(request))) {
            PostReply reply = new PostReply(use.client(), response, streams);
            if (begins) {
                response.getHeaders().put(CONVERSATION, use.client().id());
            }
            reply.begin(message);
            use.client().conversation().converse(message, reply);
            reply.finish(message, callback);
        }
    }

    private void stream(Login login, Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        if (!accepts(request, "text/event-stream")) {
            HttpReplies.error(request, response, callback, 406, new SessionException(
                    ErrorCode.INVALID_REQUEST, "A GET is a stream of events: accept text/event-stream."));
            return;
        }
        Requests.mayTakeLong(request);
        try (McpClient.Use use = conversations.take(login, id(request))) {
            EventStream events = new EventStream(response);
            use.client().stream(events);
            events.end(callback);
        }
    }

    private static Conversations.Wish wish(Request request) {
        Optional<String> name = Requests.query(request, NAME);
        if (name.filter(one -> !NAMES.matcher(one).matches()).isPresent()) {
            throw Requests.invalid("conversation must be 16 to 64 letters, digits, '_' or '-'.");
        }
        return new Conversations.Wish(
                Requests.query(request, RESULTS).map(Results::of), Requests.query(request, WORKDIR).orElse("."), name);
    }

    private static void requireVersion(Request request) {
        String version = request.getHeaders().get(StatelessPost.VERSION);
        if (version != null && !Conversation.LEGACY.contains(version)) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    StatelessPost.VERSION + " " + Quoted.of(version) + " has no conversations; "
                            + String.join(", ", Conversation.LEGACY) + " have.");
        }
    }

    private static String id(Request request) {
        List<String> ids = request.getHeaders().getValuesList(CONVERSATION);
        if (ids.size() != 1) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "Send initialize first, then its header " + CONVERSATION + " with every request.");
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
