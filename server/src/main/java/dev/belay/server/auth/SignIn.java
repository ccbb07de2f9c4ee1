package dev.belay.server.auth;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.guard.Connections;
import dev.belay.server.wire.Requests;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/// Signs in a request over HTTP, and with it its connection.
public final class SignIn {
    private static final String BEARER = "Bearer ";

    private SignIn() {}

    /// With the request's bearer token.
    public static Login byToken(Authority authority, Request request) {
        Login login = token(request)
                .map(token -> authority.token(token, Requests.address(request)))
                .orElseThrow(() -> new SessionException(
                        ErrorCode.UNAUTHENTICATED, "Sign in: send the header 'Authorization: Bearer TOKEN'."));
        Connections.signedIn(request);
        return login;
    }

    /// With a ticket, which this uses up.
    public static Login byTicket(Authority authority, Request request, String ticket) {
        Login login = authority.ticket(ticket, Requests.address(request));
        Connections.signedIn(request);
        return login;
    }

    private static Optional<String> token(Request request) {
        List<String> values = request.getHeaders().getValuesList(HttpHeader.AUTHORIZATION);
        return values.size() == 1 && values.getFirst().regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? Optional.of(values.getFirst().substring(BEARER.length()).strip())
                : Optional.empty();
    }
}
