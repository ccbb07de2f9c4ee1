package dev.belay.server.terminal;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.Json;
import dev.belay.server.ServerSettings;
import dev.belay.server.attach.Viewers;
import dev.belay.server.auth.Access;
import dev.belay.server.auth.Authority;
import dev.belay.server.auth.Login;
import dev.belay.server.logs.EventLog;
import dev.belay.socketio.Admission;
import dev.belay.socketio.Handshake;
import dev.belay.socketio.SocketServer;
import dev.belay.socketio.Stats;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Handler;
import tools.jackson.databind.JsonNode;

/// The front door at `/socket.io/`: terminals as events of Socket.IO, for clients that sign in with `auth: {token}`.
public final class TerminalDoor {
    /// What a message has besides the input, written as base64 at worst: names, ids, brackets.
    private static final int HEAD_BYTES = 64 << 10;

    final Access access;
    final Viewers viewers;
    final Supplier<ServerSettings> settings;
    final EventLog events;
    private final Authority authority;
    private final SocketServer sockets;

    public TerminalDoor(
            Authority authority,
            Access access,
            Viewers viewers,
            Supplier<ServerSettings> settings,
            EventLog events,
            int maxInputBytes) {
        this.authority = authority;
        this.access = access;
        this.viewers = viewers;
        this.settings = settings;
        this.events = events;
        this.sockets = SocketServer.builder()
                .maxPayload(Math.ceilDiv(maxInputBytes, 3) * 4 + HEAD_BYTES)
                .maxConnections(settings.get().http().maxConnections())
                .connectTimeout(settings.get().http().headerTimeout())
                .namespace("/", this::admit)
                .build();
    }

    /// To be placed behind the guard.
    public Handler handler() {
        return sockets.handler();
    }

    public Stats stats() {
        return sockets.stats();
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
        InetAddress from = handshake.remote() instanceof InetSocketAddress remote
                ? remote.getAddress()
                : InetAddress.getLoopbackAddress();
        return authority.token(token.stringValue(), from);
    }
}
