package dev.belay.server.rest;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.access.Role;
import dev.belay.server.auth.Authority;
import dev.belay.server.auth.Login;
import dev.belay.server.health.Health;
import dev.belay.server.metrics.ServerMetrics;
import dev.belay.server.wire.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/// Health, metrics and the API description.
public final class StatusRoutes {
    private final Authority authority;
    private final Health health;
    private final ServerMetrics metrics;

    public StatusRoutes(Authority authority, Health health, ServerMetrics metrics) {
        this.authority = authority;
        this.health = health;
        this.metrics = metrics;
    }

    List<Route> routes() {
        return List.of(
                Route.open("GET", "/api/health", this::health),
                Route.open("GET", "/api/health/live", exchange -> exchange.reply(Json.object().put("status", "live"))),
                Route.open("GET", "/api/health/ready", this::ready),
                Route.open("GET", "/api/openapi.yaml", this::openapi),
                Route.of("GET", "/metrics", this::metrics));
    }

    private void health(Exchange exchange) {
        if (exchange.hasToken()) {
            exchange.login(authority);
            exchange.reply(status(), health.details());
        } else {
            exchange.reply(status(), health.brief());
        }
    }

    private void ready(Exchange exchange) {
        exchange.reply(status(), health.brief());
    }

    private int status() {
        return health.ready() ? 200 : 503;
    }

    private void openapi(Exchange exchange) throws IOException {
        try (InputStream in = StatusRoutes.class.getResourceAsStream("/dev/belay/server/openapi.yaml")) {
            if (in == null) {
                throw new SessionException(ErrorCode.NOT_FOUND, "The description is not part of this build.");
            }
            exchange.reply("application/yaml", in.readAllBytes());
        }
    }

    /// Metrics cover all users, so not every user may read them.
    private void metrics(Exchange exchange) throws IOException {
        Login login = exchange.login(authority);
        if (login.principal().role() == Role.USER) {
            throw new SessionException(
                    ErrorCode.DENIED, "Metrics cover all users; use a token with the role watch or admin.");
        }
        exchange.reply(ServerMetrics.type(), metrics.text());
    }
}
