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
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// The real server as a process: its start, its signals, its end.
class ServeTest extends WithBelay {
    /// A server that has said its address.
    private final class Running implements AutoCloseable {
        final Process process;
        final String address;
        final String console;
        private final BufferedReader out;

        Running(String... args) throws Exception {
            String[] all = new String[args.length + 3];
            all[0] = "serve";
            all[1] = "--port";
            all[2] = "0";
            System.arraycopy(args, 0, all, 3, args.length);
            process = belay.start(all);
            out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            String first = String.valueOf(out.readLine());
            assertThat(first).as("%s", first.equals("null") ? errors() : first)
                    .matches("Belay is listening on http://127\\.0\\.0\\.1:\\d+/");
            address = first.substring(first.indexOf("http"));
            console = out.readLine();
        }

        String errors() throws Exception {
            return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        }

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

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    @Test
    void itSaysWhereItListensKeepsItsTokenToItselfAndEndsOnSigterm() throws Exception {
        try (Running server = new Running()) {
            assertThat(server.console).matches("Console: http://\\S+/#ticket=\\S+ .*");
            Path token = belay.state().resolve("belay/token");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(token))).isEqualTo("rw-------");
            assertThat(server.call("POST", "api/sessions", server.token(), "{\"cmd\":\"sleep 1000\"}"))
                    .startsWith("201 ");
            server.signal("TERM");
            assertThat(server.exit()).isZero();
            String log = server.errors();
            assertThat(log.lines()).allMatch(line -> line.startsWith("{\"time\":"));
            assertThat(log).contains("\"event\":\"session_opened\"", "\"reason\":\"shutdown\"",
                    "\"event\":\"stopped\"");
            assertThat(log).doesNotContain(server.token(), "1000");
        }
        assertThat(belay.processes()).isEmpty();
    }

    @Test
    void sighupReadsTokensAgainAndAMistakeChangesNothing() throws Exception {
        Path file = folder.resolve("belay.toml");
        String alice = "[[principals]]\nname = \"alice\"\ntokens = [\""
                + dev.belay.server.auth.TokenHash.of("alices").text() + "\"]\n";
        Files.writeString(file, "");
        try (Running server = new Running("--config", "belay.toml")) {
            assertThat(server.call("GET", "api/sessions", "alices", "")).startsWith("401 ");
            Files.writeString(file, alice);
            server.signal("HUP");
            Eventually.see("alice", () -> server.call("GET", "api/sessions", "alices", ""), a -> a.startsWith("200 "));
            Files.writeString(file, alice + "[nonsense]\n");
            server.signal("HUP");
            server.call("POST", "api/sessions", "alices", "{\"cmd\":\"true\"}");
            assertThat(server.call("GET", "api/sessions", "alices", "")).startsWith("200 ");
            Files.writeString(file, "");
            server.signal("HUP");
            Eventually.see("nobody", () -> server.call("GET", "api/sessions", "alices", ""),
                    a -> !a.startsWith("200 "));
        }
    }

    @Test
    void itDoesNotListenBeyondLoopbackWithoutEncryption() throws Exception {
        Belay.Outcome outcome = belay.run("serve", "--host", "0.0.0.0", "--port", "0");
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.err()).contains("does not listen on 0.0.0.0 without encryption", "--tls-cert");
    }

    @Test
    void aMistakeInTheSettingsIsToldWithItsLine() throws Exception {
        Files.writeString(folder.resolve("belay.toml"), "[server]\nprot = 1\n");
        Belay.Outcome outcome = belay.run("serve", "--config", "belay.toml");
        assertThat(outcome.code()).isEqualTo(125);
        assertThat(outcome.err()).startsWith("belay: belay.toml:2:1: there is no setting 'server.prot'");
    }

    @Test
    void printConfigPrintsEverySetting() throws Exception {
        Belay.Outcome outcome = belay.run("serve", "--print-config");
        assertThat(outcome.code()).isZero();
        assertThat(outcome.out()).contains("[server]", "# port = 10000", "[[principals]]");
    }
}
