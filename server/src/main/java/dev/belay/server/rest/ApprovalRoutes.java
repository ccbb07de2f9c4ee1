package dev.belay.server.rest;

import dev.belay.Approval;
import dev.belay.Approvals;
import dev.belay.server.auth.Access;
import dev.belay.server.auth.Authority;
import dev.belay.server.auth.Login;
import dev.belay.server.wire.AnswerFields;
import dev.belay.server.wire.Json;
import dev.belay.server.wire.RequestFields;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Programs of watched sessions that somebody has to approve.
public final class ApprovalRoutes {
    private static final long NONE = -1;

    private final Authority authority;
    private final Access access;

    public ApprovalRoutes(Authority authority, Access access) {
        this.authority = authority;
        this.access = access;
    }

    List<Route> routes() {
        return List.of(
                Route.of("GET", "/api/approvals", this::list, "after", "wait_ms"),
                Route.of("POST", "/api/approvals/{approval}", this::answer));
    }

    private void list(Exchange exchange) throws InterruptedException {
        Login login = exchange.login(authority);
        long after = exchange.queryNumber("after").orElse(NONE);
        Duration wait = exchange.atMost(Duration.ofMillis(exchange.queryNumber("wait_ms").orElse(0L)));
        exchange.mayTakeLong();
        Approvals.Pending now = access.of(login).approvals(after, wait);
        ObjectNode reply = Json.object().put("revision", now.revision());
        ArrayNode all = reply.putArray("approvals");
        now.approvals().forEach(one -> all.add(Json.of(one)));
        exchange.reply(reply);
    }

    private void answer(Exchange exchange) {
        Login login = exchange.login(authority);
        RequestFields body = exchange.json();
        Approval.Answer answer = AnswerFields.read(body);
        body.requireNoMore();
        exchange.reply(Json.of(access.of(login).answer(exchange.path("approval"), answer)));
    }
}
