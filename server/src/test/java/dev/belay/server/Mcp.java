package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A client of the MCP endpoint, in one conversation.
final class Mcp {
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http;
    private final URI endpoint;
    private final String token;
    private @Nullable String id;
    private int asked;

    Mcp(HttpClient http, String address, String token) {
        this.http = http;
        this.endpoint = URI.create(address + "mcp?results=both");
        this.token = token;
    }

    /// Another principal that has come by the id of this conversation.
    Mcp stolenBy(String other) {
        Mcp thief = new Mcp(http, endpoint.resolve("/").toString(), other);
        thief.id = id;
        return thief;
    }

    String id() {
        return String.valueOf(id);
    }

    Mcp begin() throws IOException, InterruptedException {
        return begin("2025-11-25", "{}");
    }

    Mcp begin(String version, String capabilities) throws IOException, InterruptedException {
        HttpResponse<String> answer = post("""
                {"jsonrpc":"2.0","id":"begin","method":"initialize","params":{"protocolVersion":"%s",
                "capabilities":%s,"clientInfo":{"name":"test","version":"1"}}}""".formatted(version, capabilities));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(JSON.readTree(answer.body()).at("/result/protocolVersion").asString()).isEqualTo(version);
        id = answer.headers().firstValue("Mcp-Session-Id").orElseThrow();
        assertThat(post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}").statusCode()).isEqualTo(202);
        return this;
    }

    HttpResponse<String> post(String body, String... headers) throws IOException, InterruptedException {
        return http.send(request(headers).POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    }

    HttpResponse<String> send(String method) throws IOException, InterruptedException {
        return http.send(request().method(method, BodyPublishers.noBody()).build(), BodyHandlers.ofString());
    }

    /// Calls a tool, and gives the message that answers it.
    JsonNode call(String tool, String arguments) throws IOException, InterruptedException {
        try (Stream events = stream(callMessage(tool, arguments, ""))) {
            JsonNode answer = events.next();
            assertThat(answer).isNotNull();
            assertThat(events.next()).as("nothing but the answer").isNull();
            return answer;
        }
    }

    /// What a tool answers.
    JsonNode result(String tool, String arguments) throws IOException, InterruptedException {
        return call(tool, arguments).at("/result/structuredContent");
    }

    String callMessage(String tool, String arguments, String progressToken) {
        String meta = progressToken.isEmpty() ? "" : ",\"_meta\":{\"progressToken\":\"" + progressToken + "\"}";
        return "{\"jsonrpc\":\"2.0\",\"id\":" + ++asked + ",\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool
                + "\",\"arguments\":" + arguments + meta + "}}";
    }

    /// The id of the last call.
    int lastCall() {
        return asked;
    }

    /// A stream of events: of the server's own with no body, of an answer with one.
    Stream stream(@Nullable String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = request();
        HttpResponse<InputStream> answer = http.send(
                (body == null ? request.GET() : request.POST(BodyPublishers.ofString(body))).build(),
                BodyHandlers.ofInputStream());
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("text/event-stream");
        return new Stream(answer.body());
    }

    /// Events as they come.
    static final class Stream implements AutoCloseable {
        private final BufferedReader in;

        private Stream(InputStream in) {
            this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        }

        /// The next message; null at the end.
        @Nullable JsonNode next() throws IOException {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith("data: ")) {
                    return JSON.readTree(line.substring(6));
                }
            }
            return null;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    private HttpRequest.Builder request(String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(endpoint)
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream");
        if (id != null) {
            request.header("Mcp-Session-Id", id);
        }
        return headers.length == 0 ? request : request.headers(headers);
    }
}
