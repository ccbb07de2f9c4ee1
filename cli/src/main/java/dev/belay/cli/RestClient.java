package dev.belay.cli;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.wire.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A REST client of a running server. Throws the errors that the server answers with.
record RestClient(ServerAddress server, String token) {
    /// How long the server is asked to wait at once.
    static final Duration LONGEST_WAIT = Duration.ofSeconds(50);

    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration ANSWER = Duration.ofMinutes(1);
    private static final int MAX_DEPTH = 32;
    private static final int MAX_BYTES = 64 << 20;

    /// What the server answered.
    ///
    /// @param bytes   the body
    /// @param headers looks up a header; null if there is none
    @SuppressWarnings("ArrayRecordComponent")
    record Answer(int status, byte[] bytes, java.util.function.UnaryOperator<@Nullable String> headers) {
        @Nullable String header(String name) {
            return headers.apply(name);
        }
    }

    ObjectNode get(String path) {
        return json(ask("GET", path, null));
    }

    ObjectNode delete(String path) {
        return json(ask("DELETE", path, null));
    }

    ObjectNode post(String path, ObjectNode body) {
        return json(ask("POST", path, Json.bytes(body)));
    }

    /// Sends bytes that are not JSON, such as input for a session.
    ObjectNode post(String path, byte[] body) {
        return json(ask("POST", path, body));
    }

    /// A request whose answer is bytes.
    Answer read(String path) {
        return ask("GET", path, null);
    }

    private Answer ask(String method, String path, byte @Nullable [] body) {
        try {
            HttpURLConnection http = (HttpURLConnection) server.at(path).toURL().openConnection();
            http.setConnectTimeout((int) CONNECT.toMillis());
            http.setReadTimeout((int) ANSWER.toMillis());
            http.setInstanceFollowRedirects(false);
            http.setRequestMethod(method);
            http.setRequestProperty("Authorization", "Bearer " + token);
            if (body != null) {
                http.setRequestProperty("Content-Type", "application/json");
                http.setDoOutput(true);
                http.getOutputStream().write(body);
            }
            int status = http.getResponseCode();
            try (InputStream in = status / 100 == 2 ? http.getInputStream() : http.getErrorStream()) {
                byte[] bytes = in == null ? new byte[0] : in.readNBytes(MAX_BYTES);
                requireSuccess(status, bytes);
                return new Answer(status, bytes, http::getHeaderField);
            }
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    /// What a failed request means.
    SessionException unreachable(Throwable e) {
        if (e instanceof SSLException) {
            return new SessionException(
                    ErrorCode.UNAVAILABLE,
                    "The certificate of " + server.uri() + " is not valid (" + e.getMessage()
                            + "); use the name it was issued for: --server https://NAME:PORT/.",
                    Map.of(),
                    e);
        }
        return new SessionException(
                ErrorCode.UNAVAILABLE,
                "No server answers at " + server.uri() + " (" + e.getMessage()
                        + "); start one with 'belay serve', or name another with --server URL.",
                Map.of(),
                e);
    }

    private ObjectNode json(Answer answer) {
        return json(answer.status, answer.bytes);
    }

    private void requireSuccess(int status, byte[] bytes) {
        if (status / 100 != 2) {
            throw refusal(status, json(status, bytes).path("error"));
        }
    }

    /// The object in an answer; throws the error that it contains.
    ObjectNode answer(int status, byte[] bytes) {
        requireSuccess(status, bytes);
        return json(status, bytes);
    }

    private ObjectNode json(int status, byte[] bytes) {
        try {
            return Json.object(Json.reader(MAX_DEPTH, MAX_BYTES), bytes);
        } catch (SessionException e) {
            throw new SessionException(
                    ErrorCode.UNAVAILABLE,
                    server.uri() + " is not a Belay server: it answered with status " + status + " and no JSON.",
                    Map.of(),
                    e);
        }
    }

    private SessionException refusal(int status, JsonNode error) {
        String message = error.path("message").asString("The server answered with status " + status + ".");
        if (status == 401) {
            return new SessionException(
                    ErrorCode.UNAUTHENTICATED,
                    server.uri() + " does not know this token; pass another with --token-file FILE or BELAY_TOKEN.");
        }
        for (ErrorCode code : ErrorCode.values()) {
            if (code.name().equals(error.path("code").asString(""))) {
                return new SessionException(code, message);
            }
        }
        return new SessionException(ErrorCode.UNAVAILABLE, message);
    }
}
