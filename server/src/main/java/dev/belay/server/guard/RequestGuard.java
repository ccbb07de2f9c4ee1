package dev.belay.server.guard;

import dev.belay.ErrorCode;
import dev.belay.Quoted;
import dev.belay.SessionException;
import dev.belay.server.logs.EventLog;
import dev.belay.server.settings.ServerSettings;
import dev.belay.server.wire.Headers;
import dev.belay.server.wire.HttpReplies;
import dev.belay.server.wire.Requests;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/// Stands before every route and every upgrade: lets through only requests to a name of this server, and from browsers
/// only those of its own pages or of origins that the settings allow.
///
/// The names are compared whole. That keeps out pages that point a name of their own at this address (DNS rebinding),
/// and pages of others that would use what the browser can reach. Images, scripts and frames of such pages send no
/// `Origin`; browsers mark them by `Sec-Fetch-Site`. A link from another page may lead to the console, and to nothing
/// else.
public final class RequestGuard extends Handler.Wrapper {
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; "
                    + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                    + "trusted-types 'none'; require-trusted-types-for 'script'";

    private static final String SITE = "Sec-Fetch-Site";
    private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

    private final IntSupplier port;
    private final Connections connections;
    private final EventLog events;
    private final LongAdder refused = new LongAdder();
    private volatile Names names = new Names(Set.of(), Set.of(), Set.of());
    private volatile ServerSettings settings;

    /// @param foreign the origins among them that are not the server's own, so that browsers ask for permission
    private record Names(Set<String> hosts, Set<String> origins, Set<String> foreign) {}

    /// @param port the port that is bound, known once the server has started
    public RequestGuard(ServerSettings settings, IntSupplier port, Connections connections, EventLog events) {
        this.settings = settings;
        this.port = port;
        this.connections = connections;
        this.events = events;
    }

    public void reload(ServerSettings now) {
        settings = now;
        names = names(now);
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        names = names(settings);
    }

    /// The port is bound now, so the names can be made.
    public void bound() {
        names = names(settings);
    }

    private Names names(ServerSettings now) {
        Set<String> hosts = new HashSet<>();
        Set<String> origins = new HashSet<>();
        boolean tls = now.binding().tls() != null;
        String scheme = tls ? "https://" : "http://";
        String bound = now.binding().host();
        String literal = bound.contains(":") && !bound.startsWith("[") ? "[" + bound + "]" : bound;
        for (String name : List.of(literal, "localhost", "127.0.0.1", "[::1]")) {
            String lower = name.toLowerCase(Locale.ROOT);
            hosts.add(lower + ":" + port.getAsInt());
            origins.add(scheme + lower + ":" + port.getAsInt());
            if (port.getAsInt() == (tls ? 443 : 80)) {
                hosts.add(lower);
                origins.add(scheme + lower);
            }
        }
        for (String host : now.allowedHosts()) {
            hosts.add(host.toLowerCase(Locale.ROOT));
            origins.add("https://" + host.toLowerCase(Locale.ROOT));
            origins.add("http://" + host.toLowerCase(Locale.ROOT));
        }
        Set<String> foreign = new HashSet<>(now.allowedOrigins());
        foreign.removeAll(origins);
        origins.addAll(now.allowedOrigins());
        return new Names(Set.copyOf(hosts), Set.copyOf(origins), Set.copyOf(foreign));
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        HttpFields.Mutable headers = response.getHeaders();
        headers.put("X-Content-Type-Options", "nosniff");
        headers.put("Referrer-Policy", "no-referrer");
        headers.put("Content-Security-Policy", POLICY);
        headers.put("Cross-Origin-Opener-Policy", "same-origin");
        headers.put("Cross-Origin-Resource-Policy", "same-origin");
        connections.mark(request);
        Names now = names;
        List<String> hosts = values(request, HttpHeader.HOST.asString());
        if (hosts.size() != 1 || !now.hosts().contains(hosts.getFirst().toLowerCase(Locale.ROOT))) {
            return refuse(request, response, callback, "host", hosts, "This server is not called "
                    + Quoted.of(String.join(", ", hosts)) + "; use its address, or add the name to allowed_hosts.");
        }
        List<String> origins = values(request, HttpHeader.ORIGIN.asString());
        if (origins.isEmpty()) {
            List<String> sites = values(request, SITE);
            if (!OWN_SITES.containsAll(sites) && !followsLinkToPage(request)) {
                return refuse(request, response, callback, "site", sites,
                        "Pages from other sites may not use this server; add their origin to allowed_origins.");
            }
        } else {
            if (origins.size() != 1 || !now.origins().contains(origins.getFirst())) {
                return refuse(request, response, callback, "origin", origins,
                        "Pages of " + Quoted.of(String.join(", ", origins))
                                + " may not use this server; add the origin to allowed_origins.");
            }
            if (now.foreign().contains(origins.getFirst()) && permit(request, headers, origins.getFirst())) {
                response.setStatus(204);
                callback.succeeded();
                return true;
            }
        }
        return super.handle(request, response, Callback.from(() -> noteIfTooMany(request, response), callback));
    }

    private static boolean followsLinkToPage(Request request) {
        return request.getMethod().equals("GET")
                && Request.getPathInContext(request).equals("/")
                && values(request, "Sec-Fetch-Mode").equals(List.of("navigate"))
                && values(request, "Sec-Fetch-Dest").equals(List.of("document"));
    }

    private void noteIfTooMany(Request request, Response response) {
        if (response.getStatus() == HttpStatus.TOO_MANY_REQUESTS_429) {
            String address = Requests.address(request).getHostAddress();
            events.seldom("too_many_requests", address, Map.of(
                    "address", address,
                    "method", request.getMethod(),
                    "path", Request.getPathInContext(request)));
        }
    }

    /// Tells a browser that a page of an allowed origin may have the answer.
    ///
    /// @return whether that is all the request asked for
    private static boolean permit(Request request, HttpFields.Mutable headers, String origin) {
        headers.put("Access-Control-Allow-Origin", origin);
        headers.put("Vary", "Origin");
        headers.put("Cross-Origin-Resource-Policy", "cross-origin");
        headers.put("Access-Control-Expose-Headers",
                String.join(", ", Headers.EXPOSED));
        if (!request.getMethod().equals("OPTIONS")) {
            return false;
        }
        headers.put("Access-Control-Allow-Methods", "GET, POST, DELETE");
        headers.put("Access-Control-Allow-Headers",
                "Authorization, Content-Type, Mcp-Session-Id, Mcp-Protocol-Version, Last-Event-ID");
        headers.put("Access-Control-Max-Age", "600");
        return true;
    }

    /// The values of a header, one for each time it was sent.
    private static List<String> values(Request request, String header) {
        return request.getHeaders().stream()
                .filter(field -> field.getName().equalsIgnoreCase(header))
                .map(HttpField::getValue)
                .map(value -> value == null ? "" : value)
                .toList();
    }

    private boolean refuse(
            Request request, Response response, Callback callback, String what, List<String> values, String message) {
        refused.increment();
        String address = Requests.address(request).getHostAddress();
        events.seldom("request_refused", what + " " + address,
                Map.of("address", address, "reason", what, what, String.join(", ", values)));
        HttpReplies.error(request, response, callback, new SessionException(ErrorCode.DENIED, message));
        return true;
    }

    /// Requests that were not let through.
    public long refused() {
        return refused.sum();
    }
}
