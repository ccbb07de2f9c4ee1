package dev.belay.socketio;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.eclipse.jetty.server.Request;

/// What a [SocketServer] was built with.
record Settings(String path, Duration pingInterval, Duration pingTimeout, Duration upgradeTimeout,
        Duration connectTimeout, Duration bodyTimeout, int maxPayload,
        int maxPending, int maxConnections, int maxStrangers, int maxStrangersPerAddress,
        Function<Request, Optional<Refusal>> gate, Function<Request, Runnable> recognise,
        Consumer<SocketAddress> crowded) {
    Settings {
        if (!path.startsWith("/") || !path.endsWith("/")) {
            throw new IllegalArgumentException("the path starts and ends with a slash, as in /socket.io/, not " + path);
        }
        requirePositive("pingInterval", pingInterval.toMillis());
        requirePositive("pingTimeout", pingTimeout.toMillis());
        requirePositive("upgradeTimeout", upgradeTimeout.toMillis());
        requirePositive("connectTimeout", connectTimeout.toMillis());
        requirePositive("bodyTimeout", bodyTimeout.toMillis());
        requirePositive("maxPayload", maxPayload);
        requirePositive("maxPending", maxPending);
        requirePositive("maxConnections", maxConnections);
        requirePositive("maxStrangers", maxStrangers);
        requirePositive("maxStrangersPerAddress", maxStrangersPerAddress);
    }

    private static void requirePositive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive");
        }
    }
}
