package dev.belay.server.ws;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.attach.ViewOptions;
import dev.belay.server.attach.Viewer;
import dev.belay.server.attach.Viewers;
import dev.belay.server.auth.Access;
import dev.belay.server.auth.Authority;
import dev.belay.server.auth.Login;
import dev.belay.server.auth.SignIn;
import dev.belay.server.settings.ServerSettings.ViewerLimits;
import dev.belay.server.wire.HttpReplies;
import dev.belay.server.wire.Requests;
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

/// The upgrade at `/api/sessions/{id}/attach`. The client signs in, and its rights are checked, before the upgrade, so
/// a connection that is not signed in never gets to send a frame.
public final class AttachHandler extends Handler.Abstract {
    private static final List<String> QUERY =
            List.of("from", "mode", "screen", "history", "skip", "answers", "ticket", "owner");
    private static final Pattern PATH = Pattern.compile("/api/sessions/([^/]+)/attach");
    /// What a message has besides the input: its kind, the length of the id and the id.
    private static final int HEAD_BYTES = 1 + 1 + 255;

    private final Authority authority;
    private final Access access;
    private final Viewers viewers;
    private final Supplier<ViewerLimits> limits;
    private final int maxInputBytes;
    private @Nullable ServerWebSocketContainer container;

    public AttachHandler(
            Authority authority,
            Access access,
            Viewers viewers,
            Supplier<ViewerLimits> limits,
            int maxInputBytes) {
        this.authority = authority;
        this.access = access;
        this.viewers = viewers;
        this.limits = limits;
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
        Matcher path = PATH.matcher(Request.getPathInContext(request));
        if (!path.matches()) {
            return false;
        }
        try {
            attach(path.group(1), request, response, callback);
        } catch (SessionException e) {
            HttpReplies.error(request, response, callback, e);
        }
        return true;
    }

    private void attach(String id, Request request, Response response, Callback callback) {
        // Before the ticket is used up.
        Requests.requireQuery(request, QUERY);
        String ticket = Requests.query(request, "ticket").orElse(null);
        Login login = ticket != null
                ? SignIn.byTicket(authority, request, ticket)
                : SignIn.byToken(authority, request);
        Viewer.Mode mode = Viewer.Mode.of(Requests.query(request, "mode").orElse(null), access.of(login).mayDrive());
        OptionalLong from = Requests.queryNumber(request, "from").map(OptionalLong::of).orElse(OptionalLong.empty());
        ViewOptions options = ViewOptions.of(
                from,
                mode,
                Requests.queryFlag(request, "screen"),
                Requests.queryNumber(request, "history"),
                Requests.queryNumber(request, "skip"),
                Requests.query(request, "answers").orElse(null));
        dev.belay.Session session =
                viewers.require(login, id, Requests.query(request, "owner").orElse(null), options);
        if (container == null
                || !container.upgrade((_, reply, _) -> {
                    // Compression would keep buffers for every viewer, and gains little on loopback.
                    reply.setExtensions(List.of());
                    return new AttachSocket(
                            mode.label(),
                            maxInputBytes,
                            () -> limits.get().stall(),
                            line -> viewers.attach(login, session, options, line));
                }, request, response, callback)) {
            throw new SessionException(ErrorCode.INVALID_REQUEST, "This is a WebSocket; upgrade the connection.");
        }
    }
}
