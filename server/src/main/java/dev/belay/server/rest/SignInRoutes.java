package dev.belay.server.rest;

import dev.belay.access.Quota;
import dev.belay.server.auth.Authority;
import dev.belay.server.auth.Login;
import dev.belay.server.wire.Json;
import dev.belay.server.wire.RequestFields;
import dev.belay.server.wire.Requests;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/// Tickets, and signing in with one.
public final class SignInRoutes {
    private final Authority authority;
    private final Runnable signedOut;

    /// @param signedOut ends what was signed in with a token that is no longer valid
    public SignInRoutes(Authority authority, Runnable signedOut) {
        this.authority = authority;
        this.signedOut = signedOut;
    }

    List<Route> routes() {
        return List.of(
                Route.of("POST", "/api/tickets", this::ticket),
                Route.open("POST", "/api/login", this::login),
                Route.of("DELETE", "/api/login", this::logout),
                Route.of("GET", "/api/me", this::me));
    }

    private void ticket(Exchange exchange) {
        Login login = exchange.login(authority);
        RequestFields body = exchange.json();
        String purpose = body.text("for").orElse("");
        body.requireNoMore();
        Authority.Ticket ticket = switch (purpose) {
            case "" -> authority.ticket(login);
            case "console" -> authority.consoleTicket(login);
            default -> throw Requests.invalid("The field 'for' must be \"console\" or left out.");
        };
        exchange.reply(201, Json.object()
                .put("ticket", ticket.text())
                .put("expires_in_ms", ticket.life().toMillis()));
    }

    private void me(Exchange exchange) {
        Login login = exchange.login(authority);
        Quota quota = login.principal().quota();
        ObjectNode reply = Json.object()
                .put("name", login.name())
                .put("role", login.principal().role().label())
                .put("expires_in_ms", authority.life(login).map(Duration::toMillis).orElse(null));
        reply.putObject("quota")
                .put("sessions", quota.sessions())
                .put("agent_sessions", quota.agentSessions())
                .put("terminal_sessions", quota.terminalSessions())
                .put("creations", quota.creations())
                .put("per_ms", quota.per().toMillis())
                .put("kept_bytes", quota.keptBytes());
        exchange.reply(reply);
    }

    private void logout(Exchange exchange) {
        Login login = exchange.login(authority);
        authority.end(login);
        signedOut.run();
        exchange.reply(Json.object().put("name", login.name()));
    }

    /// The one route that takes a body from somebody who is not signed in: a small one.
    private void login(Exchange exchange) {
        RequestFields body = exchange.small();
        String ticket = body.text("ticket").orElseThrow(() -> Requests.invalid("Send {\"ticket\": \"...\"}."));
        body.requireNoMore();
        Login login = exchange.login(authority, ticket);
        Authority.Ticket tab = authority.tab(login);
        ObjectNode principal = Json.object()
                .put("name", login.name())
                .put("role", login.principal().role().label());
        exchange.reply(201, Json.object()
                .put("token", tab.text())
                .put("expires_in_ms", tab.life().toMillis())
                .set("principal", principal));
    }
}
