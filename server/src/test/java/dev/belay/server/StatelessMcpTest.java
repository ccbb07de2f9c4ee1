package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.agent.AgentSettings;
import dev.belay.mcp.Results;
import dev.belay.server.mcp.McpDoor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The agent tools over HTTP since revision 2026-07-28: every request says everything itself.
class StatelessMcpTest extends WithServer {
    private static final String VERSION = "2026-07-28";
    private static final JsonMapper JSON = new JsonMapper();

    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.mount(McpDoor.PATH, one -> new McpDoor(
                one, () -> AgentSettings.DEFAULT, () -> Results.BOTH, "test"));
    }

    private static String message(String method, String params) {
        return """
                {"jsonrpc":"2.0","id":1,"method":"%s","params":{%s"_meta":{"progressToken":"p",
                "io.modelcontextprotocol/protocolVersion":"%s","io.modelcontextprotocol/clientCapabilities":{}}}}"""
                .formatted(method, params, VERSION);
    }

    private static String call(String arguments) {
        return message("tools/call", "\"name\":\"unified_exec\",\"arguments\":" + arguments + ",");
    }

    private HttpRequest.Builder request(String query, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.address() + "mcp" + query))
                .header("Authorization", "Bearer " + ALICE)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(BodyPublishers.ofString(body));
        return headers.length == 0 ? request : request.headers(headers);
    }

    private HttpResponse<String> post(String body, String... headers) throws IOException, InterruptedException {
        return http.send(request("", body, headers).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> exec(String query, String arguments) throws IOException, InterruptedException {
        return http.send(request(query, call(arguments), "MCP-Protocol-Version", VERSION, "Mcp-Method", "tools/call",
                "Mcp-Name", "unified_exec").build(), BodyHandlers.ofString());
    }

    private static int code(HttpResponse<String> answer) {
        return JSON.readTree(answer.body()).at("/error/code").asInt(0);
    }

    @Test
    void aCallNeedsNoConversationAndItsSessionIsThereForTheNext() throws Exception {
        HttpResponse<String> begun = exec("", "{\"cmd\":\"cat\",\"session_id\":\"cat\"}");
        assertThat(begun.statusCode()).isEqualTo(200);
        assertThat(begun.headers().firstValue("Mcp-Session-Id")).isEmpty();
        assertThat(begun.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(JSON.readTree(begun.body()).at("/result/resultType").asString()).isEqualTo("complete");
        HttpResponse<String> typed = post(
                message("tools/call", "\"name\":\"write_stdin\",\"arguments\":"
                        + "{\"session_id\":\"cat\",\"chars\":\"hi\\n\",\"wait_for\":{\"match\":\"hi\"}},"),
                "MCP-Protocol-Version", VERSION, "Mcp-Method", "tools/call",
                "Mcp-Name", "=?base64?" + Base64.getEncoder().encodeToString(
                        "write_stdin".getBytes(StandardCharsets.UTF_8)) + "?=");
        assertThat(typed.body()).contains("\"wait_result\":\"match\"");
        assertThat(api.get(ALICE, "/api/sessions/cat").json().get("origin").asString()).isEqualTo("agent");
        assertThat(api.get(ADMIN, "/metrics").text()).contains("belay_mcp_conversations 0.0", "belay_mcp_requests 0.0");
    }

    @ParameterizedTest
    @CsvSource({
            "MCP-Protocol-Version, 2025-11-25", "Mcp-Method, tools/list", "Mcp-Name, read_output",
            "Mcp-Name, =?base64?!?=", "MCP-Protocol-Version, ''", "Mcp-Method, ''", "Mcp-Name, ''"})
    void headersThatContradictTheMessageAreRefused(String header, String value) throws Exception {
        List<String> headers = new java.util.ArrayList<>(List.of(
                "MCP-Protocol-Version", VERSION, "Mcp-Method", "tools/call", "Mcp-Name", "unified_exec"));
        int at = headers.indexOf(header);
        headers.set(at + 1, value);
        if (value.isEmpty()) {
            headers.subList(at, at + 2).clear();
        }
        HttpResponse<String> refused = post(call("{\"cmd\":\"touch made\"}"), headers.toArray(String[]::new));
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(code(refused)).isEqualTo(-32020);
        assertThat(refused.body()).contains("\"id\":1", header);
        assertThat(sessions.list()).isEmpty();
    }

    @Test
    void whatIsWrongAsARequestHasTheStatusAndTheErrorOfTheProtocol() throws Exception {
        HttpResponse<String> unknown = post(message("resources/list", ""),
                "MCP-Protocol-Version", VERSION, "Mcp-Method", "resources/list");
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(code(unknown)).isEqualTo(-32601);
        HttpResponse<String> future = post(message("tools/list", "").replace(VERSION, "2099-01-01"),
                "MCP-Protocol-Version", "2099-01-01", "Mcp-Method", "tools/list");
        assertThat(future.statusCode()).isEqualTo(400);
        assertThat(code(future)).isEqualTo(-32022);
        HttpResponse<String> silent = post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
                "MCP-Protocol-Version", VERSION, "Mcp-Method", "tools/list");
        assertThat(silent.statusCode()).isEqualTo(400);
        assertThat(code(silent)).isEqualTo(-32602);
        assertThat(api.send(ALICE, "GET", "/mcp", new byte[0], "Accept", "text/event-stream",
                "MCP-Protocol-Version", VERSION).status()).isEqualTo(400);
        assertThat(post(message("tools/list", ""), "MCP-Protocol-Version", VERSION, "Mcp-Method", "tools/list")
                .body()).contains("\"ttlMs\"", "\"cacheScope\"", "unified_exec");
        HttpResponse<String> stranger = http.send(HttpRequest.newBuilder(URI.create(server.address() + "mcp"))
                .POST(BodyPublishers.ofString(message("tools/list", ""))).build(), BodyHandlers.ofString());
        assertThat(stranger.statusCode()).isEqualTo(401);
    }

    @Test
    void theAddressSaysWhatAnswersCarryAndWhereFoldersStart() throws Exception {
        Files.createDirectories(folder.resolve("workspace/deep/er"));
        HttpResponse<String> text = exec("?results=text&workdir=deep",
                "{\"cmd\":\"pwd\",\"workdir\":\"er\",\"wait_for\":{\"exit\":true}}");
        assertThat(text.body()).contains("/deep/er").doesNotContain("structuredContent");
        assertThat(exec("?workdir=deep", "{\"cmd\":\"pwd\",\"workdir\":\"nowhere\"}").body())
                .contains("workdir is relative to", "/deep.");
        assertThat(exec("?workdir=..", "{\"cmd\":\"pwd\"}").body()).contains("OUTSIDE_WORKSPACE");
        assertThat(exec("?results=xml", "{\"cmd\":\"pwd\"}").statusCode()).isEqualTo(400);
    }

    @Test
    void aClientThatEndsItsConnectionCancelsTheCallAndNotTheSession() throws Exception {
        HttpResponse<InputStream> waits = http.send(
                request("", call("{\"cmd\":\"echo up; sleep 1000\",\"session_id\":\"c\",\"wait_for\":{\"exit\":true}}"),
                        "MCP-Protocol-Version", VERSION, "Mcp-Method", "tools/call", "Mcp-Name", "unified_exec")
                        .build(),
                BodyHandlers.ofInputStream());
        assertThat(waits.headers().firstValue("Content-Type")).contains("text/event-stream");
        try (BufferedReader events =
                new BufferedReader(new InputStreamReader(waits.body(), StandardCharsets.UTF_8))) {
            String line = events.readLine();
            while (!line.contains("\"message\":\"up\"")) {
                line = events.readLine();
            }
        }
        awaitNoRequests();
        assertThat(api.get(ALICE, "/api/sessions/c").json().get("state").asString()).isEqualTo("running");
    }

    /// That a call has ended tells nobody but the metrics.
    private void awaitNoRequests() throws Exception {
        while (!api.get(ADMIN, "/metrics").text().contains("belay_mcp_requests 0.0")) {
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
    }

    @Test
    void aSubscriptionStaysUntilItsTokenIsRevoked() throws Exception {
        HttpResponse<InputStream> listens = http.send(
                request("", message("subscriptions/listen", "\"notifications\":{\"toolsListChanged\":true},"),
                        "MCP-Protocol-Version", VERSION, "Mcp-Method", "subscriptions/listen").build(),
                BodyHandlers.ofInputStream());
        try (BufferedReader events =
                new BufferedReader(new InputStreamReader(listens.body(), StandardCharsets.UTF_8))) {
            assertThat(data(events).path("method").asString()).isEqualTo("notifications/subscriptions/acknowledged");
            assertThat(api.get(ADMIN, "/metrics").text()).contains("belay_mcp_requests 1.0");
            server.reload(settings().accounts(List.of(accounts().getFirst())));
            assertThat(data(events).at("/result/resultType").asString()).isEqualTo("complete");
            assertThat(events.lines().filter(line -> line.startsWith("data:"))).isEmpty();
        }
        awaitNoRequests();
    }

    private static JsonNode data(BufferedReader events) throws IOException {
        String line = events.readLine();
        while (!line.startsWith("data: ")) {
            line = events.readLine();
        }
        return JSON.readTree(line.substring(6));
    }
}
