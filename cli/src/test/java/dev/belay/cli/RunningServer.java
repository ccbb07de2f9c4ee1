package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// `belay serve` as a process, once it has said its address.
final class RunningServer implements AutoCloseable {
    final Process process;
    final String address;
    final String console;
    private final Belay belay;

    /// On any free port, unless the arguments name one.
    RunningServer(Belay belay, String... args) throws Exception {
        this(belay, belay.start(words(args)));
    }

    private static String[] words(String... args) {
        List<String> all = new ArrayList<>(List.of("serve"));
        all.addAll(List.of(args));
        if (!all.contains("--port")) {
            all.addAll(List.of("--port", "0"));
        }
        return all.toArray(String[]::new);
    }

    /// One that has just been started.
    RunningServer(Belay belay, Process process) throws Exception {
        this.belay = belay;
        this.process = process;
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String first = String.valueOf(out.readLine());
        assertThat(first).as("%s", first.equals("null") ? errors() : first)
                .matches("Belay is listening on http://127\\.0\\.0\\.1:\\d+/");
        address = first.substring(first.indexOf("http"));
        console = out.readLine();
    }

    String errors() throws Exception {
        return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    String port() {
        return Integer.toString(URI.create(address).getPort());
    }

    /// The admin's.
    String token() throws Exception {
        return Files.readString(belay.state().resolve("belay/token")).strip();
    }

    String call(String method, String path, String token, String body) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(address + path))
                    .header("Authorization", "Bearer " + token)
                    .method(method, HttpRequest.BodyPublishers.ofString(body))
                    .build();
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        }
    }

    void signal(String name) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    }

    int exit() throws Exception {
        assertThat(process.waitFor(Belay.PATIENCE_SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
        return process.exitValue();
    }

    /// Ends it with all its sessions, as an operator does.
    void end() throws Exception {
        signal("TERM");
        assertThat(exit()).isZero();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
