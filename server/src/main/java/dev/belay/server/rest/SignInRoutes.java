package dev.belay.server.rest;

import dev.belay.server.Json;
import dev.belay.server.auth.Authority;
import dev.belay.server.auth.Login;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/// Tickets, and signing in with one.
public final class SignInRoutes {
    private final Authority authority;

    public SignInRoutes(Authority authority) {
        this.authority = authority;
    }

    List<Route> routes() {
        return List.of(
                new Route("POST", "/api/tickets", this::ticket),
                new Route("POST", "/api/login", this::login));
    }

    private void ticket(Exchange exchange) {
        Authority.Ticket ticket = authority.ticket(exchange.login(authority));
        exchange.reply(201, Json.object()
                .put("ticket", ticket.text())
                .put("expires_in_ms", ticket.life().toMillis()));
    }

    /// The one route that takes a body from somebody who is not signed in: a small one.
    private void login(Exchange exchange) {
        Body body = exchange.small();
        String ticket = body.text("ticket").orElseThrow(() -> Exchange.invalid("Send {\"ticket\": \"...\"}."));
        body.requireNoMore();
        Login login = authority.ticket(ticket, exchange.address());
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
