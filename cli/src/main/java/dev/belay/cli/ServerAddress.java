package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A running server as a client of it sees it: where it is, and the token that it is shown.
///
/// A token comes from a file or the environment: arguments are there for all users of a machine to read.
record ServerAddress(URI uri) {
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
                "A server's address is like http://127.0.0.1:10000/, without a token; " + Quoted.of(text) + " is not.");
    }

    /// The address of something on this server.
    URI at(String path) {
        return uri.resolve(path);
    }

    /// The token to show: of the file, else of `BELAY_TOKEN`, else the one that a server of this user on this machine
    /// has in its state folder.
    String token(@Nullable Path file, Map<String, String> env, Path state) {
        if (file != null) {
            return read(file, "The token " + file + " cannot be read");
        }
        String given = env.getOrDefault("BELAY_TOKEN", "");
        if (!given.isEmpty()) {
            return given;
        }
        if (!isLoopback(uri.getHost())) {
            throw new SessionException(
                    ErrorCode.UNAUTHENTICATED,
                    "Give the token for " + uri.getHost() + ": --token-file FILE, or BELAY_TOKEN in the environment.");
        }
        return read(
                TokenFile.in(state).path(),
                "No server of yours has been started here, so there is no token; start one with 'belay serve', or give"
                        + " --token-file");
    }

    private static String read(Path file, String failure) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new SessionException(ErrorCode.UNAUTHENTICATED, failure + " (" + e + ").", Map.of(), e);
        }
    }

    static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new SessionException(
                    ErrorCode.INVALID_REQUEST, "There is no address " + Quoted.of(host) + ".", Map.of(), e);
        }
    }
}
