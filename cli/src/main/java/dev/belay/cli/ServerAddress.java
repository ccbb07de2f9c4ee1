package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The address of a running server, and the token for it.
///
/// Tokens come from a file or the environment, never from arguments: every user of the machine can read those.
record ServerAddress(URI uri) {
    private static final int CONNECT_MILLIS = 2_000;

    static ServerAddress of(String text) {
        URI uri;
        try {
            uri = URI.create(text);
        } catch (IllegalArgumentException _) {
            throw wrong(text);
        }
        boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
        if (!http || uri.getHost() == null || uri.getRawUserInfo() != null || uri.getRawQuery() != null) {
            throw wrong(text);
        }
        ServerAddress address = new ServerAddress(uri);
        if ("http".equals(uri.getScheme()) && !isLoopback(uri.getHost())) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST,
                    "The token would go to " + uri.getHost()
                            + " unencrypted: use https, or an SSH tunnel to loopback.");
        }
        return address;
    }

    private static SessionException wrong(String text) {
        return new SessionException(
                ErrorCode.INVALID_REQUEST,
                Quoted.of(text) + " is not the address of a server; write it like http://127.0.0.1:10000/,"
                        + " without a token.");
    }

    /// Whether something listens there.
    boolean answers() {
        int port = uri.getPort() >= 0 ? uri.getPort() : "https".equals(uri.getScheme()) ? 443 : 80;
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(uri.getHost(), port), CONNECT_MILLIS);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /// The address of a path on this server.
    URI at(String path) {
        return uri.resolve(path);
    }

    /// The same for a WebSocket.
    URI webSocketAt(String path) {
        return URI.create(at(path).toString().replaceFirst("^http", "ws"));
    }

    /// The token in the file, or in `BELAY_TOKEN`, or in the state folder of this user's own server on this machine.
    String token(@Nullable Path file, Map<String, String> env, Path state) {
        if (file != null) {
            return read(file);
        }
        String given = env.get("BELAY_TOKEN");
        if (given != null) {
            return require(given.strip(), "BELAY_TOKEN is set but empty; set it to a token, or unset it.");
        }
        if (!isLoopback(uri.getHost())) {
            throw new SessionException(
                    ErrorCode.UNAUTHENTICATED,
                    "A token for " + uri.getHost() + " is missing; pass --token-file FILE, or set BELAY_TOKEN.");
        }
        TokenFile own = new TokenFile(state);
        return own.known().orElseThrow(() -> new SessionException(
                ErrorCode.UNAUTHENTICATED,
                "No token at " + own.path() + ": you have not started a server here. Start one with"
                        + " 'belay serve', or pass --token-file FILE."));
    }

    private static String read(Path file) {
        try {
            return require(
                    Files.readString(file).strip(), "The token file " + file + " is empty; write a token to it.");
        } catch (IOException e) {
            throw new SessionException(
                    ErrorCode.UNAUTHENTICATED, "Cannot read the token file " + file + " (" + e + ").", Map.of(), e);
        }
    }

    private static String require(String token, String otherwise) {
        if (token.isBlank()) {
            throw new SessionException(ErrorCode.UNAUTHENTICATED, otherwise);
        }
        return token;
    }

    static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST, "Unknown host " + Quoted.of(host) + ".", Map.of(), e);
        }
    }
}
