package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.agent.AgentSettings;
import dev.belay.mcp.Results;
import dev.belay.server.mcp.McpDoor;
import dev.belay.server.settings.ServerSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The lists of hosts and origins stand before every route and every upgrade, mounted front doors included.
class RequestGuardTest extends WithServer {
    @Override
    ServerSettings settings() {
        return super.settings().allowedOrigins(List.of("tauri://localhost"));
    }

    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.mount(McpDoor.PATH,
                one -> new McpDoor(one, () -> AgentSettings.DEFAULT, () -> Results.TEXT, "test"));
    }

    /// Every route, with what a browser would send to it.
    private List<String> requests() {
        List<String> all = new ArrayList<>(server.routes().stream()
                .map(route -> route.replaceAll("\\{\\w+}", "x"))
                .toList());
        all.addAll(List.of("GET /", "GET /icon.svg", "GET /nothing", "POST /mcp", "GET /mcp", "DELETE /mcp",
                "GET /mcp/x",
                "GET /api/sessions/x/attach", "OPTIONS /api/sessions", "GET /socket.io/?EIO=4&transport=polling",
                "POST /socket.io/?EIO=4&transport=polling&sid=x", "GET /socket.io/?EIO=4&transport=websocket"));
        return all;
    }

    private int status(String request, String... headers) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add(request + " HTTP/1.1");
        lines.addAll(List.of(headers));
        if (request.contains("attach") || request.contains("websocket")) {
            lines.addAll(List.of("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="));
        } else {
            lines.addAll(List.of("Connection: close", "Content-Length: 0"));
        }
        lines.add("Authorization: Bearer " + ADMIN);
        try (Raw raw = new Raw(server.port())) {
            return raw.request(lines.toArray(String[]::new)).status();
        }
    }

    @Test
    void aForeignHostIsRefusedOnEveryRoute() throws Exception {
        String port = ":" + server.port();
        List<String> foreign = List.of("evil.example", "evil.example" + port, "127.0.0.1", "localhost",
                "127.0.0.1:1", "xlocalhost" + port, "localhost.evil.example" + port, "localhostx" + port,
                "127.0.0.1.nip.io" + port, "0.0.0.0" + port);
        for (String request : requests()) {
            for (String host : foreign) {
                assertThat(status(request, "Host: " + host)).as("%s to %s", request, host).isEqualTo(403);
            }
            assertThat(status(request)).as("%s without Host", request).isEqualTo(400);
            assertThat(status(request, "Host: localhost" + port, "Host: evil.example"))
                    .as("%s with two", request).isEqualTo(400);
        }
        assertThat(server.refusedRequests()).isEqualTo((long) requests().size() * foreign.size());
    }

    @Test
    void aForeignOriginIsRefusedOnEveryRoute() throws Exception {
        String port = ":" + server.port();
        List<String> foreign = List.of("http://evil.example", "null", "", "http://localhost",
                "https://localhost" + port,
                "http://localhost" + port + ".evil.example", "http://xlocalhost" + port,
                "http://localhost" + port + "/",
                "http://127.0.0.1" + port + "1", "file://", "tauri://localhost.evil.example", "tauri://localhos");
        for (String request : requests()) {
            for (String origin : foreign) {
                assertThat(status(request, "Host: localhost" + port, "Origin: " + origin))
                        .as("%s from %s", request, origin).isEqualTo(403);
            }
            assertThat(status(request, "Host: localhost" + port, "Origin: http://localhost" + port,
                    "Origin: http://evil.example")).as("%s from two", request).isEqualTo(403);
        }
    }

    @Test
    void itsOwnNamesAndOriginsPassAndSoDoesARequestWithoutOrigin() throws Exception {
        String port = ":" + server.port();
        for (String name : List.of("localhost" + port, "127.0.0.1" + port, "[::1]" + port, "LOCALHOST" + port)) {
            for (String request : requests()) {
                assertThat(status(request, "Host: " + name)).as("%s to %s", request, name).isNotIn(400 + 3, 0);
            }
            String lower = name.toLowerCase(java.util.Locale.ROOT);
            assertThat(status("GET /api/sessions", "Host: " + name, "Origin: http://" + lower)).isEqualTo(200);
        }
        assertThat(status("GET /api/sessions", "Host: localhost" + port, "Origin: tauri://localhost")).isEqualTo(200);
        assertThat(status("OPTIONS /api/sessions", "Host: localhost" + port, "Origin: tauri://localhost"))
                .isEqualTo(204);
    }

    @Test
    void onlyAnAllowedForeignOriginIsToldThatItMayHaveTheAnswer() throws Exception {
        var allowed = api.send(ALICE, "GET", "/api/sessions", null, "Origin", "tauri://localhost");
        assertThat(allowed.header("Access-Control-Allow-Origin")).isEqualTo("tauri://localhost");
        var own = api.send(ALICE, "GET", "/api/sessions", null, "Origin", "http://127.0.0.1:" + server.port());
        assertThat(own.status()).isEqualTo(200);
        assertThat(own.header("Access-Control-Allow-Origin")).isEmpty();
    }

    @Test
    void whatPagesOfOtherSitesLoadWithoutAnOriginIsRefusedOnEveryRoute() throws Exception {
        String host = "Host: localhost:" + server.port();
        for (String request : requests()) {
            for (String site : List.of("cross-site", "same-site", "anything else")) {
                assertThat(status(request, host, "Sec-Fetch-Site: " + site, "Sec-Fetch-Mode: no-cors",
                        "Sec-Fetch-Dest: image")).as("%s from %s", request, site).isEqualTo(403);
            }
            assertThat(status(request, host, "Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site"))
                    .as("%s from two", request).isEqualTo(403);
            for (String site : List.of("same-origin", "none")) {
                assertThat(status(request, host, "Sec-Fetch-Site: " + site)).as("%s from %s", request, site)
                        .isNotIn(403, 0);
            }
        }
        assertThat(status("GET /api/sessions", host, "Origin: tauri://localhost", "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Mode: cors")).isEqualTo(200);
    }

    @Test
    void aLinkFromAnotherPageLeadsToTheConsoleAndNowhereElse() throws Exception {
        String[] link = {"Host: localhost:" + server.port(), "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate",
                "Sec-Fetch-Dest: document"};
        assertThat(status("GET /", link)).isEqualTo(200);
        for (String request : requests()) {
            if (!request.equals("GET /")) {
                assertThat(status(request, link)).as(request).isEqualTo(403);
            }
        }
        assertThat(status("GET /", "Host: localhost:" + server.port(), "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe")).isEqualTo(403);
    }

    @Test
    void aReloadChangesTheLists() throws Exception {
        String port = ":" + server.port();
        assertThat(status("GET /api/sessions", "Host: box.example" + port)).isEqualTo(403);
        server.reload(settings().allowedHosts(List.of("box.example" + port)));
        assertThat(status("GET /api/sessions", "Host: box.example" + port)).isEqualTo(200);
        assertThat(status("GET /api/sessions", "Host: box.example" + port, "Origin: http://box.example" + port))
                .isEqualTo(200);
    }

    @Test
    void everyAnswerCarriesThePolicy() throws Exception {
        for (String path : List.of("/", "/api/health/live", "/nothing")) {
            var answer = api.get(null, path);
            assertThat(answer.header("Content-Security-Policy")).contains("default-src 'none'",
                    "frame-ancestors 'none'");
            assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(answer.header("Server")).isEmpty();
        }
    }
}
