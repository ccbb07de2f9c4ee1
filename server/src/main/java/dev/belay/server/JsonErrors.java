package dev.belay.server;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.wire.HttpReplies;
import dev.belay.server.wire.Json;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/// Errors that Jetty itself finds, such as headers that are too large, reported like all others.
final class JsonErrors extends ErrorHandler {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        int status = response.getStatus();
        ErrorCode code = switch (status) {
            case 401 -> ErrorCode.UNAUTHENTICATED;
            case 403 -> ErrorCode.DENIED;
            case 404 -> ErrorCode.NOT_FOUND;
            case 408 -> ErrorCode.TIMEOUT;
            case 413, 414, 431 -> ErrorCode.TOO_LARGE;
            case 503 -> ErrorCode.UNAVAILABLE;
            default -> status >= 500 ? ErrorCode.INTERNAL : ErrorCode.INVALID_REQUEST;
        };
        HttpReplies.json(response, callback, status, Json.object()
                .set("error",
                        Json.of(new SessionException(code, "The request was refused with status " + status + "."))));
        return true;
    }
}
