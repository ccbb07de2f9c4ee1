package dev.belay.server.rest;

import dev.belay.ErrorCode;
import dev.belay.SessionException;
import dev.belay.server.auth.Authority;
import dev.belay.server.settings.Reloaded;
import dev.belay.server.wire.Json;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/// The settings and the end of a running server, for admins.
public final class SettingsRoutes {
    private final Authority authority;
    private final Supplier<Reloaded> reload;
    private final IntSupplier sessions;
    private final Runnable stop;

    /// @param reload   reads the settings again; throws if there is a mistake in them, and then changes nothing
    /// @param sessions how many sessions end with the server
    /// @param stop     ends the server soon
    public SettingsRoutes(Authority authority, Supplier<Reloaded> reload, IntSupplier sessions, Runnable stop) {
        this.authority = authority;
        this.reload = reload;
        this.sessions = sessions;
        this.stop = stop;
    }

    List<Route> routes() {
        return List.of(
                Route.of("POST", "/api/reload", this::reload), Route.of("POST", "/api/stop", this::stop));
    }

    private void reload(Exchange exchange) {
        requireAdmin(exchange, "Only an admin may reload the settings; use an admin's token.");
        exchange.json().requireNoMore();
        Reloaded done = reload.get();
        ObjectNode reply = Json.object().put("principals", done.principals());
        done.changed().forEach(reply.putArray("changed")::add);
        done.restartNeeded().forEach(reply.putArray("restart_needed")::add);
        exchange.reply(reply);
    }

    private void stop(Exchange exchange) {
        requireAdmin(exchange, "Only an admin may stop the server; use an admin's token.");
        exchange.json().requireNoMore();
        int ending = sessions.getAsInt();
        stop.run();
        exchange.reply(Json.object().put("sessions", ending));
    }

    private void requireAdmin(Exchange exchange, String otherwise) {
        if (!exchange.login(authority).principal().admin()) {
            throw new SessionException(ErrorCode.DENIED, otherwise);
        }
    }
}
