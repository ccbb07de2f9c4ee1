package dev.belay.server.rest;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionException;
import dev.belay.server.Json;
import dev.belay.server.ServerSettings.HttpLimits;
import dev.belay.server.auth.Authority;
import dev.belay.server.auth.Login;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.thread.Scheduler;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// One request and its answer, read within the limits. Used by the thread that handles the request.
public final class Exchange {
    private static final int SMALL_BYTES = 1 << 10;
    private static final String BEARER = "Bearer ";

    /// A body that is too large is read and dropped up to so many times the size it may have.
    private static final long DROPPED_TIMES = 4;

    private final Request request;
    private final Response response;
    private final Callback callback;
    private final HttpLimits limits;
    private final Map<String, String> path;

    /// @param path the parts of the path that have names
    public Exchange(
            Request request, Response response, Callback callback, HttpLimits limits, Map<String, String> path) {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.limits = limits;
        this.path = path;
    }

    HttpLimits limits() {
        return limits;
    }

    // --- who ---

    /// Signs in by the request's bearer token.
    public static Login login(Authority authority, Request request) {
        return token(request)
                .map(token -> authority.token(token, address(request)))
                .orElseThrow(() -> new SessionException(
                        ErrorCode.UNAUTHENTICATED, "Sign in: send the header 'Authorization: Bearer TOKEN'."));
    }

    static Optional<String> token(Request request) {
        List<String> values = request.getHeaders().getValuesList(HttpHeader.AUTHORIZATION);
        return values.size() == 1 && values.getFirst().regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? Optional.of(values.getFirst().substring(BEARER.length()).strip())
                : Optional.empty();
    }

    /// The address of the other side.
    public static InetAddress address(Request request) {
        return request.getConnectionMetaData().getRemoteSocketAddress() instanceof InetSocketAddress remote
                ? remote.getAddress()
                : InetAddress.getLoopbackAddress();
    }

    Login login(Authority authority) {
        return login(authority, request);
    }

    boolean hasToken() {
        return request.getHeaders().contains(HttpHeader.AUTHORIZATION);
    }

    InetAddress address() {
        return address(request);
    }

    // --- what ---

    /// A part of the path, such as the id.
    String path(String name) {
        return path.getOrDefault(name, "");
    }

    Optional<String> query(String name) {
        return query(request, name);
    }

    /// The value of a query parameter; one that is given twice is refused.
    public static Optional<String> query(Request request, String name) {
        try {
            Fields.Field field = Request.extractQueryParameters(request).get(name);
            if (field == null) {
                return Optional.empty();
            }
            if (field.getValues().size() == 1) {
                return Optional.of(field.getValue());
            }
        } catch (RuntimeException _) {
            // Not UTF-8, or a percent sign that stands for nothing.
            throw invalid("The query of the address cannot be read.");
        }
        throw invalid("The query has " + Quoted.of(name) + " more than once.");
    }

    Optional<Long> queryNumber(String name) {
        return queryNumber(request, name);
    }

    /// The value of a query parameter that is a whole number, not negative.
    public static Optional<Long> queryNumber(Request request, String name) {
        return query(request, name).map(text -> {
            if (!text.matches("\\d{1,18}")) {
                throw invalid(name + " is a whole number, not " + Quoted.of(text) + ".");
            }
            return Long.parseLong(text);
        });
    }

    boolean queryFlag(String name) {
        return query(name).map(text -> switch (text) {
            case "true", "" -> true;
            case "false" -> false;
            default -> throw invalid(name + " is true or false, not " + Quoted.of(text) + ".");
        }).orElse(false);
    }

    /// The body as a JSON object; an empty body is an empty object.
    Body json() {
        return json(limits.jsonBytes());
    }

    /// The body of somebody who is not signed in.
    Body small() {
        return json(Math.min(SMALL_BYTES, limits.jsonBytes()));
    }

    private Body json(int most) {
        byte[] bytes = bytes(most);
        ObjectNode json = bytes.length == 0
                ? Json.object()
                : Json.object(Json.reader(limits.jsonDepth(), limits.jsonBytes()), bytes);
        return new Body(json);
    }

    /// The body, if it is not larger than given and comes in time.
    public byte[] bytes(int most) {
        if (request.getLength() > DROPPED_TIMES * most) {
            throw tooLarge(most);
        }
        Scheduler scheduler = request.getComponents().getScheduler();
        AtomicBoolean late = new AtomicBoolean();
        Scheduler.Task deadline = scheduler.schedule(() -> {
            late.set(true);
            request.fail(new TimeoutException("the body did not come in time"));
        }, limits.bodyTimeout().toMillis(), TimeUnit.MILLISECONDS);
        try (InputStream in = Content.Source.asInputStream(request)) {
            byte[] bytes = in.readNBytes(most + 1);
            if (bytes.length > most) {
                // A client that still sends would be cut off before it reads the answer.
                drop(in, DROPPED_TIMES * most);
                throw tooLarge(most);
            }
            return bytes;
        } catch (IOException e) {
            throw new SessionException(
                    late.get() ? ErrorCode.TIMEOUT : ErrorCode.INVALID_REQUEST,
                    "The body of the request did not arrive: " + e.getMessage());
        } finally {
            deadline.cancel();
        }
    }

    private static void drop(InputStream in, long most) throws IOException {
        long left = most;
        long dropped;
        do {
            dropped = in.skip(left);
            left -= dropped;
        } while (dropped > 0 && left > 0);
    }

    private static SessionException tooLarge(int most) {
        return new SessionException(ErrorCode.TOO_LARGE, "The body may have at most " + most + " bytes; send less.");
    }

    /// The answer will take its time although nothing moves on the connection.
    public void mayTakeLong() {
        request.addIdleTimeoutListener(_ -> false);
    }

    static SessionException invalid(String message) {
        return new SessionException(ErrorCode.INVALID_REQUEST, message);
    }

    // --- the answer ---

    void header(String name, String value) {
        response.getHeaders().put(name, value);
    }

    void reply(JsonNode body) {
        reply(200, body);
    }

    void reply(int status, JsonNode body) {
        Replies.json(response, callback, status, body);
    }

    void reply(String type, byte[] body) {
        Replies.bytes(response, callback, 200, type, body);
    }
}
