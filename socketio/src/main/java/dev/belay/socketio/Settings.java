package dev.belay.socketio;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.eclipse.jetty.server.Request;

/// What a [SocketServer] was built with.
record Settings(String path, Duration pingInterval, Duration pingTimeout, Duration upgradeTimeout,
        Duration connectTimeout, int maxPayload,
        int maxPending, int maxConnections, Function<Request, Optional<Refusal>> gate) {
    Settings {
        if (!path.startsWith("/") || !path.endsWith("/")) {
            throw new IllegalArgumentException("the path starts and ends with a slash, as in /socket.io/, not " + path);
        }
        requirePositive("pingInterval", pingInterval.toMillis());
        requirePositive("pingTimeout", pingTimeout.toMillis());
        requirePositive("upgradeTimeout", upgradeTimeout.toMillis());
        requirePositive("connectTimeout", connectTimeout.toMillis());
        requirePositive("maxPayload", maxPayload);
        requirePositive("maxPending", maxPending);
        requirePositive("maxConnections", maxConnections);
    }

    private static void requirePositive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " has to be positive");
        }
    }
}
