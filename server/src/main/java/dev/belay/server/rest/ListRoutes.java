package dev.belay.server.rest;

import dev.belay.access.ActorSessions;
import dev.belay.server.auth.Access;
import dev.belay.server.auth.Authority;
import dev.belay.server.feed.Feed;
import dev.belay.server.wire.Json;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Recent events and statistics, for pages and programs that show them.
public final class ListRoutes {
    private final Authority authority;
    private final Access access;
    private final Feed feed;

    public ListRoutes(Authority authority, Access access, Feed feed) {
        this.authority = authority;
        this.access = access;
        this.feed = feed;
    }

    List<Route> routes() {
        return List.of(
                Route.of("GET", "/api/stats", this::stats, "since"),
                Route.of("GET", "/api/events", this::events, "since", "session", "wait_ms"));
    }

    private void stats(Exchange exchange) {
        ActorSessions view = access.of(exchange.login(authority));
        ObjectNode reply = Json.object();
        ArrayNode seconds = reply.putArray("seconds");
        feed.statistics().since(view, exchange.since()).forEach(seconds::add);
        exchange.reply(reply);
    }

    private void events(Exchange exchange) throws InterruptedException {
        ActorSessions view = access.of(exchange.login(authority));
        OptionalLong since = exchange.since();
        Duration wait = exchange.waitAfter(since);
        exchange.mayTakeLong();
        exchange.reply(feed.events(view, since, exchange.query("session").orElse(null), wait).json());
    }
}
