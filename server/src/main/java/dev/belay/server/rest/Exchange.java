package dev.belay.server.rest;

import dev.belay.server.auth.Authority;
import dev.belay.server.auth.Login;
import dev.belay.server.auth.SignIn;
import dev.belay.server.settings.ServerSettings.HttpLimits;
import dev.belay.server.wire.HttpReplies;
import dev.belay.server.wire.RequestFields;
import dev.belay.server.wire.Requests;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// One request and its answer, read within the limits. Used by the thread that handles the request.
final class Exchange {
    private static final int SMALL_BYTES = 1 << 10;

    private final Request request;
    private final Response response;
    private final Callback callback;
    private final HttpLimits limits;
    private final Map<String, String> path;
    private @Nullable Login login;

    /// @param path the parts of the path that have names
    Exchange(
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

    Login login(Authority authority, String ticket) {
        return SignIn.byTicket(authority, request, ticket);
    }

    /// Signs in once for all that the request does.
    Login login(Authority authority) {
        Login now = login;
        if (now == null) {
            now = SignIn.byToken(authority, request);
            login = now;
        }
        return now;
    }

    boolean hasToken() {
        return request.getHeaders().contains(HttpHeader.AUTHORIZATION);
    }

    // --- what ---

    /// A part of the path, such as the id.
    String path(String name) {
        return path.getOrDefault(name, "");
    }

    Optional<String> query(String name) {
        return Requests.query(request, name);
    }

    Optional<Long> queryNumber(String name) {
        return Requests.queryNumber(request, name);
    }

    /// The version that the client has, if any.
    OptionalLong since() {
        return queryNumber("since").map(OptionalLong::of).orElse(OptionalLong.empty());
    }

    /// How long to wait for what changes after a version.
    Duration waitAfter(OptionalLong since) {
        Duration wait = atMost(Duration.ofMillis(queryNumber("wait_ms").orElse(0L)));
        if (since.isEmpty() && wait.isPositive()) {
            throw Requests.invalid("wait_ms waits for what changes after a version; add since=VERSION.");
        }
        return wait;
    }

    boolean queryFlag(String name) {
        return Requests.queryFlag(request, name);
    }

    /// The body as a JSON object; an empty body is an empty object.
    RequestFields json() {
        return json(limits.jsonBytes());
    }

    /// The body of somebody who is not signed in.
    RequestFields small() {
        return json(Math.min(SMALL_BYTES, limits.jsonBytes()));
    }

    private RequestFields json(int most) {
        return RequestFields.of(bytes(most), limits.jsonDepth(), limits.jsonBytes());
    }

    /// The body, if it is not larger than given and comes in time.
    byte[] bytes(int most) {
        return Requests.body(request, most, limits.bodyTimeout());
    }

    /// A time that the client asks to wait, no longer than allowed.
    Duration atMost(Duration asked) {
        Duration most = limits.maxWait();
        return asked.compareTo(most) < 0 ? asked : most;
    }

    /// The answer may take long, although nothing moves on the connection.
    void mayTakeLong() {
        Requests.mayTakeLong(request);
    }

    // --- the answer ---

    void header(String name, String value) {
        response.getHeaders().put(name, value);
    }

    void reply(JsonNode body) {
        reply(200, body);
    }

    void reply(int status, JsonNode body) {
        HttpReplies.json(response, callback, status, body);
    }

    void reply(String type, byte[] body) {
        HttpReplies.bytes(response, callback, 200, type, body);
    }
}
