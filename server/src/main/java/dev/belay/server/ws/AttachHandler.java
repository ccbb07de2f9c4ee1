package dev.belay.server.ws;

import dev.belay.ErrorCode;
import dev.belay.Session;
import dev.belay.SessionException;
import dev.belay.SessionSpec;
import dev.belay.access.ActorSessions;
import dev.belay.server.attach.DetachReason;
import dev.belay.server.attach.ViewOptions;
import dev.belay.server.attach.Viewer;
import dev.belay.server.attach.Viewers;
import dev.belay.server.auth.Access;
import dev.belay.server.auth.Authority;
import dev.belay.server.auth.Login;
import dev.belay.server.auth.SignIn;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.ServerSettings.HttpLimits;
import dev.belay.server.wire.HttpReplies;
import dev.belay.server.wire.RequestFields;
import dev.belay.server.wire.Requests;
import dev.belay.server.wire.SpecFields;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import org.jspecify.annotations.Nullable;

/// The upgrades at `/api/sessions/{id}/attach`, and at `/api/attach` for a session that is still to be opened. The
/// client signs in, and its rights are checked, before the upgrade, so a connection that is not signed in never gets
/// to send a frame.
public final class AttachHandler extends Handler.Abstract {
    private static final List<String> QUERY =
            List.of("from", "mode", "screen", "history", "skip", "answers", "ticket", "owner");
    private static final List<String> OPEN_QUERY = List.of("mode", "screen", "history", "skip", "answers", "ticket");
    private static final Pattern PATH = Pattern.compile("/api/sessions/([^/]+)/attach");
    private static final String OPEN_PATH = "/api/attach";
    /// What a message has besides the input: its kind, the length of the id and the id.
    private static final int HEAD_BYTES = 1 + 1 + 255;

    private final Authority authority;
    private final Access access;
    private final Viewers viewers;
    private final Supplier<ServerSettings> settings;
    private final int maxInputBytes;
    private @Nullable ServerWebSocketContainer container;

    public AttachHandler(
            Authority authority,
            Access access,
            Viewers viewers,
            Supplier<ServerSettings> settings,
            int maxInputBytes) {
        this.authority = authority;
        this.access = access;
        this.viewers = viewers;
        this.settings = settings;
        this.maxInputBytes = maxInputBytes;
    }

    /// Sets up WebSockets on the server. Call it before the server starts.
    public void join(Server server, Duration idleTimeout) {
        ServerWebSocketContainer made = ServerWebSocketContainer.ensure(server);
        made.setIdleTimeout(idleTimeout);
        made.setMaxBinaryMessageSize(maxInputBytes + HEAD_BYTES);
        made.setMaxFrameSize(maxInputBytes + HEAD_BYTES);
        made.setMaxTextMessageSize(HEAD_BYTES);
        made.setAutoFragment(false);
        container = made;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        String path = Request.getPathInContext(request);
        Matcher existing = PATH.matcher(path);
        boolean opens = path.equals(OPEN_PATH);
        if (!opens && !existing.matches()) {
            return false;
        }
        try {
            AttachSocket socket = opens ? opening(request) : attached(existing.group(1), request);
            upgrade(socket, request, response, callback);
        } catch (SessionException e) {
            HttpReplies.error(request, response, callback, e);
        }
        return true;
    }

    /// A connection to a session that there is.
    private AttachSocket attached(String id, Request request) {
        // Before the ticket is used up.
        Requests.requireQuery(request, QUERY);
        Login login = login(request);
        OptionalLong from = Requests.queryNumber(request, "from").map(OptionalLong::of).orElse(OptionalLong.empty());
        ViewOptions options = options(request, login, from);
        Session session = viewers.require(login, id, Requests.query(request, "owner").orElse(null), options);
        return socket(options, line -> viewers.attach(login, session, options, line));
    }

    /// A connection to a session that its first message opens.
    private AttachSocket opening(Request request) {
        Requests.requireQuery(request, OPEN_QUERY);
        Login login = login(request);
        access.of(login).requireMayOpen();
        ViewOptions options = options(request, login, OptionalLong.of(0));
        return socket(options, new Opening(
                (json, line) -> open(login, options, json, line),
                request.getComponents().getScheduler(),
                settings.get().http().bodyTimeout()));
    }

    private Login login(Request request) {
        String ticket = Requests.query(request, "ticket").orElse(null);
        return ticket != null
                ? SignIn.byTicket(authority, request, ticket)
                : SignIn.byToken(authority, request);
    }

    private ViewOptions options(Request request, Login login, OptionalLong from) {
        return ViewOptions.of(
                from,
                Viewer.Mode.of(Requests.query(request, "mode").orElse(null), access.of(login).mayDrive()),
                Requests.queryFlag(request, "screen"),
                Requests.queryNumber(request, "history"),
                Requests.queryNumber(request, "skip"),
                Requests.query(request, "answers").orElse(null));
    }

    private AttachSocket socket(ViewOptions options, Beginning beginning) {
        return new AttachSocket(
                options.mode().label(), maxInputBytes, () -> settings.get().viewers().stall(), beginning);
    }

    private void upgrade(AttachSocket socket, Request request, Response response, Callback callback) {
        if (container == null
                || !container.upgrade((_, reply, _) -> {
                    // Compression would keep buffers for every viewer, and gains little on loopback.
                    reply.setExtensions(List.of());
                    return socket;
                }, request, response, callback)) {
            throw new SessionException(ErrorCode.INVALID_REQUEST, "This is a WebSocket; upgrade the connection.");
        }
    }

    /// Opens a session as `POST /api/sessions` does, and attaches the connection to it.
    ///
    /// @return null if the client is not signed in any more; then the connection ends
    private @Nullable Viewer open(Login login, ViewOptions options, byte[] json, WebSocketViewer line)
            throws InterruptedException {
        try {
            ActorSessions own = access.of(login);
            own.requireMayOpen();
            HttpLimits limits = settings.get().http();
            if (json.length > limits.jsonBytes()) {
                throw Requests.tooLarge("message", limits.jsonBytes());
            }
            SessionSpec spec = SpecFields.ofProgram(RequestFields.of(json, limits.jsonDepth(), limits.jsonBytes()));
            return attach(login, own.open(spec), options, line);
        } catch (SessionException e) {
            if (e.code() == ErrorCode.UNAUTHENTICATED) {
                line.refused(e);
                line.closed(DetachReason.REVOKED);
                return null;
            }
            throw e;
        }
    }

    private Viewer attach(Login login, Session session, ViewOptions options, WebSocketViewer line) {
        try {
            return viewers.attach(login, session, options, line);
        } catch (RuntimeException e) {
            session.close(true); // nobody has got to know of it
            throw e;
        }
    }
}
