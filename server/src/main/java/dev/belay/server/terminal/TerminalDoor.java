package dev.belay.server.terminal;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.screens.Screens;
import dev.belay.server.attach.Viewers;
import dev.belay.server.auth.Access;
import dev.belay.server.auth.Authority;
import dev.belay.server.auth.Login;
import dev.belay.server.feed.Feed;
import dev.belay.server.guard.Connections;
import dev.belay.server.logs.EventLog;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.settings.ServerSettings.HttpLimits;
import dev.belay.server.wire.Json;
import dev.belay.socketio.Admission;
import dev.belay.socketio.Handshake;
import dev.belay.socketio.SocketServer;
import dev.belay.socketio.SocketServerStats;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Handler;
import tools.jackson.databind.JsonNode;

/// The front door at `/socket.io/`: terminals as events of Socket.IO, for clients that sign in with `auth: {token}`.
public final class TerminalDoor {
    /// What a message has besides the input, written as base64 at worst: names, ids, brackets.
    private static final int HEAD_BYTES = 64 << 10;

    final Access access;
    final Viewers viewers;
    final Feed feed;
    final Screens screens;
    final Supplier<ServerSettings> settings;
    final EventLog events;
    final int maxInputBytes;
    private final Authority authority;
    private final SocketServer sockets;

    public TerminalDoor(
            Authority authority,
            Access access,
            Viewers viewers,
            Feed feed,
            Screens screens,
            Supplier<ServerSettings> settings,
            EventLog events,
            Connections connections,
            int maxInputBytes) {
        this.authority = authority;
        this.access = access;
        this.viewers = viewers;
        this.feed = feed;
        this.screens = screens;
        this.settings = settings;
        this.events = events;
        HttpLimits limits = settings.get().http();
        this.maxInputBytes = maxInputBytes;
        this.sockets = SocketServer.builder()
                .maxPayload(Math.ceilDiv(maxInputBytes, 3) * 4 + HEAD_BYTES)
                .maxConnections(limits.maxConnections())
                .maxStrangers(limits.unauthenticated(), limits.maxUnauthenticatedPerAddress())
                .connectTimeout(limits.headerTimeout())
                .bodyTimeout(limits.bodyTimeout())
                .recognise(connections::line)
                .crowded(this::crowded)
                .namespace("/", this::admit)
                .build();
    }

    /// Place it behind the guard.
    public Handler handler() {
        return sockets.handler();
    }

    public SocketServerStats stats() {
        return sockets.stats();
    }

    private void crowded(SocketAddress from) {
        HttpLimits limits = settings.get().http();
        String address = address(from).getHostAddress();
        events.seldom("handshakes_full", address, Map.of(
                "address", address,
                "limit", limits.unauthenticated(),
                "limit_per_address", limits.maxUnauthenticatedPerAddress(),
                "reason", "too many Socket.IO clients that have not signed in; the oldest are disconnected"));
    }

    private static InetAddress address(SocketAddress from) {
        return from instanceof InetSocketAddress remote ? remote.getAddress() : InetAddress.getLoopbackAddress();
    }

    private Admission admit(Handshake handshake) {
        try {
            Login login = login(handshake);
            return Admission.accept(socket -> new TerminalClient(this, socket, login).start());
        } catch (SessionException e) {
            return Admission.refuse(String.valueOf(e.getMessage()), Json.of(e));
        }
    }

    private Login login(Handshake handshake) {
        JsonNode token = handshake.auth().path("token");
        if (!token.isString()) {
            throw new SessionException(ErrorCode.UNAUTHENTICATED, "Sign in: connect with auth: {token: TOKEN}.");
        }
        return authority.token(token.stringValue(), address(handshake.remote()));
    }
}
