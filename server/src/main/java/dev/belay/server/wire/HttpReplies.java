package dev.belay.server.wire;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionException;
import java.nio.ByteBuffer;
import java.util.Collection;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import tools.jackson.databind.JsonNode;

/// Answers over HTTP: JSON, bytes, and errors with the status of their code.
public final class HttpReplies {
    private HttpReplies() {}

    /// The status for a code.
    public static int status(ErrorCode code) {
        return switch (code) {
            case INVALID_REQUEST -> 400;
            case UNAUTHENTICATED -> 401;
            case DENIED, OUTSIDE_WORKSPACE -> 403;
            case NOT_FOUND -> 404;
            case ALREADY_EXISTS, NOT_WRITABLE -> 409;
            case TOO_LARGE -> 413;
            case SPAWN_FAILED -> 422;
            case LIMIT_REACHED, RATE_LIMITED -> 429;
            case INTERNAL -> 500;
            case UNAVAILABLE -> 503;
            case TIMEOUT -> 408;
        };
    }

    public static void error(Request request, Response response, Callback callback, SessionException refusal) {
        error(request, response, callback, status(refusal.code()), refusal);
    }

    public static void error(
            Request request, Response response, Callback callback, int status, SessionException refusal) {
        if (response.isCommitted()) {
            callback.failed(refusal);
            return;
        }
        if (refusal.code() == ErrorCode.UNAUTHENTICATED) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
        }
        if (refusal.details().get(SessionException.RETRY_AFTER_MS) instanceof Long retry) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, Math.ceilDiv(retry, 1000));
        }
        if (!request.consumeAvailable()) {
            // What is left of the body is not read, and so no other request of this connection can be.
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
        json(response, callback, status, Json.object().set("error", Json.of(refusal)));
    }

    /// A method that a path does not take.
    public static void notAllowed(
            Request request, Response response, Callback callback, String path, Collection<String> allowed) {
        String methods = String.join(", ", allowed);
        response.getHeaders().put(HttpHeader.ALLOW, methods);
        error(request, response, callback, 405, new SessionException(
                ErrorCode.INVALID_REQUEST, Quoted.of(path) + " takes " + methods + "."));
    }

    public static void json(Response response, Callback callback, int status, JsonNode body) {
        bytes(response, callback, status, "application/json", Json.bytes(body));
    }

    public static void bytes(Response response, Callback callback, int status, String type, byte[] body) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
        if (!response.getHeaders().contains(HttpHeader.CACHE_CONTROL)) {
            response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        }
        response.write(true, ByteBuffer.wrap(body), callback);
    }
}
