package dev.belay.server.rest;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionException;
import dev.belay.server.auth.Authority;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.wire.HttpReplies;
import dev.belay.server.wire.Requests;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/// The REST front door: finds the route, and turns every refusal into an answer.
public final class RestDoor extends Handler.Abstract {
    private static final System.Logger LOG = System.getLogger("dev.belay.server");

    private static final String HEALTH = "/api/health";

    private final Authority authority;
    private final List<Route> routes;
    private final Supplier<ServerSettings> settings;

    public RestDoor(
            Authority authority,
            Supplier<ServerSettings> settings,
            SessionRoutes sessions,
            ScreenRoutes screens,
            ListRoutes lists,
            ApprovalRoutes approvals,
            SignInRoutes signIn,
            StatusRoutes status,
            SettingsRoutes ofSettings) {
        this.authority = authority;
        this.settings = settings;
        this.routes = Stream.of(
                sessions.routes(), screens.routes(), lists.routes(), approvals.routes(), signIn.routes(),
                status.routes(),
                ofSettings.routes())
                .flatMap(List::stream)
                .toList();
    }

    /// All routes, as `METHOD /path/{id}`: what the OpenAPI description has to have.
    public List<String> names() {
        return routes.stream().map(route -> route.method() + " " + route.template()).toList();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        String path = Request.getPathInContext(request);
        if (!path.startsWith("/api/") && !path.equals("/metrics")) {
            return false;
        }
        try {
            answer(request, response, callback, path);
        } catch (SessionException e) {
            HttpReplies.error(request, response, callback, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            HttpReplies.error(
                    request, response, callback,
                    new SessionException(ErrorCode.UNAVAILABLE, "The server is shutting down."));
        } catch (Exception | Error e) {
            LOG.log(System.Logger.Level.WARNING, "a request failed: " + request.getMethod() + " " + Quoted.of(path), e);
            HttpReplies.error(
                    request, response, callback,
                    new SessionException(ErrorCode.INTERNAL, "Internal error; see the server log."));
        }
        return true;
    }

    private void answer(Request request, Response response, Callback callback, String path) throws Exception {
        // Monitors ask with HEAD.
        String method = request.getMethod().equals("HEAD") && path.startsWith(HEALTH) ? "GET" : request.getMethod();
        List<String> parts = List.of(path.substring(1).split("/", -1));
        TreeSet<String> allowed = new TreeSet<>();
        for (Route route : routes) {
            Map<String, String> places = route.match(parts);
            if (places != null && route.method().equals(method)) {
                Exchange exchange = new Exchange(request, response, callback, settings.get().http(), places);
                if (!route.open()) {
                    exchange.login(authority);
                }
                Requests.requireQuery(request, route.query());
                route.action().answer(exchange);
                return;
            }
            if (places != null) {
                allowed.add(route.method());
            }
        }
        if (allowed.isEmpty()) {
            throw new SessionException(
                    ErrorCode.NOT_FOUND, "There is nothing at " + Quoted.of(path) + "; see /api/openapi.yaml.");
        }
        HttpReplies.notAllowed(request, response, callback, path, allowed);
    }
}
