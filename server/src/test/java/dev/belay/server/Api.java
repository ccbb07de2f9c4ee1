package dev.belay.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A client of the REST interface.
final class Api {
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http;
    private final String address;

    Api(HttpClient http, String address) {
        this.http = http;
        this.address = address;
    }

    /// An answer.
    @SuppressWarnings("ArrayRecordComponent")
    record Answer(int status, byte[] bytes, HttpResponse<byte[]> response) {
        JsonNode json() {
            return JSON.readTree(bytes);
        }

        String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        String code() {
            return json().at("/error/code").asString("");
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }

        @Override
        public String toString() {
            return status + " " + text();
        }
    }

    Answer get(String token, String path) throws IOException, InterruptedException {
        return send(token, "GET", path, null);
    }

    Answer post(String token, String path, String body) throws IOException, InterruptedException {
        return send(token, "POST", path, body.getBytes(StandardCharsets.UTF_8));
    }

    Answer delete(String token, String path) throws IOException, InterruptedException {
        return send(token, "DELETE", path, null);
    }

    Answer send(String token, String method, String path, byte[] body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address.replaceAll("/$", "") + path))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        HttpResponse<byte[]> response = http.send(request.build(), BodyHandlers.ofByteArray());
        return new Answer(response.statusCode(), response.body(), response);
    }

    /// Opens a session that runs a shell script, and gives its id.
    String open(String token, String script) throws IOException, InterruptedException {
        Answer answer = post(token, "/api/sessions", JSON.writeValueAsString(java.util.Map.of("cmd", script)));
        if (answer.status() != 201) {
            throw new AssertionError("not opened: " + answer);
        }
        return answer.json().get("id").asString();
    }

    /// Everything that a session prints until its end.
    String all(String token, String id) throws IOException, InterruptedException {
        List<byte[]> parts = new ArrayList<>();
        String from = "0";
        while (true) {
            Answer answer = get(token, "/api/sessions/" + id + "/output?from=" + from + "&wait_ms=60000");
            if (answer.status() != 200) {
                throw new AssertionError("no output: " + answer);
            }
            parts.add(answer.bytes());
            from = answer.header("Belay-Output-Next");
            if (answer.header("Belay-End").equals("true")) {
                break;
            }
        }
        StringBuilder all = new StringBuilder();
        parts.forEach(part -> all.append(new String(part, StandardCharsets.ISO_8859_1)));
        return all.toString();
    }
}
